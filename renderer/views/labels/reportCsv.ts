/** The report as a table of other programs: one line per label and part, long form. */

import type { AnnotationReport, LabelTally } from '../../../shared/api/contract.ts';
import { delimitedLine } from '../../../shared/domain/delimited.ts';

export function reportCsv(report: AnnotationReport, nameOf: (label: string) => string): string {
  const lines = [delimitedLine(['label', 'name', 'by', 'part', 'rollouts', 'annotations'])];
  for (const label of report.labels) {
    const id = label.label ?? '';
    const name = label.label === undefined ? 'notes without a label' : nameOf(label.label);
    const add = (by: string, part: string | number, { rollouts, annotations }: LabelTally) =>
      lines.push(delimitedLine([id, name, by, part, rollouts, annotations]));
    add('all', '', label);
    for (const one of label.byStep) add('step', one.step, one);
    for (const [part, tally] of Object.entries(label.byClass)) add('class', part, tally);
    for (const [part, tally] of Object.entries(label.byKept)) add('kept', part, tally);
    for (const one of label.byOutcome) add('tool outcome', one.outcome, one);
    for (const one of label.bySeverity) add('severity', one.severity ?? '', one);
    for (const one of label.byRun) add('run', one.runKey, one);
  }
  return lines.join('');
}
