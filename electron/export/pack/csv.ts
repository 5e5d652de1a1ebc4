/**
 * Writes a pack as a table: one row per annotation, and one for a rollout without any. RFC 4180 quoting,
 * line feeds, UTF-8. A text that a spreadsheet would run as a formula gets a leading apostrophe.
 */

import type { AnnotationRow } from '../../../shared/api/contract.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import {
  type Cell,
  delimitedLine,
  type Separator,
  withoutFormula,
} from '../../../shared/domain/delimited.ts';
import { factOf, labelName, type PackCase, stepOf, textFact } from './packCase.ts';
import { visibleLines } from './visible.ts';

interface Column {
  readonly name: string;
  readonly note: string;
  readonly of: (one: PackCase, annotation: AnnotationRow | undefined, taxonomy: Taxonomy) => Cell;
}

const isTrue = (one: PackCase, name: string): Cell => {
  const value = factOf(one, name);
  return value === undefined ? undefined : value === 1;
};
/** A library of somebody else may have a number that is no date, which stays a number. */
const time = (at: number | undefined): Cell => {
  if (at === undefined) return undefined;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
};
const anchorOf = (annotation: AnnotationRow | undefined) =>
  annotation === undefined || annotation.target.kind === 'rollout' ? undefined : annotation.target.anchor;

/** Column order; documented in electron/export/PACKS.md#csv-and-tsv. */
export const CSV_COLUMNS: readonly Column[] = [
  { name: 'run', note: 'key of the run', of: ({ run }) => run.key },
  { name: 'run_name', note: 'name of the run', of: ({ run }) => run.name },
  { name: 'split', note: 'train or eval', of: ({ run }) => run.kind },
  { name: 'step', note: 'blank if the log has no steps', of: stepOf },
  { name: 'group', note: 'key of the prompt group', of: (one) => textFact(one, 'group_key') },
  { name: 'index', note: 'position in the group, from 0', of: (one) => factOf(one, 'ordinal') },
  { name: 'sibling', note: 'true: a rollout of the same group as a case', of: ({ isSibling }) => isSibling },
  { name: 'problem', note: 'id of the problem', of: (one) => textFact(one, 'problem_id') },
  { name: 'is_correct', note: 'blank: unknown', of: (one) => isTrue(one, 'is_correct') },
  { name: 'reward', note: 'as logged', of: (one) => factOf(one, 'reward') },
  { name: 'kept', note: 'decision of the down-sampling', of: (one) => isTrue(one, 'kept') },
  { name: 'reason', note: 'reason of the decision', of: (one) => textFact(one, 'reason') },
  { name: 'answer', note: 'final answer', of: (one) => textFact(one, 'answer') },
  { name: 'ground_truth', note: 'ground truth of the problem', of: (one) => textFact(one, 'ground_truth') },
  { name: 'stop_reason', note: 'reason of the end', of: (one) => textFact(one, 'stop_reason') },
  {
    name: 'stop_reason_source',
    note: 'logged or derived',
    of: (one) => textFact(one, 'stop_reason_source'),
  },
  { name: 'turns', note: 'turns of the policy', of: (one) => factOf(one, 'turns') },
  { name: 'tool_calls', note: 'number of tool calls', of: (one) => factOf(one, 'tool_calls') },
  { name: 'tool_errors', note: 'number of failed tool calls', of: (one) => factOf(one, 'tool_errors') },
  { name: 'flags', note: 'separated by spaces', of: ({ flags }) => flags.map(({ flag }) => flag).join(' ') },
  {
    name: 'annotation',
    note: 'id of the annotation; blank: no annotation',
    of: (_, annotation) => annotation?.id,
  },
  { name: 'label', note: 'id of the label', of: (_, annotation) => annotation?.label },
  {
    name: 'label_name',
    note: 'name of the label',
    of: (_, annotation, taxonomy) =>
      annotation?.label === undefined ? undefined : labelName(taxonomy, annotation.label),
  },
  { name: 'severity', note: 'minor, major or critical', of: (_, annotation) => annotation?.severity },
  { name: 'flag', note: 'automatic flag that it confirms', of: (_, annotation) => annotation?.flag },
  { name: 'place', note: 'rollout, turn, segment or span', of: (_, annotation) => annotation?.target.kind },
  {
    name: 'turn',
    note: 'annotated turn; 0: the prompt',
    of: (_, annotation) => (annotation?.target.kind === 'turn' ? annotation.target.turn : undefined),
  },
  {
    name: 'segment',
    note: 'annotated segment, counted from the prompt on, from 0',
    of: (_, annotation) => (annotation?.target.kind === 'segment' ? annotation.target.segment : undefined),
  },
  { name: 'text', note: 'prompt or response', of: (_, annotation) => anchorOf(annotation)?.text },
  {
    name: 'start',
    note: 'offset in that text, UTF-16 units',
    of: (_, annotation) => anchorOf(annotation)?.start,
  },
  { name: 'end', note: 'offset of the end', of: (_, annotation) => anchorOf(annotation)?.end },
  { name: 'state', note: 'exact, moved or orphaned', of: (_, annotation) => annotation?.place?.state },
  {
    name: 'quote',
    note: 'annotated text, or its beginning if it is long',
    of: (_, annotation) => anchorOf(annotation)?.quote,
  },
  { name: 'note', note: 'Markdown', of: (_, annotation) => annotation?.note },
  { name: 'correction', note: 'suggested text', of: (_, annotation) => annotation?.correction },
  { name: 'author', note: 'author of the annotation', of: (_, annotation) => annotation?.author },
  { name: 'created_at', note: 'UTC', of: (_, annotation) => time(annotation?.createdAt) },
  { name: 'updated_at', note: 'UTC', of: (_, annotation) => time(annotation?.updatedAt) },
];

export function csvHead(separator: Separator): string {
  return delimitedLine(
    CSV_COLUMNS.map(({ name }) => name),
    separator,
  );
}

export function csvRows(one: PackCase, taxonomy: Taxonomy, separator: Separator): string {
  const rows = one.annotations.length === 0 ? [undefined] : one.annotations;
  return rows
    .map((each) =>
      delimitedLine(
        CSV_COLUMNS.map(({ of }) => cell(of(one, each, taxonomy))),
        separator,
      ),
    )
    .join('');
}

/** Detects formulas before control characters are made visible. */
function cell(value: Cell): Cell {
  return typeof value === 'string' ? visibleLines(withoutFormula(value)) : value;
}
