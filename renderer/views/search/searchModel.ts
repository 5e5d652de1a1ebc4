/** Rows of the search results, and labels about a search. */
import type {
  FoundGroup,
  FoundRollout,
  HitList,
  SearchCount,
  SearchHit,
  SearchPage,
  UnsearchedRollout,
} from '../../../shared/api/contract.ts';
import { TEXT_FIELDS, type TextField } from '../../../shared/domain/filter/fields.ts';
import { type FilterNode, wantedTextNodes } from '../../../shared/domain/filter/node.ts';
import { filterText } from '../../../shared/domain/filter/print.ts';
import type { SegmentKind } from '../../../shared/domain/model.ts';
import { count, counted } from '../../ui/numbers.ts';

export type SearchRow =
  | { readonly kind: 'group'; readonly group: FoundGroup; readonly found: number }
  | {
      readonly kind: 'prompt';
      readonly group: FoundGroup;
      readonly hit: SearchHit;
      readonly rest: Rest | undefined;
    }
  | {
      readonly kind: 'rollout';
      readonly group: FoundGroup;
      readonly rollout: FoundRollout;
      /** Undefined: the rollout matches without a hit in its text. */
      readonly hit: SearchHit | undefined;
      readonly isFirst: boolean;
      readonly rest: Rest | undefined;
    };

/** Number of hits that are not listed, shown on the last listed row. */
export interface Rest {
  readonly count: number;
  readonly isAtLeast: boolean;
}

export function rowsOf(pages: readonly SearchPage[]): readonly SearchRow[] {
  return joinedGroups(pages).flatMap((group) => [
    { kind: 'group' as const, group, found: group.found.length },
    ...group.prompt.hits.map((hit, i) => ({
      kind: 'prompt' as const,
      group,
      hit,
      rest: restAfter(group.prompt, i),
    })),
    ...group.found.flatMap((rollout) => rolloutRows(group, rollout)),
  ]);
}

/** Merges a group that continues on the next page. */
function joinedGroups(pages: readonly SearchPage[]): readonly FoundGroup[] {
  const groups: FoundGroup[] = [];
  for (const group of pages.flatMap((page) => page.groups)) {
    const last = groups.at(-1);
    if (last?.groupId === group.groupId)
      groups[groups.length - 1] = { ...last, found: [...last.found, ...group.found] };
    else groups.push(group);
  }
  return groups;
}

function rolloutRows(group: FoundGroup, rollout: FoundRollout): readonly SearchRow[] {
  const { hits } = rollout.found;
  if (hits.length === 0)
    return [{ kind: 'rollout', group, rollout, hit: undefined, isFirst: true, rest: undefined }];
  return hits.map((hit, i) => ({
    kind: 'rollout',
    group,
    rollout,
    hit,
    isFirst: i === 0,
    rest: restAfter(rollout.found, i),
  }));
}

function restAfter({ hits, total, isAtLeast }: HitList, i: number): Rest | undefined {
  const count = total - hits.length;
  return i === hits.length - 1 && count > 0 ? { count, isAtLeast } : undefined;
}

/** Totals of the loaded pages. */
export interface Tally {
  readonly rollouts: number;
  readonly groups: number;
  /** Number of hits. Hits in a prompt count once per group. */
  readonly hits: number;
  /** Whether these rollouts have further hits. */
  readonly areHitsAtLeast: boolean;
  readonly passed: number;
  readonly scanned: number;
  readonly total: number;
}

export function tallyOf(pages: readonly SearchPage[]): Tally {
  const groups = joinedGroups(pages);
  const lists = groups.flatMap(({ prompt, found }) => [prompt, ...found.map((rollout) => rollout.found)]);
  return {
    rollouts: groups.reduce((all, group) => all + group.found.length, 0),
    groups: groups.length,
    hits: lists.reduce((all, { total }) => all + total, 0),
    areHitsAtLeast: lists.some(({ isAtLeast }) => isAtLeast),
    passed: sumOf(pages, ({ passed }) => passed),
    scanned: sumOf(pages, ({ scanned }) => scanned),
    total: pages.at(-1)?.total ?? 0,
  };
}

const sumOf = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((all, one) => all + of(one), 0);

interface RunMatches {
  readonly runId: number;
  readonly rollouts: number;
}

export interface MatchCount {
  readonly rollouts: number;
  /** Most matches first. Runs without matches are left out. */
  readonly runs: readonly RunMatches[];
  readonly passed: number;
  readonly total: number;
  /** False: some rollouts were not examined yet, so every count is a lower bound. */
  readonly isExact: boolean;
  readonly unsearched: readonly UnsearchedRollout[];
}

interface Parts<T> {
  readonly parts: readonly T[];
  /** Whether all rollouts in scope were examined. */
  readonly isWhole: boolean;
}

