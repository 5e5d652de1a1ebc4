/** A replay that was opened from a list of token positions: which of them it shows, and the way to the next. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { type PositionsLink, positionSearch, readPositions } from '../../renderer/data/positionsLink.ts';
import { useUrlQuery } from '../../renderer/data/useRoute.ts';
import { PositionBar } from '../../renderer/views/replay/tokens/PositionBar.tsx';
import { usePositions } from '../../renderer/views/replay/tokens/usePositions.ts';
import type { ParamsOf, RolloutDetail, TokenOccurrences } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const LIST: PositionsLink = {
  ...{ level: 'step', signal: 'entropy', source: { kind: 'full' }, wanted: { token: ' wait' } },
  order: 'descending',
};
const route = { view: 'rollout', runKey: 'r', step: 3, groupKey: 'g', ordinal: 2 } as const;
const PATH = '/run/r/step/3/group/g/rollout/2';
const place = (rolloutId: number, ordinal: number, token: number) => ({
  ...{ rolloutId, ordinal, token, step: 3, groupKey: 'g', problemId: 'p', value: 1 },
  ...{ text: ' wait', before: '', after: '' },
});

describe('the link to a position', () => {
  it('is read back with the list and its index', () => {
    const query = new URLSearchParams(positionSearch(LIST, 4, 57));
    expect(query.get('token')).toBe('57');
    expect(readPositions(query)).toEqual({ ...LIST, index: 4 });
  });

  it('is no list if it was damaged', () => {
    for (const positions of ['', '{', '[]', '{"level":"step"}', JSON.stringify({ ...LIST, level: 'all' })])
      expect(readPositions(new URLSearchParams({ positions, position: '0' }))).toBeUndefined();
    expect(
      readPositions(new URLSearchParams({ positions: JSON.stringify(LIST), position: '-1' })),
    ).toBeUndefined();
  });
});

describe('a replay opened from a list of positions', () => {
  const asked: ParamsOf<'token.occurrences'>[] = [];
  const tokens: number[] = [];
  const places = [place(12, 2, 5), place(12, 2, 57), place(20, 0, 9)];

  function show(index: number, ordinal = 2) {
    asked.length = tokens.length = 0;
    const client = createFakeClient({
      'token.occurrences': (params): TokenOccurrences => {
        asked.push(params);
        return { total: 1206, places };
      },
    });
    const detail = {
      ...{ run: { runId: 1 }, row: { rolloutId: 12, step: 3, groupId: 7, ordinal: 2 } },
    } as unknown as RolloutDetail;
    function Header() {
      const [query, setQuery] = useUrlQuery();
      const positions = usePositions({
        ...{ route: { ...route, ordinal }, detail, query, setQuery },
        onToken: (token) => tokens.push(token),
      });
      return positions === undefined ? <p>no list</p> : <PositionBar positions={positions} />;
    }
    const path = PATH.replace(/\d+$/, String(ordinal));
    renderWithClient(client, <Header />, path + positionSearch(LIST, index, 5));
  }
  const next = () => screen.getByRole('button', { name: 'Next position' });

  it('names its position in the list, and leads back to it', async () => {
    show(0);
    await screen.findByText('1 of 1,206');
    expect(asked[0]).toMatchObject({ runId: 1, step: 3, wanted: { token: ' wait' }, order: 'descending' });
    expect(screen.getByText('highest first; the list has the first 3')).toBeDefined();
    expect(screen.getByRole('link').getAttribute('href')).toBe('/run/r/step/3/tokens');
    expect(screen.getByRole('button', { name: 'Previous position' })).toHaveProperty('disabled', true);
  });

  it('leaves a rollout that is still loading, although the one before is shown', async () => {
    show(2, 0);
    await screen.findByText('3 of 1,206');
    fireEvent.click(screen.getByRole('button', { name: 'Previous position' }));
    await screen.findByText('2 of 1,206');
    expect(window.location.pathname).toBe(PATH);
    expect(tokens).toEqual([]);
  });

  it('goes to the next position, in this rollout and in another', async () => {
    show(0);
    await screen.findByText('1 of 1,206');
    fireEvent.click(next());
    await screen.findByText('2 of 1,206');
    expect(tokens).toEqual([57]);
    fireEvent.click(next());
    await screen.findByText('3 of 1,206');
    expect(window.location.pathname).toBe('/run/r/step/3/group/g/rollout/0');
    expect(new URLSearchParams(window.location.search).get('token')).toBe('9');
    expect(next()).toHaveProperty('disabled', true);
  });

  it('is left without leaving the rollout', async () => {
    show(0);
    fireEvent.click(screen.getByRole('button', { name: 'Leave the list of positions' }));
    await screen.findByText('no list');
    expect(window.location.search).toBe('?token=5');
  });
});
