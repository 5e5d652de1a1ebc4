import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { useInterface } from '../../renderer/state/interface.ts';
import { MappingEditor } from '../../renderer/views/mapping/MappingEditor.tsx';
import {
  fileNameOf,
  firstTarget,
  groupsText,
  leadsToList,
  mappingFault,
  movedText,
  nextTarget,
  pathFault,
  pickedPath,
  previewable,
  previewRows,
  roleMeanings,
  sharersOf,
  skippedList,
  unfitReason,
  valueFor,
  withList,
  withMessages,
  withPath,
} from '../../renderer/views/mapping/mappingModel.ts';
import { oneLine, parsedRecord, treeRows } from '../../renderer/views/mapping/recordTreeModel.ts';
import { SavedMappings } from '../../renderer/views/mapping/SavedMappings.tsx';
import type {
  FileInspection,
  FileRow,
  IngestProgress,
  MappingPreview,
  RunSummary,
} from '../../shared/api/contract.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { createFakeClient, type FakeMethods } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const mapping: Mapping = {
  version: 1,
  name: 'ours',
  shape: ['q', 'samples'],
  rollouts: 'samples',
  fields: { response: 'txt', prompt: 'q' },
};
const record = { q: 'What?', samples: [{ txt: 'Four.', val: 1 }], meta: { step: 3 } };

describe('mapping', () => {
  it('takes a picked value inside the list of rollouts from the element', () => {
    expect(pickedPath(mapping, 'reward', ['samples', 0, 'val'])).toBe('val');
    expect(pickedPath(mapping, 'step', ['meta', 'step'])).toBe('meta.step');
    expect(pickedPath(mapping, 'rollouts', ['samples'])).toBe('samples');
    expect(pickedPath({ ...mapping, rollouts: 'other' }, 'reward', ['samples', 0, 'val'])).toBe(
      'samples[0].val',
    );
  });

  it('looks a field up in the first rollout, then in the record', () => {
    expect(valueFor(record, mapping, 'response')).toBe('Four.');
    expect(valueFor(record, mapping, 'prompt')).toBe('What?');
    expect(valueFor(record, mapping, 'reward')).toBeUndefined();
  });

  it('sets and clears paths', () => {
    expect(withPath(mapping, 'reward', 'val').fields.reward).toBe('val');
    expect(withPath(mapping, 'prompt', '').fields).toEqual({ response: 'txt' });
    expect('rollouts' in withPath(mapping, 'rollouts', undefined)).toBe(false);
  });

  it('reports what is missing, one thing at a time', () => {
    expect(mappingFault(mapping)).toBeUndefined();
    expect(mappingFault({ ...mapping, fields: { prompt: 'q' } })).toMatch(/messages or the response/);
    expect(mappingFault(withPath(mapping, 'reward', 'a.['))).toMatch(/reward/);
    expect(mappingFault({ ...mapping, shape: [] })).toMatch(/identifies/);
    expect(mappingFault({ ...mapping, name: '  ' })).toMatch(/name/);
    const refused = { number: 1, json: '{}', isCut: false, issues: [], rollouts: [] };
    expect(mappingFault(mapping, { groups: 0, records: [refused] })).toBe(
      'No rollout could be read from the first 1 record',
    );
    expect(mappingFault(mapping, { groups: 0, records: [] })).toBeUndefined();
    expect(pathFault('["a.b"].c')).toBeUndefined();
  });

  it('requests no preview while a path is typed, nor for a new name', () => {
    const sent = previewable({ ...withPath(mapping, 'reward', 'a.['), name: '' });
    expect(sent).toEqual({ ...mapping, name: 'preview', shape: [] });
  });

  it('begins with what is missing', () => {
    expect(firstTarget({ ...mapping, fields: {} })).toBe('response');
    expect(firstTarget(mapping)).toBe('reward');
  });

  it('has a row per rollout, and one for a record without any', () => {
    const rollout = {
      ...{ prompt: 'p', response: '', turns: 1, toolCalls: 0, groupKey: 'g' },
      ...{ groupRule: 'prompt' as const, kind: 'train' as const, signals: [] },
    };
    const issue = { severity: 'refused' as const, code: 'x', message: 'no response' };
    const one = { json: '{}', isCut: false, issues: [issue] };
    const preview: MappingPreview = {
      groups: 2,
      records: [
        { ...one, number: 1, rollouts: Array.from({ length: 40 }, () => rollout) },
        { ...one, number: 3, rollouts: [] },
      ],
    };
    const { rows, rollouts, refused, warnings } = previewRows(preview);
    expect([rows.length, rollouts, refused, warnings]).toEqual([17, 40, 1, 0]);
    expect(groupsText(preview)).toBe('2 groups by equal prompt');
    const withoutPrompts = preview.records.map((record) => ({
      ...record,
      rollouts: record.rollouts.map((rollout) => ({ ...rollout, prompt: '' })),
    }));
    expect(groupsText({ ...preview, records: withoutPrompts })).toBe('2 groups: the prompts are unknown');
    expect(rows.map((row) => row.issues.length).reduce((a, b) => a + b)).toBe(2);
    expect(rows.at(-1)).toMatchObject({ record: 3, at: 1 });
  });

  it('writes a file name that every system takes', () => {
    expect(fileNameOf('our sampler/v2')).toBe('our-sampler-v2.mapping.json');
    expect(fileNameOf('..')).toBe('mapping.mapping.json');
  });
});

