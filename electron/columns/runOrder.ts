/** Sorts the matching rollouts of a run, step or group, and the groups of a run. */
import {
  type GroupOrder,
  type GroupSort,
  isScoreSort,
  type ParsedParams,
  type RolloutSort,
} from '../../shared/api/contract.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { camelCase, SORT_FIELDS } from '../../shared/domain/rolloutFieldRecord.ts';
import { compareScores, parseScores, type ScoreValue } from '../../shared/domain/scores.ts';
import { UNKNOWN_I32 } from '../storage/columnNames.ts';
import type { GroupFigures } from '../storage/queries/columns.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import { type CodedField, codedTexts, isCoded } from './fieldColumns.ts';
import { type MatchScope, matching } from './matching.ts';
import { type SortKey, sortedRows } from './ordering.ts';
import type { StepTable } from './stepTable.ts';

export interface Scope {
  readonly step?: number | undefined;
  readonly groupId?: number | undefined;
}

export interface Matched {
  readonly table: StepTable;
  readonly mask: Uint8Array;
}

/** The steps in scope with their matching rows. */
export function matchedSteps(
  scope: MatchScope,
  node: FilterNode,
  { step, groupId }: Scope,
  checkpoint: Checkpoint,
): readonly Matched[] {
  const tables = scope.run.steps.filter((table) => step === undefined || table.step === step);
  return tables.map((table, i) => {
    checkpoint(i, tables.length);
    const mask = matching(scope, table, node);
    if (groupId !== undefined) {
      const groups = table.column('groupId');
      for (let at = 0; at < mask.length; at++) if (groups[at] !== groupId) mask[at] = 0;
    }
    return { table, mask };
  });
}

type Sort = ParsedParams<'rollout.order'>['sort'];

/** @returns ids; equal rollouts keep log order, or the reverse if `sort` has `order` descending */
export function orderMatched(run: RunTable, matched: readonly Matched[], sort: Sort): Uint32Array {
  const total = matched.reduce((sum, { mask }) => sum + mask.length, 0);
  const ids = new Uint32Array(total);
  const rows = new Uint32Array(total);
  let base = 0;
  let count = 0;
  for (const { table, mask } of matched) {
    ids.set(table.column('rolloutId'), base);
    for (let i = 0; i < mask.length; i++) if (mask[i] === 1) rows[count++] = base + i;
    base += mask.length;
  }
  const logged = rows.subarray(0, count);
  const keys: SortKey[] = [];
  for (const { by, direction } of sort) {
    if (by !== 'order') keys.push(sortKey(run, matched, total, { by, direction }));
    else {
      // No two rollouts have the same position in the log, so later sort keys never matter.
      if (direction === 'descending') logged.reverse();
      break;
    }
  }
  const sorted = sortedRows(logged, keys);
  const ordered = new Uint32Array(count);
  for (let i = 0; i < count; i++) ordered[i] = ids[sorted[i] ?? 0] ?? 0;
  return ordered;
}

function sortKey(
  run: RunTable,
  matched: readonly Matched[],
  total: number,
  {
    by,
    direction,
  }: { readonly by: Exclude<RolloutSort, 'order'>; readonly direction: Sort[number]['direction'] },
): SortKey {
  const values = new Float64Array(total);
  let base = 0;
  const valuesOf = valuesFor(run, matched, by);
  for (const [at, { table, mask }] of matched.entries()) {
    const value = valuesOf(table, at);
    for (let i = 0; i < mask.length; i++) values[base + i] = value(i);
    base += mask.length;
  }
  return { values, isDescending: direction === 'descending' };
}

type ValueAt = (i: number) => number;

function valuesFor(
  run: RunTable,
  matched: readonly Matched[],
  by: Exclude<RolloutSort, 'order'>,
): (table: StepTable, at: number) => ValueAt {
  if (isScoreSort(by)) return scored(matched, by.slice('scores.'.length));
  switch (by) {
    case 'step':
      return (table) => () => table.step;
    case 'problemId': {
      const groups = run.groups();
      const ranks = ranksOf([...new Set([...groups.values()].map(({ problemId }) => problemId))]);
      return (table) => {
        const groupId = table.column('groupId');
        // Rollouts of a group are adjacent.
        let lastId = -1;
        let last = Number.NaN;
        return (i) => {
          const id = groupId[i] ?? 0;
          if (id === lastId) return last;
          lastId = id;
          last = ranks.get(groups.get(id)?.problemId ?? '') ?? Number.NaN;
          return last;
        };
      };
    }
    default: {
      const field = SORT_FIELDS.find((name) => camelCase(name) === by);
      if (field !== undefined && isCoded(field)) return ranked(matched, field);
      return (table) => plainValue(table.column(by));
    }
  }
}

