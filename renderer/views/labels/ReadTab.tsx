/** Chooses the rollouts to read, their order and the reader. Start opens the first of them. */

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../data/DataProvider.tsx';
import { QUEUE_ORDERS, type QueueLink, type QueueOrder, writeQueue } from '../../data/labelsLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { fetchCached, useRequest } from '../../data/useRequest.ts';
import { navigateTo } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { KeyOf } from '../../shell/keys/Keys.tsx';
import { useInterface } from '../../state/interface.ts';
import { useLabelling } from '../../state/labelling.ts';
import { count, counted } from '../../ui/numbers.ts';
import type { LabelsScope } from './labelsScope.ts';

const ORDER_LABELS: Readonly<Record<QueueOrder, { readonly label: string; readonly hint: string }>> = {
  listed: { label: 'as listed', hint: 'By step, group and position in the group' },
  random: { label: 'random', hint: 'Drawn with the seed: the same seed gives everybody the same order' },
  stratified: {
    label: 'one of each group',
    hint: 'One rollout of every prompt group in turn, drawn with the seed',
  },
  disagreement: {
    label: 'reviewers disagree',
    hint: 'First rollouts that others label differently, then those that only one reviewed',
  },
};

export function ReadTab({ scope }: { readonly scope: LabelsScope }) {
  const reader = useLabelling((state) => state.reader);
  const setReader = useLabelling((state) => state.setReader);
  const [order, setOrder] = useState<QueueOrder>('listed');
  const [seed, setSeed] = useState('0');
  const [isBlind, setBlind] = useState(false);
  const [includesRead, setIncludesRead] = useState(false);
  const start = useRef<HTMLButtonElement>(null);
  const client = useClient();
  const queryClient = useQueryClient();
  const { setNotice } = useInterface.getState();
  useEffect(() => start.current?.focus(), []);
  const seedNumber = /^\d{1,10}$/.test(seed) && Number(seed) <= 0xffff_ffff ? Number(seed) : undefined;
  const usesSeed = order === 'random' || order === 'stratified';
  const author = reader.trim();
  const isReady = scope.isKnown && author !== '' && (!usesSeed || seedNumber !== undefined);
  const queue = useRequest(
    'label.queue',
    isReady
      ? { ...scope.params, author, order, seed: usesSeed ? (seedNumber ?? 0) : 0, includeRead: includesRead }
      : undefined,
    { keepPrevious: true },
  );
  const size = queue.data?.ids.length ?? 0;

  const begin = async () => {
    const first = queue.data?.ids[0];
    if (queue.data === undefined || first === undefined) return;
    const link: QueueLink = {
      ...(scope.run === undefined ? {} : { runKey: scope.run.runKey }),
      filter: scope.filter,
      order,
      seed: usesSeed ? (seedNumber ?? 0) : 0,
      isBlind,
      includesRead,
    };
    const text = writeQueue(link);
    useLabelling.getState().beginQueue(`${author} ${text}`, queue.data.ids);
    try {
      const { run, row } = await fetchCached(queryClient, client, 'rollout.get', { rolloutId: first });
      const { step, groupKey, ordinal } = row;
      const route = { view: 'rollout', runKey: run.runKey, step, groupKey, ordinal } as const;
      navigateTo(`${pathOfRoute(route)}?${new URLSearchParams({ queue: text })}`);
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };
  useCommands({ 'row.open': size > 0 ? () => void begin() : undefined });

  return (
    <div className="read-tab">
      <section>
        <h2>Review queue</h2>
        <p>
          {queue.error !== null ? (
            <span className="is-wrong">✕ {queue.error.message}</span>
          ) : queue.data === undefined ? (
            <span className="muted">{author === '' ? 'Enter a reviewer.' : 'Counting…'}</span>
          ) : (
            <>
              <b>{counted(size, 'rollout')}</b>
              {scope.run === undefined ? ' of all runs' : ` of ${scope.run.name}`}
              {scope.filter === '' ? '' : ' that match the filter'}.{' '}
              <span className="muted">
                Reviewed by {author}: {count(queue.data.read)} of {count(queue.data.total)}
                {queue.data.skipped > 0 && `, skipped ${count(queue.data.skipped)}`}
                {!includesRead && queue.data.read + queue.data.skipped > 0 && ', which are left out'}.
              </span>
            </>
          )}
        </p>
        {queue.data !== undefined && (
          <progress
            aria-label="Reviewed or skipped"
            value={queue.data.read + queue.data.skipped}
            max={Math.max(1, queue.data.total)}
          />
        )}
      </section>
      <section className="read-options">
        <label>
          <span>reviewer</span>
          <input
            type="text"
            value={reader}
            maxLength={200}
            aria-invalid={author === ''}
            onChange={(event) => setReader(event.target.value)}
          />
          <small className="dim">Labels and notes are saved under this name.</small>
        </label>
        <label>
          <span>order</span>
          <select
            value={order}
            onChange={(event) => setOrder(QUEUE_ORDERS.find((one) => one === event.target.value) ?? 'listed')}
          >
            {QUEUE_ORDERS.map((one) => (
              <option key={one} value={one}>
                {ORDER_LABELS[one].label}
              </option>
            ))}
          </select>
          <small className="dim">{ORDER_LABELS[order].hint}.</small>
        </label>
        {usesSeed && (
          <label>
            <span>seed</span>
            <input
              type="text"
              inputMode="numeric"
              value={seed}
              aria-invalid={seedNumber === undefined}
              onChange={(event) => setSeed(event.target.value)}
            />
            <small className={seedNumber === undefined ? 'is-wrong' : 'dim'}>
              A whole number up to 4,294,967,295.
            </small>
          </label>
        )}
        <label className="read-check">
          <input type="checkbox" checked={isBlind} onChange={(event) => setBlind(event.target.checked)} />
          <span>blind</span>
          <small className="dim">Hides reward, correctness, decisions and annotations of others.</small>
        </label>
        <label className="read-check">
          <input
            type="checkbox"
            checked={includesRead}
            onChange={(event) => setIncludesRead(event.target.checked)}
          />
          <span>include reviewed</span>
          <small className="dim">Rollouts I have already reviewed.</small>
        </label>
      </section>
      <p className="read-start">
        <button
          ref={start}
          type="button"
          className="button is-primary"
          disabled={size === 0 || queue.isPlaceholderData}
          onClick={() => void begin()}
        >
          Start review
        </button>
        <span className="muted">
          <KeyOf command="label.1" />–<KeyOf command="label.9" /> label, <KeyOf command="note.write" /> note,{' '}
          <KeyOf command="label.undo" /> undo, <KeyOf command="queue.skip" /> skip,{' '}
          <KeyOf command="queue.commit" /> next. Select text to label only that text.
        </span>
      </p>
    </div>
  );
}
