/**
 * Steps through a review queue. Its order is fetched once and kept: reviewed rollouts drop out of later responses,
 * which would make the queue jump. Progress is always the host's latest count.
 */

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type { ParamsOf, RolloutDetail } from '../../../../shared/api/contract.ts';
import { useAnnotate } from '../../../data/annotations.ts';
import { useClient } from '../../../data/DataProvider.tsx';
import { notSaved } from '../../../data/failures.ts';
import { type QueueLink, readQueue } from '../../../data/labelsLink.ts';
import { pathOfRoute } from '../../../data/route.ts';
import { fetchCached, useRequest } from '../../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../../data/useRoute.ts';
import { useInterface } from '../../../state/interface.ts';
import { useLabelling } from '../../../state/labelling.ts';
import { keyChain } from './actionChain.ts';

export interface Queue {
  readonly link: QueueLink;
  readonly reader: string;
  /** Position from 1. Undefined: this rollout is not in the queue. */
  readonly at: number | undefined;
  readonly size: number;
  /** Rollouts in the reader's queue, reviewed ones included. */
  readonly total: number | undefined;
  readonly read: number | undefined;
  readonly skipped: number | undefined;
  readonly isWaiting: boolean;
  readonly error: Error | null;
  /** Resolves once the other rollout is shown. */
  readonly step: (by: 1 | -1) => Promise<void>;
  readonly commit: (verdict: 'read' | 'skipped') => Promise<void>;
}

/** @param text `?queue=` of the URL; null: no queue is being reviewed */
export function useQueue(text: string | null, detail: RolloutDetail): Queue | undefined {
  const link = readQueue(text);
  const reader = useLabelling((state) => state.reader);
  const key = `${reader} ${text}`;
  const kept = useLabelling((state) => state.queues[key]);
  const { beginQueue } = useLabelling.getState();
  const runs = useRequest('run.list', link?.runKey === undefined ? undefined : {}).data;
  const runId = runs?.find((run) => run.runKey === link?.runKey)?.runId;
  const isKnown = link !== undefined && (link.runKey === undefined || runId !== undefined);
  const isGone = link?.runKey !== undefined && runs !== undefined && runId === undefined;
  const answer = useRequest('label.queue', isKnown ? questionOf(link, runId, reader) : undefined, {
    keepPrevious: true,
  });
  const found = answer.isPlaceholderData ? undefined : answer.data;
  useEffect(() => {
    if (found !== undefined && kept === undefined) beginQueue(key, found.ids);
  }, [found, kept, key, beginQueue]);

  const client = useClient();
  const queryClient = useQueryClient();
  const annotate = useAnnotate();
  const openRollout = useOpenRollout();
  const { setNotice } = useInterface.getState();
  const ids = kept ?? found?.ids;
  const { rolloutId } = detail.row;
  const index = ids?.indexOf(rolloutId) ?? -1;
  const next = ids?.[index + 1];
  useEffect(() => {
    // Prefetch the next rollout, so that Enter shows it at once.
    if (next !== undefined)
      void fetchCached(queryClient, client, 'rollout.get', { rolloutId: next }).catch(() => undefined);
  }, [next, queryClient, client]);
  const isOn = link !== undefined;
  useEffect(() => {
    if (!isOn) return;
    // A clicked button would capture Enter, which in a queue opens the next rollout. A button reached with Tab keeps
    // the focus.
    const release = (event: MouseEvent) => {
      const { activeElement } = document;
      if (event.detail > 0 && activeElement instanceof HTMLElement && activeElement.matches('.replay button'))
        activeElement.blur();
    };
    window.addEventListener('click', release);
    return () => window.removeEventListener('click', release);
  }, [isOn]);
  if (link === undefined || text === null) return undefined;

  const step = async (by: 1 | -1) => {
    // If the current rollout is not in the queue, both directions lead to the first one.
    const to = index < 0 ? ids?.[0] : ids?.[index + by];
    if (to === undefined) {
      const end = by === 1 ? 'The end of the queue' : 'The beginning of the queue';
      setNotice(index < 0 ? 'This queue is empty' : end);
      return;
    }
    try {
      await openRollout(to);
      await keyChain.shown(to);
    } catch (error) {
      keyChain.giveUp();
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };
  const commit = async (verdict: 'read' | 'skipped') => {
    if (index < 0) return step(1);
    try {
      await annotate.apply(reader, [{ read: rolloutId, verdict }]);
    } catch (error) {
      keyChain.giveUp();
      setNotice(notSaved(error));
      return;
    }
    await step(1);
  };
  return {
    link,
    reader,
    at: index < 0 ? undefined : index + 1,
    size: ids?.length ?? 0,
    total: answer.data?.total,
    read: answer.data?.read,
    skipped: answer.data?.skipped,
    isWaiting: ids === undefined && answer.error === null && !isGone,
    error: isGone ? new Error(`no run ${link.runKey} in this library`) : answer.error,
    step,
    commit,
  };
}

function questionOf(
  { filter, order, seed, includesRead, rolloutIds }: QueueLink,
  runId: number | undefined,
  author: string,
): ParamsOf<'label.queue'> {
  return {
    author,
    filter,
    order,
    seed,
    includeRead: includesRead,
    ...(runId === undefined ? {} : { runId }),
    ...(rolloutIds === undefined ? {} : { rolloutIds: [...rolloutIds] }),
  };
}

/** Opens a rollout by id. Keeps the review queue in the URL. */
export function useOpenRollout(): (rolloutId: number) => Promise<void> {
  const client = useClient();
  const queryClient = useQueryClient();
  const [query] = useUrlQuery();
  const queue = query.get('queue');
  return useCallback(
    async (rolloutId: number) => {
      const { run, row } = await fetchCached(queryClient, client, 'rollout.get', { rolloutId });
      const { step, groupKey, ordinal } = row;
      const path = pathOfRoute({ view: 'rollout', runKey: run.runKey, step, groupKey, ordinal });
      navigateTo(queue === null ? path : `${path}?${new URLSearchParams({ queue })}`);
    },
    [client, queryClient, queue],
  );
}