function plainValue(column: ArrayLike<number>): ValueAt {
  if (column instanceof Int32Array)
    return (i) => {
      const value = column[i] ?? UNKNOWN_I32;
      return value === UNKNOWN_I32 ? Number.NaN : value;
    };
  if (column instanceof Int8Array)
    return (i) => {
      const value = column[i] ?? -1;
      return value < 0 ? Number.NaN : value;
    };
  return (i) => column[i] ?? Number.NaN;
}

/** Each step has its own dictionary, so codes are compared by the rank of their texts among all steps. */
function ranked(matched: readonly Matched[], field: CodedField): (table: StepTable, at: number) => ValueAt {
  const ranks = ranksOf([...new Set(matched.flatMap(({ table }) => codedTexts(table, field)))]);
  return (table) => {
    const ofCode = [Number.NaN, ...codedTexts(table, field).map((text) => ranks.get(text) ?? Number.NaN)];
    const codes = table.column(camelCase(field));
    return (i) => ofCode[codes[i] ?? 0] ?? Number.NaN;
  };
}

/** Ranks the values of one score among all steps. Equal values have equal ranks. */
function scored(matched: readonly Matched[], name: string): (table: StepTable) => ValueAt {
  const valuesIn = (table: StepTable): readonly (ScoreValue | undefined)[] =>
    table.dictionary('scores').map((json) => {
      const scores = parseScores(json);
      return Object.hasOwn(scores, name) ? scores[name] : undefined;
    });
  const distinct = [...new Set(matched.flatMap(({ table }) => valuesIn(table)))]
    .filter((value) => value !== undefined)
    .sort(compareScores);
  const ranks = new Map<ScoreValue, number>();
  let rank = 0;
  distinct.forEach((value, i) => {
    const former = distinct[i - 1];
    if (former !== undefined && compareScores(former, value) !== 0) rank = i;
    ranks.set(value, rank);
  });
  return (table) => {
    const ofCode = [
      Number.NaN,
      ...valuesIn(table).map((value) =>
        value === undefined ? Number.NaN : (ranks.get(value) ?? Number.NaN),
      ),
    ];
    const codes = table.column('scores');
    return (i) => ofCode[codes[i] ?? 0] ?? Number.NaN;
  };
}

/** UTF-16 order. It equals SQL's binary order except for rare characters. */
function ranksOf(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...texts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((text, rank) => [text, rank]));
}

type GroupOrderParams = Pick<ParsedParams<'group.order'>, 'step' | 'sort' | 'direction'>;

/**
 * Unknown values come last in both directions; equal groups keep log order.
 *
 * @param matched rollouts of a filter; only groups that have one are listed, with the number of matches
 */
export function orderGroups(
  run: RunTable,
  { step, sort, direction }: GroupOrderParams,
  matched?: readonly Matched[],
): GroupOrder {
  const { runId } = run;
  const counts = matched === undefined ? undefined : matchesByGroup(matched);
  const groups = run.steps
    .filter((table) => step === undefined || table.step === step)
    .flatMap((table) => table.groupFigures())
    .filter(({ groupId }) => counts?.has(groupId) ?? true);
  const isDescending = direction === 'descending';
  const rows = Uint32Array.from(groups, (_, i) => i);
  let sorted: Uint32Array = rows;
  if (sort !== 'order') sorted = sortedRows(rows, [{ values: groupValues(run, groups, sort), isDescending }]);
  else if (isDescending) sorted = rows.reverse();
  const ids = sorted.map((row) => groups[row]?.groupId ?? 0);
  return counts === undefined
    ? { runId, ids }
    : { runId, ids, matches: ids.map((id) => counts.get(id) ?? 0) };
}

function groupValues(
  run: RunTable,
  groups: readonly GroupFigures[],
  sort: Exclude<GroupSort, 'order'>,
): Float64Array {
  if (sort !== 'problemId') return Float64Array.from(groups, (figures) => figures[sort] ?? Number.NaN);
  const facts = run.groups();
  const ranks = ranksOf([...new Set(groups.map(({ groupId }) => facts.get(groupId)?.problemId ?? ''))]);
  return Float64Array.from(groups, ({ groupId }) => ranks.get(facts.get(groupId)?.problemId ?? '') ?? 0);
}

/** Matching rollouts per group. */
function matchesByGroup(matched: readonly Matched[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { table, mask } of matched) {
    const groupId = table.column('groupId');
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 0) continue;
      const id = groupId[i] ?? 0;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}