describe('a change of the list of rollouts', () => {
  const records = [
    {
      q: 'What?',
      attempts: [{ txt: 'Four.', val: 1, note: 'a' }],
      tries: [{ txt: 'Five.', val: 0 }],
    },
  ];
  const fields = { response: 'txt', prompt: 'q', reward: 'val', answer: 'note' };
  const listed: Mapping = { ...mapping, rollouts: 'attempts', fields };

  it('moves paths into the list to its element', () => {
    const { rollouts: _none, ...unlisted } = listed;
    const guessed = { ...unlisted, fields: { response: 'attempts[0].txt', prompt: 'q' } };
    const moved = withList(guessed, undefined, 'attempts', records);
    expect(moved.mapping).toMatchObject({ rollouts: 'attempts', fields: { response: 'txt', prompt: 'q' } });
    expect(moved).toMatchObject({ moved: ['response'], emptied: [] });
  });

  it('keeps relative paths that the new list has, and empties the others', () => {
    const moved = withList(listed, 'attempts', 'tries', records);
    expect(moved.mapping.fields).toEqual({ response: 'txt', prompt: 'q', reward: 'val' });
    expect(moved.emptied).toEqual([{ field: 'answer', path: 'note' }]);
    expect(movedText(moved)).toBe('Emptied, because no element of tries has that value: answer (was note).');
    const written = { ...listed, fields: { response: 'attempts[0].txt', answer: 'attempts[0].note' } };
    const rebased = withList(written, 'attempts', 'tries', records);
    expect(rebased.mapping.fields).toEqual({ response: 'txt' });
    expect(movedText(rebased)).toBe(
      'Paths changed with the list of rollouts: response. Emptied, because no element of tries has that value: answer (was attempts[0].note).',
    );
  });

  it('is undone by the former list, after it was cleared', () => {
    const cleared = withList(listed, 'attempts', '', records);
    expect(cleared.mapping.fields).toEqual({
      ...{ response: 'attempts[0].txt', prompt: 'q' },
      ...{ reward: 'attempts[0].val', answer: 'attempts[0].note' },
    });
    expect(withList(cleared.mapping, 'attempts', 'attempts', records).mapping).toEqual(listed);
    expect(withList(cleared.mapping, 'attempts', 'tries', records).mapping.fields).toEqual({
      ...{ response: 'txt', prompt: 'q', reward: 'val' },
    });
  });

  it('is one only when its path leads to a list', () => {
    expect(['attempts', 'attem', 'q', '', 'a.['].map((path) => leadsToList(path, records))).toEqual([
      ...[true, false, false, false, false],
    ]);
  });
});

