/** All annotations, including those whose text or rollout no longer exists. */

import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AnnotationRow } from '../../../shared/api/contract.ts';
import { useTaxonomy } from '../../data/annotations.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { KeyOf } from '../../shell/keys/Keys.tsx';
import { useInterface } from '../../state/interface.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { annotationColumns } from './annotationColumns.tsx';
import type { LabelsScope } from './labelsScope.ts';
import { listedAuthors } from './listedAuthors.ts';

const CHUNK = 100;
const SORTS = [
  { id: 'latest', label: 'latest first' },
  { id: 'place', label: 'by position' },
] as const;

const ALL = '';
const STATES = ['exact', 'moved', 'orphaned', 'unattached'] as const;

export function AnnotationsTab({ scope }: { readonly scope: LabelsScope }) {
  const [query, setQuery] = useUrlQuery();
  const taxonomy = useTaxonomy();
  const authors = useRequest('annotation.authors', {}).data ?? [];
  const counts = useRequest('taxonomy.get', {}).data?.counts ?? [];
  const sort = query.get('sort') === 'place' ? 'place' : 'latest';
  const label = query.get('label') ?? ALL;
  const author = query.get('by') ?? ALL;
  const state = STATES.find((one) => one === query.get('state'));
  const order = useRequest(
    'annotation.order',
    scope.isKnown
      ? {
          ...scope.params,
          sort,
          ...(label === ALL ? {} : { labels: [label] }),
          ...(author === ALL ? {} : { author }),
          ...(state === undefined ? {} : { states: [state] }),
        }
      : undefined,
    { keepPrevious: true },
  );
  const ids = order.data?.ids;
  const [range, setRange] = useState({ first: 0, end: CHUNK });
  const rowAt = useRows(ids, range);
  const table = useTableCommands();
  const { setNotice } = useInterface.getState();
  const columns = useMemo(() => annotationColumns(taxonomy), [taxonomy]);
  if (order.error !== null)
    return (
      <FailedState
        title="Annotations could not be listed"
        error={order.error}
        onRetry={() => void order.refetch()}
      />
    );
  if (ids === undefined) return <WaitingState title="Loading annotations…" />;
  const isNarrowed = label !== ALL || author !== ALL || state !== undefined || scope.filter !== '';
  return (
    <>
      <div className="labels-scope">
        <select
          aria-label="Label"
          value={label}
          onChange={(event) => setQuery({ label: event.target.value || undefined })}
        >
          <option value={ALL}>any label, or none</option>
          {counts.map((one) => (
            <option key={one.label} value={one.label}>
              {plainLogText(taxonomy?.labels.find(({ id }) => id === one.label)?.name ?? one.label)} (
              {one.annotations})
            </option>
          ))}
        </select>
        <select
          aria-label="Author"
          value={author}
          onChange={(event) => setQuery({ by: event.target.value || undefined })}
        >
          <option value={ALL}>any author</option>
          {listedAuthors(authors, (one) => one.author === author).map((one) => (
            <option key={one.author} value={one.author}>
              {plainLogText(one.author)} ({one.annotations})
            </option>
          ))}
        </select>
        <select
          aria-label="State"
          value={state ?? ALL}
          onChange={(event) => setQuery({ state: event.target.value || undefined })}
        >
          <option value={ALL}>any state</option>
          <option value="exact">in place</option>
          <option value="moved">moved</option>
          <option value="orphaned">orphaned: their text is gone</option>
          <option value="unattached">unattached: rollout not in this library</option>
        </select>
        <Segmented
          label="Order"
          chosen={sort}
          onChoose={(chosen) => setQuery({ sort: chosen })}
          choices={SORTS}
        />
        <span className="muted">{counted(ids.length, 'annotation')}</span>
      </div>
      {ids.length === 0 ? (
        <EmptyState title={isNarrowed ? 'No annotation matches' : 'No labels or notes yet'}>
          <p>
            In a replay <KeyOf command="label.1" />–<KeyOf command="label.9" /> label the rollout or the
            selected text, and <KeyOf command="note.write" /> writes a note.
          </p>
        </EmptyState>
      ) : (
        <div className="page-list">
          <VirtualTable
            handle={table}
            label="Annotations"
            columns={columns}
            count={ids.length}
            rowAt={rowAt}
            isQuiet={({ place }) => place === undefined || place.state === 'orphaned'}
            onWindow={setRange}
            onOpen={(row) => {
              const path = pathOf(row);
              if (path === undefined) setNotice('Its rollout is not in this library');
              else navigateTo(path);
            }}
          />
        </div>
      )}
    </>
  );
}

/** Path of its rollout, with the turn if the annotation is about one. */
function pathOf({ place, rollout, target }: AnnotationRow): string | undefined {
  if (place === undefined) return undefined;
  const { group: groupKey, ordinal } = rollout;
  const path = pathOfRoute({ view: 'rollout', runKey: place.runKey, step: place.step, groupKey, ordinal });
  return target.kind === 'turn' ? `${path}?turn=${target.turn}` : path;
}

/** Rows of the visible window, in aligned chunks. */
function useRows(
  ids: Uint32Array | undefined,
  range: { readonly first: number; readonly end: number },
): (index: number) => AnnotationRow | undefined {
  const client = useClient();
  const firsts: number[] = [];
  const size = ids?.length ?? 0;
  for (let at = Math.floor(range.first / CHUNK) * CHUNK; at < Math.min(range.end, size); at += CHUNK)
    firsts.push(at);
  const results = useQueries({
    queries: firsts.map((first) => {
      const annotationNos = Array.from(ids?.subarray(first, first + CHUNK) ?? []);
      return {
        queryKey: ['annotation.rows', { annotationNos }] as const,
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          client.request('annotation.rows', { annotationNos }, { signal }),
      };
    }),
  });
  const rows = new Map(
    results.flatMap(({ data }) => data ?? []).map((row) => [row.annotationNo, row] as const),
  );
  return (index) => rows.get(ids?.[index] ?? -1);
}
