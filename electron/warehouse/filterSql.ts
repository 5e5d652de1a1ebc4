/** Translates a filter to a condition over a warehouse's rollouts, for the fields that the data set has. */
import { refused } from '../../shared/api/errors.ts';
import type { FieldName } from '../../shared/domain/filter/fields.ts';
import type { Bound, FilterNode, WordNode } from '../../shared/domain/filter/node.ts';
import { EXPORTED_FIELDS } from '../../shared/domain/rolloutFieldRecord.ts';
import type { QueryParams } from './connection.ts';
import { quoted } from './tables.ts';

export interface Condition {
  /** True or false, never NULL, so that `NOT` selects the complement. */
  readonly sql: string;
  readonly params: QueryParams;
}

/** Fields under another name in the data set, and those of tool calls: one matching call suffices. */
const EXPRESSIONS: Readonly<Partial<Record<FieldName, string>>> = {
  step: 'step',
  ordinal: quoted('index'),
  problem_id: 'problem',
  group_key: quoted('group'),
  latency_ms: 'arrayMax(calls.latency_ms)',
};
const OF_CALLS: Readonly<Partial<Record<FieldName, string>>> = {
  tool: 'calls.name',
  outcome: 'calls.outcome',
};
/** Its values are JSON, which a word does not equal. */
const NOT_HERE: ReadonlySet<FieldName> = new Set(['scores']);

/** @throws ApiError `refused` for a field that only a library has: texts, labels and what is computed from them */
export function filterCondition(node: FilterNode): Condition {
  const params: Record<string, string | number> = {};
  const given = (value: string | number, type: string): string => {
    const name = `f${Object.keys(params).length}`;
    params[name] = typeof value === 'number' ? numeral(value) : value;
    return `{${name}:${type}}`;
  };
  return { sql: condition(node, given), params };
}

type Given = (value: string | number, type: string) => string;

const numeral = (value: number): string | number =>
  Number.isFinite(value) ? value : value > 0 ? 'inf' : '-inf';

function condition(node: FilterNode, given: Given): string {
  switch (node.kind) {
    case 'all':
      return '1';
    case 'and':
      return `(${node.nodes.map((each) => condition(each, given)).join(' AND ')})`;
    case 'or':
      return `(${node.nodes.map((each) => condition(each, given)).join(' OR ')})`;
    case 'not':
      return `NOT (${condition(node.node, given)})`;
    case 'number':
      return bounded(expressionOf(node.field), node, given);
    case 'flag':
      return `ifNull(${expressionOf(node.field)} = ${node.value}, 0)`;
    case 'word': {
      const ofCalls = OF_CALLS[node.field];
      return ofCalls === undefined
        ? `ifNull(${matches(expressionOf(node.field), node, given)}, 0)`
        : `arrayExists(each -> ifNull(${matches('each', node, given)}, 0), ${ofCalls})`;
    }
    case 'known': {
      const ofCalls = OF_CALLS[node.field];
      return ofCalls === undefined
        ? `(${expressionOf(node.field)}) IS NOT NULL`
        : `arrayExists(each -> each IS NOT NULL, ${ofCalls})`;
    }
    case 'text':
      throw onlyInLibrary(node.field);
  }
}

function expressionOf(field: FieldName): string {
  const expression = EXPRESSIONS[field];
  if (expression !== undefined) return expression;
  if (NOT_HERE.has(field) || !EXPORTED_FIELDS.some((name) => name === field)) throw onlyInLibrary(field);
  return quoted(field);
}

function onlyInLibrary(field: FieldName): Error {
  return refused(
    `a warehouse is not filtered by ${field}; take the steps into a library and filter them there`,
  );
}

function bounded(column: string, { from, to }: { from?: Bound; to?: Bound }, given: Given): string {
  const bounds = [
    ...(from === undefined
      ? []
      : [`${column} ${from.isExclusive ? '>' : '>='} ${given(from.value, 'Float64')}`]),
    ...(to === undefined ? [] : [`${column} ${to.isExclusive ? '<' : '<='} ${given(to.value, 'Float64')}`]),
  ];
  return `ifNull(${bounds.length === 0 ? '1' : bounds.join(' AND ')}, 0)`;
}

function matches(value: string, { text, isPattern }: WordNode, given: Given): string {
  if (!isPattern) return `lowerUTF8(${value}) = lowerUTF8(${given(text, 'String')})`;
  const pattern = text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
  return `lowerUTF8(${value}) LIKE lowerUTF8(${given(pattern, 'String')})`;
}