describe('a list of which only one element is mapped', () => {
  const attempts = [{ txt: 'Four.' }, { txt: 'Five.' }, { note: 'no text' }];
  const mapped = (response: string): Mapping => ({
    version: 1,
    name: 'm',
    shape: ['q'],
    fields: { response },
  });

  it('is named with the number of elements that have the value', () => {
    const records = [{ attempts: [{ txt: 'One.' }] }, { attempts }];
    expect(skippedList(mapped('attempts[0].txt'), records)).toEqual({ path: 'attempts', elements: 2 });
    expect(skippedList(mapped('a.b[1].txt'), [{ a: { b: attempts } }])?.path).toBe('a.b');
  });

  it('is not named if it is the list of rollouts, has one element, or holds messages or texts', () => {
    const path = 'attempts[0].txt';
    expect(skippedList({ ...mapped(path), rollouts: 'attempts' }, [{ attempts }])).toBeUndefined();
    expect(skippedList(mapped(path), [{ attempts: attempts.slice(0, 1) }])).toBeUndefined();
    const messages = [
      { role: 'user', content: 'What?' },
      { role: 'assistant', content: 'Four.' },
    ];
    expect(skippedList(mapped('messages[1].content'), [{ messages }])).toBeUndefined();
    expect(skippedList(mapped('texts[0]'), [{ texts: ['Four.', 'Five.'] }])).toBeUndefined();
    expect(skippedList(mapped('txt'), [{ txt: 'Four.' }])).toBeUndefined();
  });
});

describe('messages with keys of their own', () => {
  const log = [
    { who: 'user', says: 'What is six?' },
    { who: 'solver', says: 'It is 6.' },
  ];
  const own = withMessages(
    { version: 1, name: 'm', shape: ['log'], fields: { response: 'log[0].says', reward: 'r' } },
    'log',
    { role: 'who', text: 'says' },
  );

  it('are offered in place of one element that is read as a response', () => {
    const mapped: Mapping = { version: 1, name: 'm', shape: ['log'], fields: { response: 'log[0].says' } };
    expect(skippedList(mapped, [{ log }])).toEqual({
      ...{ path: 'log', elements: 2, messages: { role: 'who', text: 'says' } },
    });
    expect(own.fields).toEqual({ messages: 'log', messageRole: 'who', messageText: 'says', reward: 'r' });
  });

  it('give the role and the text as paths inside a message', () => {
    expect(pickedPath(own, 'messageRole', ['log', 1, 'who'])).toBe('who');
    expect(valueFor({ log }, own, 'messageText')).toBe('What is six?');
  });

  it('ask for the roles that are not known', () => {
    expect(roleMeanings(own, [{ log }])).toEqual([{ word: 'solver', role: undefined }]);
    const chosen: Mapping = { ...own, roles: { solver: 'assistant' } };
    expect(roleMeanings(chosen, [{ log }])).toEqual([{ word: 'solver', role: 'assistant' }]);
  });

  it('are followed by the next field that is still needed', () => {
    const empty: Mapping = { ...own, fields: {} };
    const mapped = withPath(empty, 'messages', 'log');
    expect(nextTarget(mapped, 'messages', [{ a: 'x', b: 'y' }])).toBe('messageRole');
    expect(nextTarget(mapped, 'messages', [{ role: 'user', content: 'x' }])).toBe('reward');
    // The prompt stands above the response, which is mapped first.
    const answered = withPath(empty, 'response', 'txt');
    expect(nextTarget(answered, 'response', 'x')).toBe('prompt');
    expect(nextTarget(withPath(answered, 'prompt', 'q'), 'prompt', 'x')).toBe('reward');
    expect(nextTarget(withPath(answered, 'prompt', 'q'), 'response', 'x')).toBe('reward');
    expect([answered, mapped].map(firstTarget)).toEqual(['prompt', 'reward']);
    expect(nextTarget(withPath(mapped, 'reward', 'r'), 'reward', 1)).toBe('isCorrect');
  });
});

