/** Where the runs of a comparison are looked up: in this library and in others that are open. */
import { useMemo } from 'react';
import type { RunSummary } from '../../../../shared/api/contract.ts';
import { useLibraries, useRunsOf } from '../../../data/otherLibraries.ts';
import { useRequest } from '../../../data/useRequest.ts';
import type { RunRef } from './overviewLink.ts';

export interface RunLists {
  listOf(ref: RunRef): readonly RunSummary[] | undefined;
  /** Of the library of a run that is not of this one. */
  nameOf(ref: RunRef): string | undefined;
  /** Runs that are not to be had, and why. */
  readonly missing: readonly string[];
}

export function useRunLists(refs: readonly RunRef[]): RunLists {
  const own = useRequest('run.list', refs.length === 0 ? undefined : {}).data;
  const libraries = useLibraries();
  const others = useMemo(() => [...new Set(refs.flatMap(({ library }) => library ?? []))].sort(), [refs]);
  const open = useMemo(
    () => others.filter((id) => libraries?.some((one) => one.id === id && one.isOpen) === true),
    [others, libraries],
  );
  const lists = useRunsOf(open);
  const stamp = lists.map(({ runs }) => runs);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers themselves, not the array they come in
  return useMemo(() => {
    const listOf = ({ library }: RunRef) =>
      library === undefined ? own : lists.find((one) => one.library === library)?.runs;
    const nameOf = ({ library }: RunRef) =>
      library === undefined ? undefined : (libraries?.find(({ id }) => id === library)?.name ?? library);
    const missing = refs.flatMap((ref) => {
      const { runKey, library } = ref;
      const list = listOf(ref);
      if (list?.some((run) => run.runKey === runKey) === true) return [];
      if (library === undefined) return list === undefined ? [] : [`${runKey} is not in this library`];
      if (libraries !== undefined && !open.includes(library))
        return [`${runKey} is in the library ${library}, which is not open`];
      return list === undefined ? [] : [`${runKey} is not in the library ${library}`];
    });
    return { listOf, nameOf, missing };
  }, [refs, own, libraries, open, ...stamp, stamp.length]);
}
