/** The SQL page announces statements that came with a link. */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { takeDueRun } from '../../renderer/state/ownStatement.ts';
import { MatchesByRun } from '../../renderer/views/search/MatchesByRun.tsx';
import { useStatement } from '../../renderer/views/sql/useStatement.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const COUNT = "SELECT run_id, count(*) FROM rollout WHERE response LIKE '%wait%' GROUP BY run_id";
const TYPED = 'SELECT 2 AS typed';
const client = createFakeClient({
  'query.list': () => [],
  'filter.parse': () => ({ text: 'wait', sql: '', countSql: COUNT }),
});

function Editor() {
  const { text, setText, isFromLink } = useStatement();
  return (
    <>
      <textarea aria-label="Statement" value={text} onChange={(event) => setText(event.target.value)} />
      {isFromLink && <p>came with a link</p>}
    </>
  );
}

const openedAt = (sql: string): boolean => {
  renderWithClient(client, <Editor />, `/sql?${new URLSearchParams({ sql })}`);
  expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe(sql);
  return screen.queryByText('came with a link') !== null;
};

afterEach(cleanup);

it('says that a statement came with a link', () => {
  expect(openedAt(COUNT)).toBe(true);
});

it('does not say so of the statement that the search composed, only of that one', async () => {
  const matches = { rollouts: 0, runs: [], passed: 0, total: 0, isExact: true, unsearched: [] };
  const runs = [1, 2].map((runId) => ({ runId, name: `r${runId}`, runKey: `r${runId}`, rollouts: runId }));
  const show = (run: unknown) => (
    <MatchesByRun matches={matches} runs={runs as never} run={run as never} query="wait" />
  );
  renderWithClient(client, show(runs[1]));
  await screen.findByText('reads the texts of 2 rollouts, without the index');
  cleanup();
  renderWithClient(client, show(undefined));
  fireEvent.click(await screen.findByText('Count by run in SQL'));
  screen.getByText('reads the texts of 3 rollouts, without the index');
  // It runs when the page opens, once, and no other statement does.
  expect([takeDueRun(COUNT), takeDueRun(COUNT)]).toEqual([true, false]);
  cleanup();
  expect(openedAt(COUNT)).toBe(false);
  cleanup();
  expect(openedAt(`${COUNT} -- longer`)).toBe(true);
});

it('does not say so of what the user typed, when the page is opened again', async () => {
  expect(openedAt('SELECT 1')).toBe(true);
  act(() => void fireEvent.change(screen.getByRole('textbox'), { target: { value: TYPED } }));
  await waitFor(() => expect(new URLSearchParams(window.location.search).get('sql')).toBe(TYPED));
  cleanup();
  expect(openedAt(TYPED)).toBe(false);
});