it('refuses a clicked value that cannot be the field', () => {
  expect(unfitReason('reward', [1])).toBe('reward needs a number; this is a list');
  expect(unfitReason('messages', 'x')).toBe('messages needs a list; this is text');
  expect([unfitReason('reward', '0.5'), unfitReason('response', ['x']), unfitReason('group', 7)]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

it('names the other fields of a path', () => {
  const twice = withPath(withPath(mapping, 'reward', 'val'), 'isCorrect', 'val');
  expect(sharersOf(twice, 'reward')).toEqual(['isCorrect']);
  expect(sharersOf(twice, 'isCorrect')).toEqual(['reward']);
  expect(sharersOf(withPath(twice, 'answer', '["val"]'), 'answer')).toEqual(['reward', 'isCorrect']);
  expect(sharersOf(mapping, 'reward')).toEqual([]);
});

describe('on the page', () => {
  afterEach(cleanup);
  const run = (runKey: string, name: string, format: string) =>
    ({ runId: 1, runKey, name, kind: 'train', format, directory: `/logs/${runKey}` }) as RunSummary;
  const file = (path: string, format: string): FileRow => ({
    ...{ fileId: 1, path, format, bytes: 10, rollouts: 20, issues: 0, status: 'read' },
  });
  const saved: Mapping = { ...mapping, name: 'odd' };
  const info = {
    ...{
      version: '0',
      platform: 'linux',
      libraryPath: '/l.turnwise',
      uploads: '/uploads',
      wheels: '/home/wheels',
      warnings: [],
    },
    shell: 'browser' as const,
    granted: ['/logs'],
  };
  const methods: FakeMethods = {
    'host.info': () => info,
    'mapping.list': () => [saved, { ...saved, name: 'unused' }],
    'run.list': () => [run('a', 'odd', 'mapping:odd'), run('b', 'b', 'verl')],
    'file.list': () => [file('/logs/a/odd.jsonl', 'mapping:odd'), file('/gone/odd.jsonl', 'mapping:odd')],
  };

  it('a mapping names the runs that use it, and what it matches', async () => {
    renderWithClient(createFakeClient(methods), <SavedMappings />);
    const row = within(await screen.findByRole('listitem', { name: 'Mapping odd' }));
    row.getByText('q, samples');
    await waitFor(() => row.getByText('odd', { selector: 'a' }));
    expect(row.getByRole('link', { name: 'Edit odd' }).getAttribute('href')).toBe(
      '/mapping?path=%2Flogs%2Fa%2Fodd.jsonl&mapping=odd',
    );
    const unused = within(screen.getByRole('listitem', { name: 'Mapping unused' }));
    unused.getByText('Used by no run');
    unused.getByRole('button', { name: 'Edit unused as JSON…' });
  });

  it('is deleted after a question that says what happens to its runs', async () => {
    const removed: string[] = [];
    const client = createFakeClient({
      ...methods,
      'mapping.remove': ({ name }) => {
        removed.push(name);
        return { removed: true };
      },
    });
    renderWithClient(client, <SavedMappings />);
    fireEvent.click(await screen.findByRole('button', { name: 'Delete odd…' }));
    await screen.findByText(/^40 rollouts of 1 run, read with it from 2 files, stay in the library/);
    expect(removed).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Delete the mapping' }));
    await waitFor(() => expect(removed).toEqual(['odd']));
  });

  it('the editor says what a change of the list did, and which field has a path already', async () => {
    const json = JSON.stringify({ q: 'What?', attempts: [{ txt: 'Four.' }], tries: [{ val: 1 }] });
    const inspected: FileInspection = {
      ...{ path: '/logs/a/odd.jsonl', bytes: 10, container: 'plain', directory: '/logs/a', records: 1 },
      ...{ outcomes: {}, keys: ['q', 'attempts', 'tries'] },
    };
    const client = createFakeClient({
      ...methods,
      'mapping.preview': () => ({
        records: [{ number: 1, json, isCut: false, rollouts: [], issues: [] }],
        groups: 0,
      }),
    });
    const start: Mapping = {
      ...{ version: 1, name: 'odd', shape: ['q'], rollouts: 'attempts' },
      fields: { response: 'txt' },
    };
    renderWithClient(client, <MappingEditor file={inspected} saved={[]} proposal={start} />);
    await screen.findByText('1 of the first 1');
    const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
    const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });
    type('list of rollouts', 'tri');
    expect(field('response').value).toBe('txt');
    type('list of rollouts', 'tries');
    expect(field('response').value).toBe('');
    screen.getByText('Emptied, because no element of tries has that value: response (was txt).');
    type('response', 'q');
    type('prompt', 'q');
    screen.getByText('△ also used by prompt');
    screen.getByText('△ also used by response');
  });

  it('the editor offers to read each element of a list as a rollout', async () => {
    const json = JSON.stringify({ q: 'What?', attempts: [{ txt: 'Four.' }, { txt: 'Five.' }] });
    const inspected: FileInspection = {
      ...{ path: '/logs/a/quiz.jsonl', bytes: 10, container: 'plain', directory: '/logs/a', records: 1 },
      ...{ outcomes: {}, keys: ['q', 'attempts'] },
    };
    const client = createFakeClient({
      ...methods,
      'mapping.preview': () => ({
        records: [{ number: 1, json, isCut: false, rollouts: [], issues: [] }],
        groups: 0,
      }),
    });
    const start: Mapping = { version: 1, name: 'odd', shape: ['q'], fields: { response: 'attempts[0].txt' } };
    renderWithClient(client, <MappingEditor file={inspected} saved={[]} proposal={start} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Read each as a rollout' }));
    const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
    expect([value('list of rollouts'), value('response')]).toEqual(['attempts', 'txt']);
    expect(screen.queryByRole('button', { name: 'Read each as a rollout' })).toBeNull();
  });

  it('a click on a value sets the field, says so, moves on, and can be undone', async () => {
    const json = JSON.stringify({ q: 'What?', txt: 'Four.', val: 1, other: 2 });
    const inspected: FileInspection = {
      ...{ path: '/logs/a/click.jsonl', bytes: 10, container: 'plain', directory: '/logs/a', records: 1 },
      ...{ outcomes: {}, keys: ['q', 'txt', 'val'] },
    };
    const client = createFakeClient({
      ...methods,
      'mapping.preview': () => ({
        records: [{ number: 1, json, isCut: false, rollouts: [], issues: [] }],
        groups: 0,
      }),
    });
    const fields = { prompt: 'q', response: 'txt' };
    const start: Mapping = { version: 1, name: 'click', shape: ['q'], fields };
    renderWithClient(client, <MappingEditor file={inspected} saved={[]} proposal={start} />);
    await screen.findByText('1 of the first 1');
    const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
    const pick = (text: string) => fireEvent.click(screen.getByText(text, { selector: '.tree-value .mono' }));
    pick('1');
    expect(value('reward')).toBe('val');
    screen.getByText('reward is val. Next: correct.');
    fireEvent.focus(screen.getByLabelText('reward'));
    pick('2');
    screen.getByText('reward was val and is now other. Next: correct.');
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(value('reward')).toBe('val');
    pick('What?');
    screen.getByText('Not set: reward needs a number; this is text.');
    expect(value('reward')).toBe('val');
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save & read' });
    await waitFor(() => expect(save.title).toBe('No rollout could be read from the first 1 record'));
    expect(save.disabled).toBe(true);
  });

  it('an unfinished mapping is still there after a look at another page', async () => {
    const inspected: FileInspection = {
      ...{ path: '/logs/a/draft.jsonl', bytes: 10, container: 'plain', directory: '/logs/a', records: 1 },
      ...{ outcomes: {}, keys: ['q', 'txt'] },
    };
    const json = JSON.stringify({ q: 'What?', txt: 'Four.' });
    const client = createFakeClient({
      ...methods,
      'mapping.preview': () => ({
        records: [{ number: 1, json, isCut: false, rollouts: [], issues: [] }],
        groups: 0,
      }),
      'mapping.save': () => ({ saved: true }),
      'ingest.start': () => ({ jobId: 1 }),
      'ingest.jobs': () => [],
    });
    const start: Mapping = { version: 1, name: 'draft', shape: ['q'], fields: { prompt: 'q' } };
    const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
    const open = async (path = inspected.path) => {
      cleanup();
      const file = { ...inspected, path };
      renderWithClient(client, <MappingEditor file={file} saved={[]} proposal={start} />);
      await screen.findByText('1 of the first 1');
      return value('response');
    };
    expect(await open()).toBe('');
    fireEvent.change(screen.getByLabelText('response'), { target: { value: 'txt' } });
    expect(await open('/logs/a/other.jsonl')).toBe('');
    expect(screen.queryByRole('button', { name: 'Start over' })).toBeNull();
    expect(await open()).toBe('txt');
    fireEvent.click(screen.getByRole('button', { name: 'Start over' }));
    expect(value('response')).toBe('');
    expect(await open()).toBe('');

    fireEvent.change(screen.getByLabelText('response'), { target: { value: 'txt' } });
    fireEvent.click(screen.getByRole('button', { name: 'Save & read' }));
    await waitFor(() => expect(useInterface.getState().notice).toMatch(/^Mapping draft saved/));
    expect(await open()).toBe('');
  });

  it('a replaced mapping reads again the opened files that were read with it', async () => {
    const started: unknown[] = [];
    const inspected: FileInspection = {
      ...{ path: '/logs/new.jsonl', bytes: 10, container: 'plain', directory: '/logs', records: 1 },
      ...{ outcomes: {}, keys: ['q', 'samples'] },
    };
    const client = createFakeClient({
      ...methods,
      'mapping.preview': () => ({ records: [], groups: 0 }),
      'mapping.save': () => ({ saved: true }),
      'ingest.start': (params) => {
        started.push(params);
        return { jobId: 1 };
      },
      'ingest.jobs': () => [],
    });
    const file = '/mapping?path=%2Flogs%2Fnew.jsonl';
    renderWithClient(client, <MappingEditor file={inspected} saved={[saved]} proposal={saved} />, file);
    const button = await screen.findByRole('button', { name: 'Replace & read' });
    await waitFor(() => expect(button.title).toContain('reads 2 files again'));
    fireEvent.click(button);
    await waitFor(() =>
      expect(started).toEqual([{ paths: ['/logs/new.jsonl', '/logs/a/odd.jsonl'], mapping: 'odd' }]),
    );
    const job: IngestProgress = {
      ...{ jobId: 1, state: 'running', paths: ['/logs/new.jsonl'], bytes: 20, bytesDone: 0 },
      ...{ files: 2, filesDone: 0, rollouts: 0, issues: 0, elapsedMs: 1 },
    };
    // It stays here until no other run can come, and then opens the run.
    client.emit({ event: 'ingest.progress', payload: job });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(window.location.pathname).toBe('/mapping');
    client.emit({ event: 'ingest.progress', payload: { ...job, state: 'done', rollouts: 3, runKey: 'a' } });
    await waitFor(() => expect(window.location.pathname).toBe('/run/a'));
  });
});

describe('a record as rows', () => {
  it('folds deep values and lists of plain values', () => {
    const rows = treeRows({ a: { b: { c: { d: 1 } } }, list: [1, 2, 3] }, new Set());
    expect(rows.map((row) => `${'  '.repeat(row.depth)}${row.name}: ${row.text}`)).toEqual([
      'a: 1 field',
      '  b: 1 field',
      '    c: 1 field: {"d":1}',
      'list: 3 numbers: [1,2,3]',
    ]);
    expect(treeRows({ list: ['x'] }, new Set(['list'])).map((row) => row.path)).toEqual(['list', 'list[0]']);
  });

  it('names the rest of a long list', () => {
    const list = Array.from({ length: 130 }, () => ({ a: 1 }));
    expect(treeRows({ list }, new Set()).at(-1)?.name).toBe('… 30 more');
  });

  it('parses a truncated record as far as possible', () => {
    const json = JSON.stringify(
      { q: 'What?', list: [{ a: 1 }, { a: 2 }], text: 'line\nlong "quoted" text', last: true },
      undefined,
      2,
    );
    expect(parsedRecord(json, false)).toHaveProperty('last', true);
    for (let end = 1; end < json.length; end += 1) {
      const read = parsedRecord(json.slice(0, end), true);
      if (end > json.indexOf('What') + 6) expect(read).toHaveProperty('q', 'What?');
    }
    const inText = parsedRecord(json.slice(0, json.indexOf('quoted')), true);
    expect(inText).toMatchObject({ text: 'line\nlong "…', list: [{ a: 1 }, { a: 2 }] });
    expect(parsedRecord('{"a": ', false)).toBeUndefined();
  });

  it('puts a value on one line', () => {
    expect(oneLine('a\n  b')).toBe('a b');
    expect(oneLine({ a: 'x'.repeat(50) }, 10)).toBe('{"a":"xxxx…');
    expect(
      oneLine(
        Array.from({ length: 1_000_000 }, () => 7),
        8,
      ),
    ).toBe('[7,7,7,7…');
  });
});
