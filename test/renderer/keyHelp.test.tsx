/** The key help lists what works in the view that is open, by place. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { type Handlers, useCommands } from '../../renderer/shell/keys/commands.ts';
import { KeyHelp } from '../../renderer/shell/keys/KeyHelp.tsx';
import { useInterface } from '../../renderer/state/interface.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(() => {
  cleanup();
  useInterface.getState().showDialog(undefined);
});

const nothing = () => undefined;

function View({ handlers }: { readonly handlers: Handlers }) {
  useCommands(handlers);
  return null;
}

function open(handlers: Handlers): void {
  renderWithClient(
    createFakeClient({
      'taxonomy.get': () => ({
        taxonomy: {
          ...{ name: 'Failures', choice: 'many' },
          labels: [{ id: 'loops', name: 'Loops', key: '2', colour: 'red', description: '' }],
        },
        ...{ isDefault: false, counts: [] },
      }),
    }),
    <>
      <View handlers={handlers} />
      <KeyHelp />
    </>,
  );
  useInterface.getState().showDialog({ kind: 'keys' });
}

const listed = () => screen.getAllByRole('term').map((term) => term.textContent);

it('lists only commands that can run now, by place', async () => {
  open({ 'place.library': nothing, 'turn.next': nothing, 'palette.show': nothing });
  await screen.findByRole('dialog', { name: 'Keys' });
  const places = screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
  expect(places).toEqual(['Replay', 'Everywhere', 'Go to']);
  expect(listed()).toEqual(['Next turn', 'Command palette', 'Go to the library']);
});

it('gives a key to the command that it runs', async () => {
  open({ 'row.next': nothing, 'turn.next': nothing, 'hit.next': nothing, 'difference.next': nothing });
  await screen.findByRole('dialog', { name: 'Keys' });
  const keys = screen.getAllByRole('definition').map((each) => each.textContent);
  expect(Object.fromEntries(listed().map((label, i) => [label, keys[i]]))).toEqual({
    'Next row': 'j↓',
    'Next turn': '→',
    'Next search hit, listed position or high token': 'n',
  });
});

it('lists a command without a key when it is looked for', async () => {
  open({ 'hit.next': nothing, 'difference.next': nothing });
  const field = await screen.findByLabelText('Find a key or command');
  expect(listed()).toEqual(['Next search hit, listed position or high token']);
  screen.getByText(/^1 command without a key/);
  fireEvent.change(field, { target: { value: 'difference' } });
  expect(listed()).toEqual(['Next difference']);
  expect(screen.getByRole('definition').textContent).toBe('palette');
});

it('finds a command by its words, and links the glossary', async () => {
  open({ 'place.library': nothing, 'place.search': nothing, 'turn.next': nothing });
  const field = await screen.findByLabelText('Find a key or command');
  fireEvent.change(field, { target: { value: 'go library' } });
  expect(listed()).toEqual(['Go to the library']);
  fireEvent.change(field, { target: { value: 'breakpoint' } });
  expect(screen.getByRole('status').textContent).toBe('No key or command here matches “breakpoint”.');
  expect(screen.getByRole('link', { name: 'Glossary' }).getAttribute('href')).toBe('/glossary');
});

it('names the keys of labels by their labels', async () => {
  open({ 'label.1': nothing, 'label.2': nothing });
  await screen.findByText('Label Loops: add or remove');
  expect(listed()).toEqual(['Label Loops: add or remove']);
});
