/** The next rollout of a list is asked for when its key is pressed, so its answer can be late. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { listSearch, readList } from '../../renderer/data/rolloutListLink.ts';
import { useNeighbourRollout } from '../../renderer/data/useNeighbours.ts';
import { useSiblings } from '../../renderer/views/replay/useSiblings.ts';
import type { ParamsOf, RolloutRow } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

it.each([
  ['leads there', '/run/a', [8]],
  ['leads nowhere once another page is open', '/compare', []],
])('%s', async (_, place, expected) => {
  const reached: number[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const client = createFakeClient({
    'rollout.rows': async () => {
      await answered;
      return [{ rolloutId: 8 } as RolloutRow];
    },
  });
  function Next() {
    const go = useNeighbourRollout(Uint32Array.of(7, 8), 7);
    return (
      <button type="button" onClick={() => go(1, ({ rolloutId }) => reached.push(rolloutId))}>
        next
      </button>
    );
  }
  renderWithClient(client, <Next />, '/run/a');
  fireEvent.click(screen.getByRole('button', { name: 'next' }));
  history.pushState(undefined, '', place);
  answer();
  // What follows the answer runs before the next task.
  await new Promise((resolve) => setTimeout(resolve));
  expect(reached).toEqual(expected);
});

it.each([
  ['leads there when the key was pressed before the list was known', '/run/a', [9]],
  ['leads nowhere when another page was opened before the list was known', '/compare', []],
])('%s', async (_, place, expected) => {
  const reached: number[] = [];
  const client = createFakeClient({
    'rollout.rows': ({ rolloutIds }) => [{ rolloutId: rolloutIds[0] } as RolloutRow],
  });
  function Next() {
    const [ids, setIds] = useState<Uint32Array>();
    const go = useNeighbourRollout(ids, 7);
    return (
      <>
        <button type="button" onClick={() => go(1, ({ rolloutId }) => reached.push(rolloutId))}>
          next
        </button>
        <button type="button" onClick={() => setIds(Uint32Array.of(7, 8, 9))}>
          list
        </button>
      </>
    );
  }
  renderWithClient(client, <Next />, '/run/a');
  fireEvent.click(screen.getByRole('button', { name: 'next' }));
  fireEvent.click(screen.getByRole('button', { name: 'next' }));
  history.pushState(undefined, '', place);
  fireEvent.click(screen.getByRole('button', { name: 'list' }));
  await new Promise((resolve) => setTimeout(resolve));
  expect(reached).toEqual(expected);
});

describe('the rollouts beside the open one', () => {
  const GROUP = Uint32Array.of(10, 11, 12, 13);
  const route = { view: 'rollout', runKey: 'r', step: 3, groupKey: 'g', ordinal: 2 } as const;
  const row = { rolloutId: 12, step: 3, groupId: 7, ordinal: 2 } as RolloutRow;
  const asked: ParamsOf<'rollout.order'>[] = [];

  function show(search: string, listed = Uint32Array.of(11, 12, 20)) {
    asked.length = 0;
    const client = createFakeClient({
      'rollout.order': (params) => {
        asked.push(params);
        return { runId: 1, ids: params.filter === undefined ? GROUP : listed };
      },
      'rollout.rows': ({ rolloutIds }) => [
        { rolloutId: rolloutIds[0], step: 4, groupKey: 'other', ordinal: 0 } as RolloutRow,
      ],
    });
    function Header() {
      const list = readList(new URLSearchParams(search).get('list'));
      const siblings = useSiblings(route, row, { runId: 1, hasSteps: true }, { search, list });
      return (
        <button type="button" title={siblings.hint} onClick={() => siblings.go(1)}>
          {siblings.label}
        </button>
      );
    }
    renderWithClient(client, <Header />, '/run/r/step/3/group/g/rollout/2');
  }

  it('are those of the group, which is named', async () => {
    show('');
    const header = await screen.findByText('of the group’s 4');
    expect(header.title).toContain('go through the group, without a filter');
  });

  it('are those of a ready-made list, whose name says why the rollout is in it', async () => {
    show(listSearch({ of: 'run', filter: 'flag:repetition', sort: '', name: 'Repeats itself' }));
    await screen.findByText('of the group’s 4 · 2 of 3: Repeats itself');
  });

  it('are those of the filtered list that it was opened from', async () => {
    const search = listSearch({ of: 'run', filter: 'reward:0', sort: '-turns,order' });
    show(search);
    const header = await screen.findByText('of the group’s 4 · 2 of 3 that match');
    expect(header.title).toBe('Next and previous go through the list filtered by reward:0');
    expect(asked).toContainEqual({
      runId: 1,
      filter: 'reward:0',
      sort: [
        { by: 'turns', direction: 'descending' },
        { by: 'order', direction: 'ascending' },
      ],
    });
    fireEvent.click(header);
    await expect
      .poll(() => window.location.pathname + window.location.search)
      .toBe(`/run/r/step/4/group/other/rollout/0${search}`);
  });

  it('are those of the group again where the list no longer has the rollout', async () => {
    show(listSearch({ of: 'step', filter: 'reward:0', sort: '' }), Uint32Array.of(11));
    await screen.findByText('of the group’s 4');
  });

  it('have no list without a filter', () => {
    expect(listSearch({ of: 'run', filter: '', sort: '-turns' })).toBe('');
    expect(readList('of=everything&q=x')).toBeUndefined();
    expect(readList(null)).toBeUndefined();
  });
});
