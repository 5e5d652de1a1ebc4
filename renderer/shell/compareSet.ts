/** Rollouts gathered from any list, to be seen side by side. */

import { comparePath, MOST_LANES, rolloutRouteOf } from '../data/compareLink.ts';
import { useInterface } from '../state/interface.ts';
import { useCommands } from './keys/commands.ts';
import { keyWord } from './keys/keysInForce.ts';

/** Adds a rollout to the compare set, or takes it out again, and says so. */
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
      `${name} added to comparison · ${next.length === 1 ? 'add another' : `${keyWord('compare.open')} opens the ${next.length}`}`,
    );
  }
}

/** `c` for the rollout under the cursor, or the one that is open. @param pathOf undefined: there is none at present */
export function useCompareCommand(pathOf: () => string | undefined): void {
  useCommands({
    'compare.add': () => {
      const path = pathOf();
      if (path !== undefined) flipInCompareSet(path);
    },
  });
}

/** What a list says of a rollout that is in the compare set; undefined for all others. */
export function useCompareMark(): (path: string | undefined) => string | undefined {
  const set = useInterface((state) => state.compareSet);
  return (path) =>
    path !== undefined && set.includes(path)
      ? `in comparison: ${set.indexOf(path) + 1} of ${set.length} (${keyWord('compare.add')} removes it, ${keyWord('compare.open')} opens it)`
      : undefined;
}

/** Where `x` leads: what was gathered, else the comparison as it was left. */
export function compareTarget(set: readonly string[], queryLeft: string): string | undefined {
  if (set.length > 0) return comparePath(set);
  return queryLeft === '' ? undefined : `/compare${queryLeft}`;
}
