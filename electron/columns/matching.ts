/** Evaluates a filter on the columns of a step: one byte per rollout, 1 if it matches. */
import type { FilterNode, NumberNode, TextNode, WordNode } from '../../shared/domain/filter/node.ts';
import { wordTest } from '../../shared/domain/filter/wordTest.ts';
import { bitOf, FLAGS } from '../../shared/domain/flags.ts';
import { TOOL_OUTCOMES } from '../../shared/domain/model.ts';
import { camelCase } from '../../shared/domain/rolloutFieldRecord.ts';
import { scoreTest } from '../../shared/domain/scores.ts';
import { UNKNOWN_I32 } from '../storage/columnNames.ts';
import type { GroupFacts } from '../storage/queries/columns.ts';
import type { RunTable } from './columnStore.ts';
import { codedTexts, isCoded, numbersOf } from './fieldColumns.ts';
import type { StepTable } from './stepTable.ts';

/** Rollouts that match a text node. */
export type TextMatches = (node: TextNode) => Pick<ReadonlySet<number>, 'has'>;

export interface MatchScope {
  readonly run: RunTable;
  readonly texts: TextMatches;
}

/** @returns one byte per rollout of the step */
export function matching({ run, texts }: MatchScope, table: StepTable, node: FilterNode): Uint8Array {
  switch (node.kind) {
    case 'all':
      return new Uint8Array(table.count).fill(1);
    case 'and':
    case 'or': {
      const [first, ...rest] = node.nodes;
      if (first === undefined) throw new Error(`${node.kind} of nothing`);
      const mask = matching({ run, texts }, table, first);
      for (const each of rest) {
        const other = matching({ run, texts }, table, each);
        if (node.kind === 'and')
          for (let i = 0; i < mask.length; i++) mask[i] = (mask[i] ?? 0) & (other[i] ?? 0);
        else for (let i = 0; i < mask.length; i++) mask[i] = (mask[i] ?? 0) | (other[i] ?? 0);
      }
      return mask;
    }
    case 'not': {
      const mask = matching({ run, texts }, table, node.node);
      for (let i = 0; i < mask.length; i++) mask[i] = 1 - (mask[i] ?? 0);
      return mask;
    }
    case 'number':
      return inRange(numbersOf(run, table, node.field), node);
    case 'flag': {
      const wanted = node.value ? 1 : 0;
      return where(table.column(camelCase(node.field)), (value) => value === wanted);
    }
    case 'word':
      return words(run, table, node);
    case 'known':
      return knownOf(run, table, node.field);
    case 'text': {
      const found = texts(node);
      return where(table.column('rolloutId'), (id) => found.has(id));
    }
  }
}

function inRange(numbers: ArrayLike<number>, { from, to }: NumberNode): Uint8Array {
  const mask = new Uint8Array(numbers.length);
  const low = from?.value ?? Number.NEGATIVE_INFINITY;
  const high = to?.value ?? Number.POSITIVE_INFINITY;
  const isLowOpen = from?.isExclusive === true;
  const isHighOpen = to?.isExclusive === true;
  for (let i = 0; i < mask.length; i++) {
    const value = numbers[i] ?? Number.NaN;
    // NaN is in no range.
    if ((isLowOpen ? value > low : value >= low) && (isHighOpen ? value < high : value <= high)) mask[i] = 1;
  }
  return mask;
}

function where(column: ArrayLike<number>, holds: (value: number) => boolean): Uint8Array {
  const mask = new Uint8Array(column.length);
  for (let i = 0; i < mask.length; i++) if (holds(column[i] ?? 0)) mask[i] = 1;
  return mask;
}

/** Codes whose text matches. Code 0 (unknown) never does. */
function codesWhere(texts: readonly string[], holds: (text: string) => boolean): Uint8Array {
  const codes = new Uint8Array(texts.length + 1);
  texts.forEach((text, i) => {
    if (holds(text)) codes[i + 1] = 1;
  });
  return codes;
}

function words(run: RunTable, table: StepTable, node: WordNode): Uint8Array {
  const { field } = node;
  const test = field === 'scores' ? scoreTest(node) : wordTest(node);
  if (isCoded(field)) {
    const codes = codesWhere(codedTexts(table, field), test);
    return where(table.column(camelCase(field)), (code) => codes[code] === 1);
  }
  switch (field) {
    case 'tool': {
      const sets = table.dictionary('tools');
      const codes = codesWhere(sets, (tools) => (JSON.parse(tools) as string[]).some(test));
      return where(table.column('tools'), (code) => codes[code] === 1);
    }
    case 'flag': {
      let bits = 0;
      for (const flag of FLAGS) if (test(flag)) bits |= bitOf(flag);
      return where(table.column('flags'), (flags) => flags !== UNKNOWN_I32 && (flags & bits) !== 0);
    }
    case 'outcome': {
      let bits = 0;
      TOOL_OUTCOMES.forEach((outcome, i) => {
        if (test(outcome)) bits |= 1 << i;
      });
      return where(table.column('outcomes'), (outcomes) => (outcomes & bits) !== 0);
    }
    case 'label':
    case 'note':
    case 'author':
    case 'severity':
    case 'read':
    case 'rerun':
      return among(table, run.annotations().where({ ...node, field }));
    default: {
      const name = camelCase(field);
      return byGroup(run, table, (facts) => {
        const value = facts[name];
        return value !== null && test(value);
      });
    }
  }
}

/** Usually the set is empty, and no column is loaded. */
function among(table: StepTable, ids: ReadonlySet<number>): Uint8Array {
  return ids.size === 0 ? new Uint8Array(table.count) : where(table.column('rolloutId'), (id) => ids.has(id));
}

/** Rollouts of a group are adjacent. */
function byGroup(run: RunTable, table: StepTable, holds: (facts: GroupFacts) => boolean): Uint8Array {
  const groups = run.groups();
  let lastId = -1;
  let last = false;
  return where(table.column('groupId'), (id) => {
    if (id === lastId) return last;
    const facts = groups.get(id);
    lastId = id;
    last = facts !== undefined && holds(facts);
    return last;
  });
}

function knownOf(
  run: RunTable,
  table: StepTable,
  field: Extract<FilterNode, { kind: 'known' }>['field'],
): Uint8Array {
  if (isCoded(field)) return where(table.column(camelCase(field)), (code) => code > 0);
  switch (field) {
    case 'is_correct':
    case 'kept':
      return where(table.column(camelCase(field)), (value) => value >= 0);
    case 'tool':
      return where(table.column('tools'), (code) => code > 0);
    case 'outcome':
      return where(table.column('outcomes'), (bits) => bits !== 0);
    case 'flag':
      return where(table.column('flags'), (flags) => flags !== UNKNOWN_I32);
    case 'label':
    case 'note':
    case 'author':
    case 'severity':
    case 'read':
    case 'rerun':
      return among(table, run.annotations().known(field));
    case 'problem_id':
    case 'group_key':
    case 'ground_truth':
    case 'source': {
      const name = camelCase(field);
      return byGroup(run, table, (facts) => facts[name] !== null);
    }
    default:
      return where(numbersOf(run, table, field), (value) => !Number.isNaN(value));
  }
}
