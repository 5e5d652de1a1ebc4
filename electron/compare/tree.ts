/** The trees of a group, or of a problem over steps: by text, and by action. */
import type { ActionNode, ActionTree, ForkNode, ForkTree, TreeRollout } from '../../shared/api/contract.ts';
import { type Action, actionsOf } from '../../shared/domain/actions.ts';
import { actionTree } from '../../shared/domain/actionTree.ts';
import { type AlignOptions, checkpointOf } from '../../shared/domain/align.ts';
import { passagesOf } from '../../shared/domain/divergence.ts';
import { sourceKey } from '../../shared/domain/entropy.ts';
import type { Segment, TextRange } from '../../shared/domain/model.ts';
import { type PrefixNode, prefixTree } from '../../shared/domain/prefixTree.ts';
import { stepProfile } from '../../shared/domain/stepProfile.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { rolloutsOfGroups } from '../storage/queries/compared.ts';
import { getSignal } from '../storage/queries/tokens.ts';
import { TranscriptReader } from '../storage/queries/transcripts.ts';
import { actionSideOf } from './forks.ts';
import { readTranscripts } from './readTranscripts.ts';

/** Limit of rollouts. A group has 16 or 32; more than this is a whole log. */
const MAX_ROLLOUTS = 2_000;
/** Limit of branches, more than a person can distinguish. */
const MAX_NODES = 4_000;
/** UTF-16 units at either end of a node's text. */
const HEAD = 160;
const TAIL = 80;

export function growTree(
  db: ReadableLibrary,
  groupIds: readonly number[],
  options: AlignOptions,
): ForkTree | undefined {
  const { rollouts, transcripts, total } = readRollouts(db, groupIds, options);
  if (total === 0) return undefined;
  const members = rollouts.flatMap((rollout, id) => {
    const alignable = transcripts[id];
    if (alignable === undefined) return [];
    const { response, tokenEnds } = alignable;
    const correctness = rollout.isCorrect === undefined ? {} : { isCorrect: rollout.isCorrect };
    return [{ id, response, ...(tokenEnds === undefined ? {} : { tokenEnds }), ...correctness }];
  });
  const texts = new Map(members.map(({ id, response }) => [id, response]));
  const ends = new Map(members.map(({ id, tokenEnds }) => [id, tokenEnds]));
  const { nodes, isCut } = prefixTree(members, { ...options, maxNodes: MAX_NODES });
  const signals = new SignalCache(db, rollouts);
  // Only rollouts in the tree; a rollout without text has no path.
  const inTree = (ids: readonly number[]) => stepProfile(ids.flatMap((id) => rollouts[id] ?? []));
  const steps = inTree(members.map(({ id }) => id));
  return {
    rollouts: rollouts.map(({ runKey: _, ...rollout }) => rollout),
    nodes: nodes.map((node): ForkNode => {
      const own = (texts.get(node.members[0] ?? -1) ?? '').slice(node.start, node.end);
      const fork = node.children.length === 0 ? undefined : signals.meanAfter(node, ends);
      const isStepped = steps.length > 1 && node.members.length > 1;
      return {
        ...node,
        ...shortened(own),
        ...writersOf(transcripts[node.members[0] ?? -1]?.segments ?? [], node),
        ...(fork === undefined ? {} : { fork }),
        ...(isStepped ? { profile: inTree(node.members) } : {}),
      };
    }),
    steps,
    isCut,
    leftOut: total - rollouts.length,
  };
}

/** @returns undefined when the groups have no rollouts */
export function growActionTree(
  db: ReadableLibrary,
  groupIds: readonly number[],
  options: AlignOptions,
): ActionTree | undefined {
  const { rollouts, transcripts, total } = readRollouts(db, groupIds, options);
  if (total === 0) return undefined;
  const checkpoint = checkpointOf(options);
  const members = rollouts.flatMap((rollout, id) => {
    checkpoint();
    const transcript = transcripts[id];
    if (transcript === undefined) return [];
    const correctness = rollout.isCorrect === undefined ? {} : { isCorrect: rollout.isCorrect };
    const hasText = transcript.response !== '';
    return [{ id, hasText, actions: actionsOf(transcript), ...correctness }];
  });
  const { nodes, isCut } = actionTree(members, { ...options, maxNodes: MAX_NODES });
  const inTree = (ids: readonly number[]) => stepProfile(ids.flatMap((id) => rollouts[id] ?? []));
  const steps = inTree(members.map(({ id }) => id));
  const idle = members.filter(({ actions }) => actions.length === 0);
  return {
    rollouts: rollouts.map(({ runKey: _, ...rollout }) => rollout),
    nodes: nodes.map(({ action, ...node }): ActionNode => {
      const isStepped = steps.length > 1 && node.members.length > 1;
      return {
        ...node,
        ...(action === undefined ? {} : { action: shownAction(action) }),
        ...(isStepped ? { profile: inTree(node.members) } : {}),
      };
    }),
    steps,
    isCut,
    leftOut: total - rollouts.length,
    withoutActions: idle.length,
    withoutText: idle.filter(({ hasText }) => !hasText).length,
  };
}

