/**
 * Writes a pack as a Markdown report: a summary, counts by label, then each case with its problem, the
 * relevant turns and its annotations. Log text is fenced or escaped, so it never becomes Markdown or HTML.
 */

import type { AnnotationRow } from '../../../shared/api/contract.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { flagText, outcomeName, RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { fenced, plain, quoted } from './fences.ts';
import type { Manifest } from './manifest.ts';
import {
  type CaseSegment,
  type CaseTurn,
  caseName,
  counted,
  innerText,
  labelName,
  labelsOf,
  OUTCOME_GLYPH,
  outcomeOf,
  outcomeText,
  type PackCase,
  problemParts,
  shortAnswer,
  targetText,
  textFact,
  turnsOf,
} from './packCase.ts';
import { relevantTurns, turnOfAnnotation } from './relevantTurns.ts';
import { derivedVerdicts, hasDecisions, type LabelSummary, type PackSummary, tallyName } from './summary.ts';

type Row = readonly (string | number)[];

function table(head: readonly string[], rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.join(' | ')} |\n`;
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return line(head) + line(rule) + rows.map(line).join('');
}

export function markdownHead(summary: PackSummary, siblings: boolean): string {
  const { cases, annotations, byClass, byKept, labels } = summary;
  const parts = [
    `# ${counted(cases, 'case')} with ${counted(annotations, 'annotation')}\n`,
    `${byClass.correct} correct, ${byClass.incorrect} incorrect${derivedVerdicts(summary)}, ${byClass.unknown} unknown${hasDecisions(summary) ? `; ${byKept.kept} kept, ${byKept.discarded} discarded, ${byKept.unknown} unknown` : ''}${siblings ? `; ${counted(summary.siblings, 'sibling')} beside them` : ''}. Written by Turnwise.\n`,
    runsTable(summary),
    ...(labels.length === 0 ? [] : ['## Labels\n', labelTable(summary), ...report(labels, summary)]),
    '## Cases\n',
  ];
  return `${parts.join('\n')}\n`;
}

function runsTable({ runs }: PackSummary): string {
  return table(
    ['run', 'key', 'kind', 'steps', 'cases'],
    runs.map(({ name, key, kind, steps, cases }) => [
      plain(name),
      plain(key),
      RUN_KIND_NAMES[kind],
      stepsText(steps),
      cases,
    ]),
  );
}

export function stepsText(steps: readonly number[]): string {
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return 'none logged';
  return steps.length <= 6 ? steps.join(', ') : `${steps.length} of ${first} to ${last}`;
}

function labelTable(summary: PackSummary): string {
  const decided = hasDecisions(summary);
  return table(
    [
      ...['label', 'cases', 'annotations', 'correct', 'incorrect', 'not known'],
      ...(decided ? ['kept', 'discarded', 'not known'] : []),
    ],
    summary.labels.map(({ name, cases, annotations, byClass, byKept }) => [
      plain(name),
      ...[cases, annotations, byClass.correct, byClass.incorrect, byClass.unknown],
      ...(decided ? [byKept.kept, byKept.discarded, byKept.unknown] : []),
    ]),
  );
}

function report(labels: readonly LabelSummary[], { runs }: PackSummary): readonly string[] {
  const outcomes = [...new Set(labels.flatMap(({ byOutcome }) => Object.keys(byOutcome)))];
  const names = labels.map(({ name }) => plain(name));
  const steps = [
    ...new Map(
      labels.flatMap(({ bySteps }) =>
        bySteps.map(({ run, step }) => [`${run} ${step ?? ''}`, { run, step }] as const),
      ),
    ).values(),
  ].sort((a, b) => (a.run < b.run ? -1 : a.run > b.run ? 1 : (a.step ?? -1) - (b.step ?? -1)));
  return [
    '### Cases by tool outcome\n',
    table(
      ['label', ...outcomes.map((outcome) => plain(tallyName(outcome)))],
      labels.map(({ byOutcome }, i) => [
        names[i] ?? '',
        ...outcomes.map((outcome) => byOutcome[outcome] ?? 0),
      ]),
    ),
    ...(runs.length < 2
      ? []
      : [
          '### Cases by run\n',
          table(
            ['label', ...runs.map(({ name }) => plain(name))],
            labels.map(({ byRun }, i) => [names[i] ?? '', ...runs.map(({ key }) => byRun[key] ?? 0)]),
          ),
        ]),
    '### Cases by step\n',
    table(
      ['run', 'step', ...names],
      steps.map(({ run, step }) => [
        plain(run),
        step ?? 'none logged',
        ...labels.map(({ bySteps }) => bySteps.find((at) => at.run === run && at.step === step)?.cases ?? 0),
      ]),
    ),
  ];
}

