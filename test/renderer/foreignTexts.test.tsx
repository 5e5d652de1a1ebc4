/** Texts and names in a library of somebody else, which may be of any length: the beginning is drawn, with glyphs. */
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { plainLogText } from '../../renderer/ui/LogText.tsx';
import IssuesView from '../../renderer/views/issues/IssuesView.tsx';
import { ConflictsTab } from '../../renderer/views/labels/ConflictsTab.tsx';
import { LabelEditor } from '../../renderer/views/labels/LabelEditor.tsx';
import { SavedMappings } from '../../renderer/views/mapping/SavedMappings.tsx';
import { SavedPanel } from '../../renderer/views/sql/SavedPanel.tsx';
import type { ConflictRow } from '../../shared/api/contract.ts';
import { reasonText } from '../../shared/domain/words.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const LONG = `\u202e${'\u05d0a'.repeat(100_000)}`;

function expectShort(container: HTMLElement, most: number): void {
  expect(container.textContent).not.toContain('\u202e');
  expect(container.textContent).toContain('\u05d0a');
  expect(container.innerHTML.length).toBeLessThan(most);
}

it('conflicts of an imported pack', async () => {
  const theirs = {
    ...{ id: 'a', target: { kind: 'rollout' }, author: LONG, updatedAt: 1, note: LONG, correction: LONG },
    rollout: { group: LONG, ordinal: 1, step: 1 },
  };
  const conflicts = Array.from({ length: 4_000 }, (_, conflictId) => ({
    ...{ conflictId, theirs, mine: { ...theirs, author: 'me' }, from: LONG, at: 1 },
  })) as unknown as readonly ConflictRow[];
  const client = createFakeClient({
    'annotation.conflicts': () => conflicts as never,
  });
  const { container } = renderWithClient(client, <ConflictsTab />);
  await screen.findByText('3,980 more conflicts not shown.', { exact: false });
  expectShort(container, 20 * 20_000);
});

it('saved queries', async () => {
  const client = createFakeClient({
    'query.list': () => [{ name: LONG, sql: LONG, createdAt: 1 }] as never,
  });
  const { container } = renderWithClient(
    client,
    <SavedPanel examples={[]} sql="" onTake={() => undefined} />,
  );
  await screen.findByRole('button', { name: /^Rename ⟨RLO⟩/ });
  expectShort(container, 10_000);
});

it('mappings', async () => {
  const client = createFakeClient({
    'mapping.list': () => [{ name: LONG, shape: [LONG] }] as never,
    'run.list': () => [],
    'file.list': () => [],
  });
  const { container } = renderWithClient(client, <SavedMappings />);
  await screen.findByRole('heading', { name: /^⟨RLO⟩/ });
  expectShort(container, 10_000);
});

it('paths, formats and messages of files', async () => {
  const issue = {
    path: LONG,
    line: 1,
    unit: LONG,
    code: LONG,
    severity: 'refused',
    message: LONG,
    records: 1,
  };
  const client = createFakeClient({
    'issue.list': () => ({ issues: [{ ...issue, issueId: 1 }], total: 1, refused: 1 }) as never,
    'ingest.jobs': () => [],
    'ingest.unread': () => [],
    'host.info': () => ({ granted: [] }) as never,
  });
  const { container } = renderWithClient(client, <IssuesView />);
  await screen.findAllByText(/⟨RLO⟩/);
  expectShort(container, 30_000);
});

it('a reason that a log names in its own words', () => {
  expect(reasonText('kept_positive_tie')).toBe('won the tie');
  expect(reasonText('kept_by_hand')).toBe('kept by hand');
  const long = reasonText(LONG);
  expect(long.startsWith('⟨RLO⟩')).toBe(true);
  expect(long.length).toBeLessThan(300);
});

it('a value is cut after 400 letters, or where it would take long to draw', () => {
  const shown = (text: string) => plainLogText(text).replace(/ … .*/, '').length;
  expect(shown('A sentence of a log. '.repeat(100))).toBe(400);
  expect(shown('日本語の文章はかなと漢字でできている。'.repeat(40))).toBe(400);
  expect(shown('שלום עולם, hello. '.repeat(40))).toBe(400);
  expect(shown('\u05d0a'.repeat(200))).toBe(200);
  expect(shown('1\ufe0f\u20e3'.repeat(100))).toBeLessThan(30);
  expect(plainLogText('1\ufe0f\u20e3 one')).toBe('1\ufe0f\u20e3 one');
});

it('a text of a label is no field if it is too long for one', () => {
  const noop = () => undefined;
  const actions = { onType: noop, onSave: noop, onMove: noop, onRemove: noop };
  const editor = (description: string, name = 'A') => (
    <LabelEditor label={{ id: 'a', name, description, colour: 'red' }} uses={0} isFirst isLast {...actions} />
  );
  const { container, rerender } = render(editor(LONG));
  expect(screen.queryByLabelText('Description of A')).toBeNull();
  expectShort(container, 20_000);
  rerender(editor('', LONG));
  expect(screen.queryByLabelText('Name')).toBeNull();
  rerender(editor('What a label says'));
  expect(screen.getByLabelText('Description of A')).toHaveProperty('value', 'What a label says');
});
