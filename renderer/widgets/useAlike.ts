/** From a rollout to similar ones: opens the list, or compares with the nearest one of the opposite outcome. */
import { CancelledError, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { AlikeRollout } from '../../shared/api/contract.ts';
import { comparePath } from '../data/compareLink.ts';
import { useClient } from '../data/DataProvider.tsx';
import { pathOfRoute, type RolloutRoute } from '../data/route.ts';
import { fetchCached } from '../data/useRequest.ts';
import { goTo, navigateTo } from '../data/useRoute.ts';
import { useCommands } from '../shell/keys/commands.ts';
import { keyWord } from '../shell/keys/keysInForce.ts';
import { useInterface } from '../state/interface.ts';

/** As many as the page lists, since the nearest failure may be far down. */
export const ALIKE_LIMIT = 512;

/** The most similar rollout of the opposite correctness, or undefined if none exists. */
export function counterpart(isCorrect: boolean, rollouts: readonly AlikeRollout[]): AlikeRollout | undefined {
  return rollouts.find((other) => other.isCorrect === !isCorrect);
}

export const alikePath = ({ runKey, step, groupKey, ordinal }: AlikeRollout): string =>
  pathOfRoute({ view: 'rollout', runKey, step, groupKey, ordinal });

interface AlikeActions {
  readonly showAlike: () => void;
  /** Undefined while the rollout's correctness is unknown. */
  readonly compareCounterpart: (() => void) | undefined;
}

export function useAlike(
  route: RolloutRoute,
  row: { readonly rolloutId: number; readonly isCorrect?: boolean } | undefined,
): AlikeActions {
  const client = useClient();
  const queryClient = useQueryClient();
  const { runKey, step, groupKey, ordinal } = route;
  const { setNotice } = useInterface.getState();
  const isCorrect = row?.isCorrect;
  /** Key of the running search. Its result is ignored if the view has unmounted or the search was stopped. */
  const wantedKey = useRef<readonly unknown[]>(undefined);
  useEffect(
    () => () => {
      wantedKey.current = undefined;
    },
    [],
  );
  const compareCounterpart = async () => {
    const running = wantedKey.current;
    if (running !== undefined) {
      wantedKey.current = undefined;
      await queryClient.cancelQueries({ queryKey: running });
      setNotice('Search stopped');
      return;
    }
    if (row === undefined || isCorrect === undefined) {
      setNotice(`Correctness of this rollout is unknown: ${keyWord('alike.show')} lists similar rollouts`);
      return;
    }
    const wanted = isCorrect ? 'incorrect' : 'correct';
    const params = { rolloutId: row.rolloutId, limit: ALIKE_LIMIT };
    const key = ['compare.alike', params] as const;
    wantedKey.current = key;
    const isWanted = () => wantedKey.current === key;
    setNotice(
      `Searching ${groupKey} for the most similar ${wanted} rollout… (${keyWord('alike.compare')} again stops)`,
    );
    try {
      const { rollouts, considered, total } = await fetchCached(queryClient, client, 'compare.alike', params);
      if (!isWanted()) return;
      wantedKey.current = undefined;
      const found = counterpart(isCorrect, rollouts);
      if (found === undefined) {
        setNotice(
          `None of the ${considered} of ${total} other rollouts of ${groupKey} compared is ${wanted}`,
        );
        return;
      }
      setNotice(undefined);
      navigateTo(
        comparePath([pathOfRoute({ view: 'rollout', runKey, step, groupKey, ordinal }), alikePath(found)]),
      );
    } catch (error) {
      if (error instanceof CancelledError || !isWanted()) return;
      wantedKey.current = undefined;
      setNotice(`Not compared: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const actions: AlikeActions = {
    showAlike: () => goTo({ view: 'alike', runKey, step, groupKey, ordinal }),
    compareCounterpart: isCorrect === undefined ? undefined : () => void compareCounterpart(),
  };
  useCommands({
    'alike.show': actions.showAlike,
    'alike.compare': () => void compareCounterpart(),
  });
  return actions;
}
