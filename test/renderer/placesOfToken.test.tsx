/** The list of token positions comes into sight when a count opens it, and stays where it is when a link does. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { useUrlQuery } from '../../renderer/data/useRoute.ts';
import { PlacesOfToken } from '../../renderer/views/tokens/PlacesOfToken.tsx';
import type { SourceStatistics } from '../../shared/domain/signalStatistics.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const SOURCE = { signal: 'entropy', source: { kind: 'full' } } as unknown as SourceStatistics;
const client = createFakeClient({ 'token.occurrences': () => ({ total: 0, places: [] }) });

/** As in the page: counts in the sections, and the list beside or below them. */
function Page() {
  const [query, setQuery] = useUrlQuery();
  const after = query.get('after');
  const open = (next: string) => (
    <button type="button" onClick={() => setQuery({ after: next })}>
      after {next}
    </button>
  );
  return (
    <>
      <div className="tokens-main">
        {open('success')}
        {open('error')}
      </div>
      {after !== null && (
        <PlacesOfToken
          {...{ runKey: 'r', scope: { runId: 1 }, source: SOURCE, level: 'run', hasSteps: true }}
          wanted={{ reflection: after as 'success' | 'error', window: 60 }}
        />
      )}
    </>
  );
}

const press = (name: string) => {
  const button = screen.getByRole('button', { name });
  button.focus();
  fireEvent.click(button);
};

it('scrolls to the list that a count opens, and focuses its heading', () => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
  renderWithClient(client, <Page />, '/');
  press('after success');
  const heading = screen.getByRole('heading');
  expect(document.activeElement).toBe(heading);
  expect(scroll.mock.contexts).toEqual([screen.getByRole('region', { name: 'Positions of tokens' })]);
  press('after error');
  expect(scroll).toHaveBeenCalledTimes(2);
});

it('does not scroll a page that opens with the list', () => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
  renderWithClient(client, <Page />, '/?after=error');
  screen.getByRole('heading');
  expect(scroll).not.toHaveBeenCalled();
});