/** Counts from the loaded pages if they are complete, else from the separate count. */
export function matchCount(pages: Parts<SearchPage>, counts: Parts<SearchCount>): MatchCount {
  const byPages = sumOf(pages.parts, ({ passed }) => passed);
  const byCounts = sumOf(counts.parts, ({ passed }) => passed);
  const usesPages = pages.isWhole || (!counts.isWhole && byPages >= byCounts);
  const { parts, isWhole } = usesPages ? pages : counts;
  const found: readonly RunMatches[] = usesPages
    ? pages.parts.flatMap(({ groups }) =>
        groups.map(({ runId, found: rollouts }) => ({ runId, rollouts: rollouts.length })),
      )
    : counts.parts.flatMap(({ runs }) => runs);
  const byRun = new Map<number, number>();
  for (const { runId, rollouts } of found) byRun.set(runId, (byRun.get(runId) ?? 0) + rollouts);
  const unsearched = parts.flatMap((part) => part.unsearched);
  const runs = [...byRun].map(([runId, rollouts]) => ({ runId, rollouts }));
  return {
    rollouts: sumOf(runs, ({ rollouts }) => rollouts),
    runs: runs.sort((a, b) => b.rollouts - a.rollouts),
    passed: usesPages ? byPages : byCounts,
    total: parts.at(-1)?.total ?? 0,
    isExact: isWhole && unsearched.length === 0,
    unsearched,
  };
}

interface SearchProgress {
  /** All matches are loaded. */
  readonly isWhole: boolean;
  readonly isRunning: boolean;
  readonly isStopped: boolean;
}

/** How many rollouts match, how far the search is, and which of them are listed, each number with its unit. */
export function foundSentence(
  tally: Tally,
  { rollouts, passed, total, isExact }: MatchCount,
  { isWhole, isRunning, isStopped }: SearchProgress,
): string {
  if (isRunning && total === 0) return 'Searching…';
  const of = counted(total, 'rollout');
  const matching =
    isExact && rollouts === 0
      ? `None of ${of} matches`
      : `${isExact ? '' : 'At least '}${count(rollouts)} of ${of} ${rollouts === 1 ? 'matches' : 'match'}`;
  const hits = hitsText(tally, isWhole);
  if (isWhole) {
    const where = tally.rollouts === 0 ? [] : [`in ${counted(tally.groups, 'group')}`];
    return `${[matching, ...where].join(' ')}${hits === '' ? '' : `, with ${hits}`}.`;
  }
  if (isStopped) return `${matching}; stopped after ${counted(passed, 'rollout')}.`;
  if (isRunning) return `${matching}; ${counted(passed, 'rollout')} searched so far.`;
  const far = passed === total ? '' : `; ${counted(passed, 'rollout')} searched so far`;
  return `${matching}${far}. Listed so far: the first ${counted(tally.rollouts, 'rollout')}${hits === '' ? '' : `, with ${hits}`}; scroll for more.`;
}

/** `3 hits`, `at least 500 hits`. Empty if the query contains no words. */
function hitsText(
  { hits, areHitsAtLeast }: Pick<Tally, 'hits' | 'areHitsAtLeast'>,
  isWhole: boolean,
): string {
  if (hits === 0) return '';
  return `${isWhole && !areHitsAtLeast ? '' : 'at least '}${counted(hits, 'hit')}`;
}

export const SCOPE_LABELS: Readonly<Record<TextField, { readonly label: string; readonly place: string }>> = {
  text: { label: 'Everywhere', place: 'prompts and responses' },
  reasoning: { label: 'Reasoning', place: 'reasoning and the text outside of tool calls' },
  code: { label: 'Code', place: 'tool calls' },
  output: { label: 'Output', place: 'tool responses' },
  answer_text: { label: 'Answer', place: 'final answers' },
  prompt: { label: 'Prompt', place: 'prompts' },
};

export const SCOPES = TEXT_FIELDS;

/** The texts that the query's words are searched in. Undefined if they differ, or there are no words. */
export function scopeOf(node: FilterNode): TextField | undefined {
  const [first, ...rest] = wantedTextNodes(node);
  return first !== undefined && rest.every(({ field }) => field === first.field) ? first.field : undefined;
}

/** The same query with its words searched in another text. Negated words are not changed. */
export function withScope(node: FilterNode, field: TextField): string {
  return filterText(moved(node, field));
}

function moved(node: FilterNode, field: TextField): FilterNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, nodes: node.nodes.map((each) => moved(each, field)) };
    case 'text':
      return { ...node, field };
    default:
      return node;
  }
}

export const PLACE_LABELS: Readonly<Record<SegmentKind, string>> = {
  reasoning: 'reasoning',
  text: 'text',
  'tool-call': 'code',
  'tool-response': 'output',
  answer: 'answer',
  user: 'user',
  system: 'system',
};

/** Replaces line breaks, without changing the length. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\r\n|[\n\r\u2028\u2029]/g, (line) => '⏎'.padEnd(line.length)).replaceAll('\t', ' ');
}

/** Whether a pattern is case-sensitive, which may be why it finds nothing. */
export function hasCasedPattern(node: FilterNode): boolean {
  return wantedTextNodes(node).some(
    ({ form, text, flags }) => form === 'regex' && flags?.includes('i') !== true && /\p{L}/u.test(text),
  );
}
