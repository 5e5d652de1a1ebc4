/** The compare set: rollouts from any list, to be compared side by side. */

import { comparePath, MOST_LANES, rolloutRouteOf } from '../data/compareLink.ts';
import { useInterface } from '../state/interface.ts';
import { useCommands } from './keys/commands.ts';
import { keyWord } from './keys/keysInForce.ts';

/** Adds a rollout to the compare set, or removes it, and shows a notice. */
export function flipInCompareSet(path: string): void {
  const route = rolloutRouteOf(path);
  if (route === undefined) return;
  const { compareSet, setCompareSet, setNotice } = useInterface.getState();
  const name = `${route.groupKey} #${route.ordinal}`;
  if (compareSet.includes(path)) {
    const rest = compareSet.filter((one) => one !== path);
    setCompareSet(rest);
    setNotice(`${name} removed from comparison · ${rest.length} left`);
  } else if (compareSet.length >= MOST_LANES) {
    setNotice(
      `A comparison has four rollouts at most: ${keyWord('compare.open')} opens it, ${keyWord('compare.add')} on one of them removes it`,
    );
  } else {
    const next = [...compareSet, path];
    setCompareSet(next);
    setNotice(
      `${name} added to comparison · ${next.length === 1 ? 'add another' : `${keyWord('compare.open')} compares ${next.length}`}`,
    );
  }
}

/**
 * Registers `c` for the rollout under the cursor, or for the open one.
 * @param pathOf undefined: not available now
 */
export function useCompareCommand(pathOf: () => string | undefined): void {
  useCommands({
    'compare.add': () => {
      const path = pathOf();
      if (path !== undefined) flipInCompareSet(path);
    },
  });
}

/** Title for rollouts that are in the compare set. Undefined for all others. */
export function useCompareMark(): (path: string | undefined) => string | undefined {
  const set = useInterface((state) => state.compareSet);
  return (path) =>
    path !== undefined && set.includes(path)
      ? `in comparison: ${set.indexOf(path) + 1} of ${set.length} (${keyWord('compare.add')} removes it, ${keyWord('compare.open')} opens it)`
      : undefined;
}

/** The target of `x`: the compare set, else the last comparison. */
export function compareTarget(set: readonly string[], queryLeft: string): string | undefined {
  if (set.length > 0) return comparePath(set);
  return queryLeft === '' ? undefined : `/compare${queryLeft}`;
}
