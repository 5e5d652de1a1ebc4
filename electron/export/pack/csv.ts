/**
 * A pack as a flat table: a row per annotation, and one with blanks for a rollout that has none. RFC 4180 quoting, line
 * feeds, UTF-8. A text that a spreadsheet would take for a formula begins with an apostrophe.
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
  readonly of: (one: PackCase, said: AnnotationRow | undefined, taxonomy: Taxonomy) => Cell;
}

const isTrue = (one: PackCase, name: string): Cell => {
  const value = factOf(one, name);
  return value === undefined ? undefined : value === 1;
};
const time = (at: number | undefined): Cell => (at === undefined ? undefined : new Date(at).toISOString());
const anchorOf = (said: AnnotationRow | undefined) =>
  said === undefined || said.target.kind === 'rollout' ? undefined : said.target.anchor;

/** In this order; documented in electron/export/PACKS.md#csv-and-tsv. */
export const CSV_COLUMNS: readonly Column[] = [
  { name: 'run', note: 'key of the run', of: ({ run }) => run.key },
  { name: 'run_name', note: 'its name', of: ({ run }) => run.name },
  { name: 'split', note: 'train or eval', of: ({ run }) => run.kind },
  { name: 'step', note: 'blank where the log knows none', of: stepOf },
  { name: 'group', note: 'key of the prompt group', of: (one) => textFact(one, 'group_key') },
  { name: 'index', note: 'position in the group, from 0', of: (one) => factOf(one, 'ordinal') },
  { name: 'sibling', note: 'true: beside a case, no case itself', of: ({ isSibling }) => isSibling },
  { name: 'problem', note: 'id of the problem', of: (one) => textFact(one, 'problem_id') },
  { name: 'is_correct', note: 'blank where not known', of: (one) => isTrue(one, 'is_correct') },
  { name: 'reward', note: 'as logged', of: (one) => factOf(one, 'reward') },
  { name: 'kept', note: 'by the down-sampling', of: (one) => isTrue(one, 'kept') },
  { name: 'reason', note: 'why kept or discarded', of: (one) => textFact(one, 'reason') },
  { name: 'answer', note: 'final answer', of: (one) => textFact(one, 'answer') },
  { name: 'ground_truth', note: 'of the problem', of: (one) => textFact(one, 'ground_truth') },
  { name: 'stop_reason', note: 'what ended it', of: (one) => textFact(one, 'stop_reason') },
  { name: 'turns', note: 'turns of the policy', of: (one) => factOf(one, 'turns') },
  { name: 'tool_calls', note: 'tool calls begun', of: (one) => factOf(one, 'tool_calls') },
  { name: 'tool_errors', note: 'of which failed', of: (one) => factOf(one, 'tool_errors') },
  { name: 'flags', note: 'separated by blanks', of: ({ flags }) => flags.map(({ flag }) => flag).join(' ') },
  { name: 'annotation', note: 'id of the annotation; blank: there is none', of: (_, said) => said?.id },
  { name: 'label', note: 'id of the label', of: (_, said) => said?.label },
  {
    name: 'label_name',
    note: 'its name',
    of: (_, said, taxonomy) => (said?.label === undefined ? undefined : labelName(taxonomy, said.label)),
  },
  { name: 'severity', note: 'minor, major or critical', of: (_, said) => said?.severity },
  { name: 'flag', note: 'the automatic flag it confirms', of: (_, said) => said?.flag },
  { name: 'place', note: 'rollout, turn, segment or span', of: (_, said) => said?.target.kind },
  {
    name: 'turn',
    note: 'of a turn; 0: the prompt',
    of: (_, said) => (said?.target.kind === 'turn' ? said.target.turn : undefined),
  },
  {
    name: 'segment',
    note: 'of a segment: among those of prompt and response, from 0',
    of: (_, said) => (said?.target.kind === 'segment' ? said.target.segment : undefined),
  },
  { name: 'text', note: 'prompt or response', of: (_, said) => anchorOf(said)?.text },
  { name: 'start', note: 'in that text, UTF-16', of: (_, said) => anchorOf(said)?.start },
  { name: 'end', note: 'likewise', of: (_, said) => anchorOf(said)?.end },
  { name: 'state', note: 'exact, moved or orphaned', of: (_, said) => said?.place?.state },
  {
    name: 'quote',
    note: 'what stood there; of a long piece its beginning',
    of: (_, said) => anchorOf(said)?.quote,
  },
  { name: 'note', note: 'Markdown', of: (_, said) => said?.note },
  { name: 'correction', note: 'what should have stood there', of: (_, said) => said?.correction },
  { name: 'author', note: 'who says it', of: (_, said) => said?.author },
  { name: 'created_at', note: 'UTC', of: (_, said) => time(said?.createdAt) },
  { name: 'updated_at', note: 'UTC', of: (_, said) => time(said?.updatedAt) },
];

export function csvHead(separator: Separator): string {
  return delimitedLine(
    CSV_COLUMNS.map(({ name }) => name),
    separator,
  );
}

export function csvRows(one: PackCase, taxonomy: Taxonomy, separator: Separator): string {
  const said = one.annotations.length === 0 ? [undefined] : one.annotations;
  return said
    .map((each) =>
      delimitedLine(
        CSV_COLUMNS.map(({ of }) => cell(of(one, each, taxonomy))),
        separator,
      ),
    )
    .join('');
}

/** The formula is looked for before control characters become visible. */
function cell(value: Cell): Cell {
  return typeof value === 'string' ? visibleLines(withoutFormula(value)) : value;
}