/** @param number number of the case, from 1; a sibling has its case's number */
export function caseMarkdown(one: PackCase, taxonomy: Taxonomy, number: number): string {
  const outcome = outcomeOf(one);
  const labels = labelsOf(one, taxonomy).map((id) => plain(labelName(taxonomy, id)));
  const answer = textFact(one, 'answer');
  const head = one.isSibling ? `#### Sibling: ` : `### ${number}. ${OUTCOME_GLYPH[outcome]} `;
  const parts = [
    `${head}${plain(caseName(one))}\n`,
    `${outcomeText(one, shortAnswer(one)).map(plain).join(' · ')}\n`,
    ...(answer === shortAnswer(one) ? [] : [`Answer:\n\n${fenced(answer ?? '')}`]),
    ...(labels.length === 0 ? [] : [`Labels: ${labels.join(', ')}\n`]),
    ...(one.flags.length === 0
      ? []
      : [`Flags: ${one.flags.map(({ flag }) => plain(flagText(flag))).join('; ')}\n`]),
    ...annotationsMarkdown(one, taxonomy, undefined),
    // A sibling shares the problem of its case.
    ...(one.isSibling
      ? []
      : problemParts(one).map(({ role, text }) => `Problem (${role}):\n\n${fenced(text)}`)),
    ...annotationsMarkdown(one, taxonomy, 0),
    ...turnsMarkdown(one, taxonomy),
  ];
  return `${parts.join('\n')}\n`;
}

function turnsMarkdown(one: PackCase, taxonomy: Taxonomy): readonly string[] {
  const turns = turnsOf(one);
  const matter = relevantTurns(one, turns);
  const parts: string[] = [];
  let left: CaseTurn[] = [];
  const tell = (): void => {
    if (left.length === 0) return;
    const calls = left.reduce((sum, turn) => sum + turn.calls.length, 0);
    const chars = left
      .flatMap(({ segments }) => segments)
      .reduce((sum, { segment }) => sum + segment.end - segment.start, 0);
    parts.push(
      `… ${counted(left.length, 'turn')} left out: ${counted(calls, 'tool call')}, ${counted(chars, 'character')} …\n`,
    );
    left = [];
  };
  for (const turn of turns) {
    if (!matter.has(turn.turn)) {
      left.push(turn);
      continue;
    }
    tell();
    parts.push(`**Turn ${turn.turn}**\n`);
    if (turn.redacted !== '') parts.push(`(${turn.redacted})\n`);
    for (const each of turn.segments) {
      const text = innerText(one.rollout.response, each.segment);
      if (text.trim() === '') continue;
      const code = each.call?.code;
      parts.push(`${headOf(each)}\n\n${fenced(code ?? text, code === undefined ? '' : 'python')}`);
    }
    parts.push(...annotationsMarkdown(one, taxonomy, turn.turn));
  }
  tell();
  return parts;
}

function headOf({ segment, call, answers }: CaseSegment): string {
  if (call !== undefined) return `call of ${call.name === null ? 'a tool without a name' : plain(call.name)}`;
  if (answers !== undefined)
    return `response: ${plain(outcomeName(answers.outcome))}${answers.latency_ms === null ? '' : `, ${answers.latency_ms} ms`}`;
  return segment.kind.replaceAll('-', ' ');
}

/** @param turn undefined: annotations of the rollout, and annotations without a position */
function annotationsMarkdown(one: PackCase, taxonomy: Taxonomy, turn: number | undefined): readonly string[] {
  return one.annotations
    .filter((row) => turnOfAnnotation(one, row) === turn)
    .map((row) => annotationMarkdown(row, taxonomy));
}

function annotationMarkdown(row: AnnotationRow, taxonomy: Taxonomy): string {
  const label = row.label === undefined ? 'Note' : plain(labelName(taxonomy, row.label));
  const words = [
    ...(row.severity === undefined ? [] : [row.severity]),
    plain(targetText(row)),
    plain(row.author),
  ];
  const quote = row.target.kind === 'span' ? `\n${fenced(row.target.anchor.quote)}` : '';
  const note = row.note === undefined ? '' : `\n${quoted(row.note)}\n`;
  const correction = row.correction === undefined ? '' : `\nShould be:\n\n${fenced(row.correction)}`;
  return `▸ **${label}** · ${words.join(' · ')}\n${quote}${note}${correction}`;
}

/** @param sha256 hash of the cases, from after the heading `Cases` to before this part */
export function markdownTail(manifest: Manifest, sha256: string): string {
  const text = JSON.stringify({ ...manifest, sha256_of_cases: sha256 }, undefined, 1);
  return `## Manifest\n\n${fenced(text, 'json')}`;
}
