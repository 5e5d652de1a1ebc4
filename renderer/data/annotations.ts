/** Annotations: requests, changes, and updates of the cache. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AppliedChanges, Label, ParamsOf, ResultOf, Taxonomy } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { requestKey, useRequest } from './useRequest.ts';

export type AnnotationChange = ParamsOf<'annotation.apply'>['changes'][number];

/** All annotations of a rollout. Undefined while loading. */
export function useAnnotations(rolloutId: number | undefined): ResultOf<'annotation.list'> | undefined {
  return useRequest('annotation.list', rolloutId === undefined ? undefined : { rolloutId }).data;
}

export function useTaxonomy(): Taxonomy | undefined {
  return useRequest('taxonomy.get', {}).data?.taxonomy;
}

/** A label by its id. If the taxonomy no longer has it, the id is its name. */
export function labelOf(taxonomy: Taxonomy | undefined, id: string): Label {
  const known = taxonomy?.labels.find((one) => one.id === id);
  return known ?? { id, name: id, colour: 'grey', description: 'not in the taxonomy of this library' };
}

export interface Annotate {
  readonly apply: (author: string, changes: readonly AnnotationChange[]) => Promise<AppliedChanges>;
  /** Undoes this author's last step. Later changes by others are kept. */
  readonly undo: (author: string) => Promise<AppliedChanges>;
  readonly redo: (author: string) => Promise<AppliedChanges>;
}

/** When a promise resolves, the change is on disk and in the cache. */
export function useAnnotate(): Annotate {
  const client = useClient();
  const queryClient = useQueryClient();
  return useMemo(() => {
    const into = async <T extends AppliedChanges>(author: string, answer: Promise<T>): Promise<T> => {
      const applied = await answer;
      cacheApplied(queryClient, author, applied);
      return applied;
    };
    return {
      apply: (author, changes) =>
        into(author, client.request('annotation.apply', { author, changes: [...changes] })),
      undo: (author) => into(author, client.request('annotation.undo', { author })),
      redo: (author) => into(author, client.request('annotation.redo', { author })),
    };
  }, [client, queryClient]);
}

/** The response contains what this page shows. The event that follows refreshes the rest, in every window. */
function cacheApplied(queryClient: QueryClient, author: string, applied: AppliedChanges): void {
  for (const { rolloutId, ...annotations } of applied.rollouts)
    queryClient.setQueryData(requestKey('annotation.list', { rolloutId }), annotations);
  queryClient.setQueryData(requestKey('annotation.history', { author }), applied.history);
}

/** Annotation fields of the filter language. Other filters do not depend on annotations. */
const OF_ANNOTATIONS = /\b(?:label|note|author|severity|read|rerun)\s*:/i;

const ANSWERS = new Set<unknown>([
  'annotation.list',
  'rerun.list',
  'annotation.order',
  'annotation.rows',
  'annotation.history',
  'annotation.agreement',
  'annotation.report',
  'annotation.conflicts',
  'annotation.authors',
  'taxonomy.get',
  'label.queue',
  'pack.preview',
  // Rows contain their labels.
  'rollout.rows',
  // Groups of a problem and pairs of rollouts contain labels.
  'problem.history',
  'problem.changes',
]);

/** Whether cached data may be stale after annotations have changed. */
export function isOfAnnotations(queryKey: readonly unknown[]): boolean {
  const [method, params] = queryKey;
  if (ANSWERS.has(method)) return true;
  const filter =
    typeof params === 'object' && params !== null && 'filter' in params ? params.filter : undefined;
  return typeof filter === 'string' && OF_ANNOTATIONS.test(filter);
}

/** @param revision of the change; data that includes it is not refetched. Default: everything is refetched */
export function annotationsChanged(
  queryClient: QueryClient,
  revision = Number.POSITIVE_INFINITY,
): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey, state }) => isOfAnnotations(queryKey) && !(revisionOf(state.data) >= revision),
  });
}

function revisionOf(answer: unknown): number {
  const has = typeof answer === 'object' && answer !== null && 'revision' in answer;
  return has && typeof answer.revision === 'number' ? answer.revision : Number.NEGATIVE_INFINITY;
}