/** @throws AlignmentCancelled */
function readRollouts(db: ReadableLibrary, groupIds: readonly number[], { isCancelled }: AlignOptions) {
  const { rollouts, total } = rolloutsOfGroups(db, groupIds, MAX_ROLLOUTS);
  const ids = rollouts.map(({ rolloutId }) => rolloutId);
  const transcripts = readTranscripts(new TranscriptReader(db), ids, isCancelled ? { isCancelled } : {});
  return { rollouts: rollouts.slice(0, transcripts.length), transcripts, total };
}

function shownAction(action: Action): NonNullable<ActionNode['action']> {
  const { turn: _, segment: __, ...shown } = actionSideOf(action);
  return shown;
}

function shortened(text: string): { readonly text: string; readonly omitted: number } {
  if (text.length <= HEAD + TAIL) return { text, omitted: 0 };
  // Avoid cutting a surrogate pair, which would show a character that is not in the text.
  const head = text.slice(0, HEAD).toWellFormed() === text.slice(0, HEAD) ? HEAD : HEAD - 1;
  const from = text.length - TAIL;
  const tail = text.slice(from).toWellFormed() === text.slice(from) ? from : from + 1;
  return { text: `${text.slice(0, head)}\u2026${text.slice(tail)}`, omitted: tail - head };
}

/** Nothing if the policy wrote all of a node's text, up to where it is cut. */
function writersOf(segments: readonly Segment[], { start, end }: TextRange): Pick<ForkNode, 'writers'> {
  const shown = end - start <= HEAD + TAIL ? end : start + HEAD;
  const passages = passagesOf(segments, { start, end: shown });
  if (passages.every(({ writer }) => writer === 'policy')) return {};
  return { writers: passages.map((passage) => ({ at: passage.start - start, writer: passage.writer })) };
}

type Signal = NonNullable<ReturnType<typeof getSignal>>;

/** Signals of the members. Each is read once, even if it occurs in many nodes. */
class SignalCache {
  private readonly db: ReadableLibrary;
  private readonly rollouts: readonly TreeRollout[];
  private readonly read = new Map<number, Signal | undefined>();

  constructor(db: ReadableLibrary, rollouts: readonly TreeRollout[]) {
    this.db = db;
    this.rollouts = rollouts;
  }

  /**
   * Mean at the first token after the node's text. Uses the most common source of the members, because
   * sources are never averaged.
   */
  meanAfter(node: PrefixNode, ends: ReadonlyMap<number, Uint32Array | undefined>): ForkNode['fork'] {
    const bySource = new Map<string, { signal: Signal; sum: number; rollouts: number }>();
    for (const member of node.members) {
      const signal = this.of(member);
      const token = tokenFrom(ends.get(member), node.end);
      const value = token === undefined ? undefined : signal?.values?.[token];
      if (signal?.source === undefined || value === undefined || Number.isNaN(value)) continue;
      const key = `${signal.signal} ${sourceKey(signal.source)}`;
      const sums = bySource.get(key) ?? { signal, sum: 0, rollouts: 0 };
      sums.sum += value;
      sums.rollouts += 1;
      bySource.set(key, sums);
    }
    const [most] = [...bySource.values()].sort((a, b) => b.rollouts - a.rollouts);
    if (most?.signal.signal === undefined || most.signal.source === undefined) return undefined;
    const { signal, source } = most.signal;
    return { signal, source, mean: most.sum / most.rollouts, rollouts: most.rollouts };
  }

  private of(member: number): Signal | undefined {
    if (!this.read.has(member)) {
      const rolloutId = this.rollouts[member]?.rolloutId;
      this.read.set(member, rolloutId === undefined ? undefined : getSignal(this.db, rolloutId));
    }
    return this.read.get(member);
  }
}

/** The first token that ends after `offset`, by binary search over ascending ends. */
function tokenFrom(ends: Uint32Array | undefined, offset: number): number | undefined {
  if (ends === undefined) return undefined;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low < ends.length ? low : undefined;
}
