/** The report as a table of other programs: one line per label and part, long form. */
import type { AnnotationReport, LabelTally } from '../../../shared/api/contract.ts';

/** A cell that a spreadsheet would take for a formula begins with a quote sign there. */
function cell(value: string | number): string {
  const text = String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function reportCsv(report: AnnotationReport, nameOf: (label: string) => string): string {
  const lines = [['label', 'name', 'by', 'part', 'rollouts', 'annotations'].join(',')];
  for (const label of report.labels) {
    const id = label.label ?? '';
    const name = label.label === undefined ? 'notes without a label' : nameOf(label.label);
    const add = (by: string, part: string | number, { rollouts, annotations }: LabelTally) =>
      lines.push([id, name, by, part, rollouts, annotations].map(cell).join(','));
    add('all', '', label);
    for (const one of label.byStep) add('step', one.step, one);
    for (const [part, tally] of Object.entries(label.byClass)) add('class', part, tally);
    for (const [part, tally] of Object.entries(label.byKept)) add('kept', part, tally);
    for (const one of label.byOutcome) add('tool outcome', one.outcome, one);
    for (const one of label.bySeverity) add('severity', one.severity ?? '', one);
    for (const one of label.byRun) add('run', one.runKey, one);
  }
  return `${lines.join('\n')}\n`;
}
