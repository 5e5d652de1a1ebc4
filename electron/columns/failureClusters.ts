/** Clusters of the incorrect rollouts of a filter by what they did. */
import type { FailureCluster, FailureClusters, FailureFeature } from '../../shared/api/contract.ts';
import { clusterSets } from '../../shared/domain/failureClusters.ts';
import { clusterName, type FailedCall, failureFeatures } from '../../shared/domain/failureFeatures.ts';
import { flagNames } from '../../shared/domain/flags.ts';
import { STOP_REASONS, TOOL_OUTCOMES } from '../../shared/domain/model.ts';
import { oddsRatio } from '../../shared/domain/oddsRatio.ts';
import { UNKNOWN_I32 } from '../storage/columnNames.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { errorTypes } from '../storage/queries/failedCalls.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import type { Matched } from './runOrder.ts';

const MOST_FEATURES = 20;

/** The incorrect rollouts with the same features. */
interface SameFeatures {
  readonly features: readonly string[];
  readonly members: Member[];
  count: number;
}

interface Member {
  readonly rolloutId: number;
  readonly groupId: number;
  readonly ordinal: number;
  /** Index into the steps. */
  readonly at: number;
}

export function failureClusters(
  db: ReadableLibrary,
  run: RunTable,
  matched: readonly Matched[],
  checkpoint: Checkpoint,
): FailureClusters {
  const parts = matched.filter(({ mask }) => mask.includes(1));
  const steps = parts.map(({ table }) => table.step);
  const byFeatures = new Map<string, SameFeatures>();
  let [rollouts, known, wrong] = [0, 0, 0];
  parts.forEach((part, at) => {
    checkpoint(at, parts.length + 1);
    const correct = part.table.column('isCorrect');
    for (let i = 0; i < correct.length; i++) {
      if (part.mask[i] !== 1) continue;
      rollouts++;
      if (correct[i] !== -1) known++;
      if (correct[i] === 0) wrong++;
    }
    addWrong(db, part, at, byFeatures);
  });
  // Clustering reports no share of its own, but can be cancelled.
  const stop = () => checkpoint(parts.length, parts.length + 1);
  const sets = [...byFeatures.values()];
  const { medoids, clusterOf, silhouette } = clusterSets(sets, stop);
  const setsOf = (cluster: number) => sets.filter((_, i) => clusterOf[i] === cluster);
  const sizes = medoids.map((_, cluster) => setsOf(cluster).reduce((sum, { count }) => sum + count, 0));
  // One rollout is not alike to anything, so it is listed with the rest, unless there is no cluster of more.
  const least = Math.min(2, Math.max(1, ...sizes));
  const isCluster = (cluster: number): boolean => (sizes[cluster] ?? 0) >= least;
  const totals = countFeatures(sets);
  const clusters = medoids.flatMap((medoid, cluster): FailureCluster[] => {
    if (!isCluster(cluster)) return [];
    const own = setsOf(cluster);
    const counts = countFeatures(own);
    const members = membersOf(own, steps.length);
    const size = members.ids.length;
    const { features = [], members: same = [] } = sets[medoid] ?? {};
    const common = features.filter((feature) => 2 * (counts.get(feature) ?? 0) >= size);
    return [
      {
        ...members,
        name: clusterName(common),
        medoid: addressOf(run, steps, same),
        features: distinguishing(counts, size, totals, wrong),
      },
    ];
  });
  return {
    ...{ rollouts, known, wrong, steps },
    ...(silhouette === undefined ? {} : { silhouette }),
    clusters: toldApart(clusters),
    unlike: membersOf(
      sets.filter((_, i) => !isCluster(clusterOf[i] ?? -1)),
      steps.length,
    ),
  };
}

/**
 * Adds to equal names the feature of at least half of the cluster that tells it best from those with the same name, or
 * else the one that it lacks.
 */
function toldApart(clusters: readonly FailureCluster[]): readonly FailureCluster[] {
  const shareIn = ({ features, ids }: FailureCluster, feature: string): number =>
    (features.find((one) => one.feature === feature)?.inside ?? 0) / ids.length;
  return clusters.map((cluster) => {
    const { name, features } = cluster;
    const alike = clusters.filter((other) => other !== cluster && other.name === name);
    if (alike.length === 0) return cluster;
    const had = features.flatMap(({ feature }) => {
      const share = shareIn(cluster, feature);
      const apart = Math.min(...alike.map((other) => share - shareIn(other, feature)));
      return share >= 0.5 && apart > 0 ? [{ words: feature, apart }] : [];
    });
    const lacked = alike[0]?.features.flatMap(({ feature }) => {
      const share = shareIn(cluster, feature);
      const least = Math.min(...alike.map((other) => shareIn(other, feature)));
      return share < 0.5 && least >= 0.5 ? [{ words: `not ${feature}`, apart: least - share }] : [];
    });
    const [best] = (had.length > 0 ? had : (lacked ?? [])).sort((one, other) => other.apart - one.apart);
    return best === undefined ? cluster : { ...cluster, name: `${name} (${best.words})` };
  });
}

function addWrong(
  db: ReadableLibrary,
  { table, mask }: Matched,
  at: number,
  byFeatures: Map<string, SameFeatures>,
): void {
  const [correct, rolloutId] = [table.column('isCorrect'), table.column('rolloutId')];
  const isWrong = mask.map((matches, i) => (matches === 1 && correct[i] === 0 ? 1 : 0));
  if (!isWrong.includes(1)) return;
  const calls = callsOf(db, table, isWrong);
  const [groupId, ordinal] = [table.column('groupId'), table.column('ordinal')];
  const [answer, answers] = [table.column('answer'), table.dictionary('answer')];
  const [turns, toolCalls] = [table.column('turns'), table.column('toolCalls')];
  const [stopReason, flags] = [table.column('stopReason'), table.column('flags')];
  for (let i = 0; i < isWrong.length; i++) {
    if (isWrong[i] === 0) continue;
    const features = failureFeatures({
      calls: calls.get(i) ?? (knownCount(toolCalls[i]) === undefined ? undefined : []),
      turns: knownCount(turns[i]),
      toolCalls: knownCount(toolCalls[i]),
      answer: answers[(answer[i] ?? 0) - 1],
      stopReason: STOP_REASONS[(stopReason[i] ?? 0) - 1],
      flags: flagNames(knownCount(flags[i]) ?? 0),
    });
    const key = features.join('\n');
    const same = byFeatures.get(key) ?? { features, members: [], count: 0 };
    byFeatures.set(key, same);
    same.count++;
    same.members.push({
      ...{ rolloutId: rolloutId[i] ?? 0, groupId: groupId[i] ?? 0, ordinal: ordinal[i] ?? 0, at },
    });
  }
}

const knownCount = (value: number | undefined): number | undefined =>
  value === undefined || value === UNKNOWN_I32 ? undefined : value;

/** Calls by index of the rollout, for those that are incorrect and have any. */
function callsOf(
  db: ReadableLibrary,
  table: Matched['table'],
  isWrong: Uint8Array,
): ReadonlyMap<number, readonly FailedCall[]> {
  const [rollout, outcome] = [table.column('callRollout'), table.column('callOutcome')];
  const [name, names] = [table.column('callName'), table.dictionary('callName')];
  const rolloutId = table.column('rolloutId');
  const indexOf = new Map<number, number>();
  rolloutId.forEach((id, i) => {
    if (isWrong[i] === 1) indexOf.set(id, i);
  });
  const errors = errorTypes(db, table, (id) => indexOf.has(id));
  const calls = new Map<number, FailedCall[]>();
  for (let call = 0; call < rollout.length; call++) {
    const i = rollout[call] ?? 0;
    if (isWrong[i] !== 1) continue;
    const own = calls.get(i) ?? [];
    calls.set(i, own);
    own.push({
      tool: names[(name[call] ?? 0) - 1],
      outcome: TOOL_OUTCOMES[outcome[call] ?? 0] ?? 'missing',
      error: errors.get(rolloutId[i] ?? 0)?.get(own.length),
    });
  }
  return calls;
}

function countFeatures(sets: readonly SameFeatures[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { features, count } of sets)
    for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + count);
  return counts;
}

/** The lower bound of the odds ratio, descending; without other rollouts, the count. */
function distinguishing(
  counts: ReadonlyMap<string, number>,
  size: number,
  totals: ReadonlyMap<string, number>,
  wrong: number,
): readonly FailureFeature[] {
  const others = wrong - size;
  return [...counts]
    .map(([feature, inside]): FailureFeature => {
      const outside = (totals.get(feature) ?? 0) - inside;
      const odds = others === 0 ? undefined : oddsRatio(inside, size, outside, others);
      return { feature, inside, outside, ...(odds === undefined ? {} : { odds }) };
    })
    .sort(
      (a, b) =>
        (b.odds?.low ?? b.inside) - (a.odds?.low ?? a.inside) ||
        b.inside - a.inside ||
        (a.feature < b.feature ? -1 : 1),
    )
    .slice(0, MOST_FEATURES);
}

/** The first in log order, whose features are the medoid's. */
function addressOf(run: RunTable, steps: readonly number[], same: readonly Member[]) {
  const [first] = same;
  if (first === undefined) throw new Error('a medoid has no rollout');
  return {
    rolloutId: first.rolloutId,
    step: steps[first.at] ?? 0,
    groupKey: run.groups().get(first.groupId)?.groupKey ?? '',
    ordinal: first.ordinal,
  };
}

function membersOf(sets: readonly SameFeatures[], steps: number) {
  const members = sets.flatMap((set) => set.members);
  const byStep = new Uint32Array(steps);
  for (const { at } of members) byStep[at] = (byStep[at] ?? 0) + 1;
  const inOrder = members.sort((a, b) => a.at - b.at || a.groupId - b.groupId || a.ordinal - b.ordinal);
  return { ids: Uint32Array.from(inOrder, ({ rolloutId }) => rolloutId), byStep };
}
