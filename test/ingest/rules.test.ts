/** Identity of files, records and runs; the user's decisions about runs; removal. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { getRun } from '../../electron/storage/queries/runs.ts';
import { sameProblems } from '../../electron/storage/queries/sameProblem.ts';
import { getSources } from '../../electron/storage/queries/sources.ts';
import { number, queryValue, text } from '../../electron/storage/rows.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

function put(path: string, content: string): string {
  const target = join(place.directory, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

const line = (step: number, i: number, fields: object = {}): string =>
  `${JSON.stringify({
    input: `user\nproblem ${Math.floor(i / 2)}\nassistant\n`,
    output: `step ${step} #### ${i}`,
    score: i % 2,
    step,
    ...fields,
  })}\n`;
const lines = (step: number, count: number): string =>
  Array.from({ length: count }, (_, i) => line(step, i)).join('');
const ingest = (...paths: readonly string[]) => ingestHere(place.library, paths);

function write<T>(work: (writer: LibraryWriter) => T): T {
  const db = openWriter(place.library);
  try {
    return work(new LibraryWriter(db));
  } finally {
    db.close();
  }
}

const count = (table = 'rollout'): number =>
  Number(rows(place.library, `SELECT count(*) AS n FROM ${table}`)[0]?.['n']);
const groups = () =>
  rows(
    place.library,
    `SELECT g.group_key, g.group_rule, r.step, r.ordinal, r.line, g.rollouts FROM rollout r JOIN prompt_group g USING (group_id)
     ORDER BY r.step, r.line`,
  );

describe('the progress of a job', () => {
  it('tells from the paths whether all files are steps of one run', async () => {
    const isOneRun = async (directory: string): Promise<boolean> => {
      const last: { readonly isOneRun?: true }[] = [];
      const onStatus = (status: { readonly isOneRun?: true }) => void last.splice(0, 1, status);
      await ingestHere(place.library, [`${place.directory}/${directory}`], { onStatus });
      return last[0]?.isOneRun === true;
    };
    put('steps/1.jsonl', lines(1, 2));
    put('steps/2.jsonl', lines(2, 2));
    put('runs/a/1.jsonl', lines(1, 3));
    put('runs/b/1.jsonl', lines(1, 4));
    put('files/first.jsonl', lines(1, 5));
    put('files/second.jsonl', lines(1, 6));
    expect(await isOneRun('steps')).toBe(true);
    expect(await isOneRun('steps/1.jsonl')).toBe(true);
    expect(await isOneRun('runs')).toBe(false);
    expect(await isOneRun('files')).toBe(false);
  });
});

describe('the same file under two paths', () => {
  it('is read once, and from the copy when the first is gone', async () => {
    const [first, copy] = [put('a/1.jsonl', lines(1, 4)), put('b/1.jsonl', lines(1, 4))];
    await ingest(first);
    const statuses: unknown[] = [];
    expect(
      (await ingestHere(place.library, [copy], { onStatus: (status) => statuses.push(status) })).files,
    ).toMatchObject([
      { status: 'duplicate', rollouts: 0, issues: [{ code: 'duplicate_file', severity: 'warning' }] },
    ]);
    expect(statuses.at(-1)).toMatchObject({ duplicates: 1, rollouts: 0, issues: 0, runs: 1 });
    expect(count()).toBe(4);
    rmSync(first);
    expect((await ingest(copy)).files).toMatchObject([{ rollouts: 4, issues: [] }]);
    expect(rows(place.library, 'SELECT DISTINCT path FROM rollout')).toEqual([{ path: copy }]);
  });

  it('is named as not read, with its original, until that run is removed', async () => {
    const [first, other] = [put('a/1.jsonl', lines(1, 4)), put('b/2.jsonl', lines(2, 3))];
    const copy = put('b/1.jsonl', lines(1, 4));
    await ingest(first);
    await ingest(join(place.directory, 'b'));
    const issues = () => rows(place.library, "SELECT * FROM ingest_issue WHERE code = 'duplicate_file'");
    const message = `same content as ${first} of run a, so it was not read again; to read it from here, remove that run and open this file again`;
    expect(issues()).toEqual([expect.objectContaining({ path: copy, severity: 'warning', message })]);
    await ingest(copy);
    expect(issues()).toHaveLength(1);
    const db = openWriter(place.library);
    try {
      const sourcesOf = (name: string) =>
        getSources(
          db,
          String(rows(place.library, `SELECT run_key FROM run WHERE name = '${name}'`)[0]?.['run_key']),
        );
      expect(sourcesOf('b')?.files).toMatchObject([
        { path: copy, rollouts: 0, notRead: message },
        { path: other, rollouts: 3 },
      ]);
      expect(sourcesOf('b')?.files[1]).not.toHaveProperty('notRead');
      expect(sourcesOf('a')?.files.map(({ path }) => path)).toEqual([first]);
      const notRead = (name: string) => getRun(db, sourcesOf(name)?.runKey ?? '')?.filesNotRead;
      expect([notRead('a'), notRead('b')]).toEqual([0, 1]);
      new LibraryWriter(db).removal.remove(sourcesOf('a')?.runKey ?? '');
    } finally {
      db.close();
    }
    expect(issues()).toEqual([]);
    expect((await ingest(copy)).files).toMatchObject([{ status: 'read', rollouts: 4 }]);
    expect(rows(place.library, 'SELECT DISTINCT path FROM rollout ORDER BY path')).toEqual([
      { path: copy },
      { path: other },
    ]);
  });

  it('of which one moves is still read once', async () => {
    const [first, copy] = [put('a/1.jsonl', lines(1, 4)), put('b/1.jsonl', lines(1, 4))];
    await ingest(first);
    await ingest(copy);
    rmSync(copy);
    renameSync(first, join(place.directory, '1.jsonl'));
    await ingest(join(place.directory, '1.jsonl'));
    expect(count()).toBe(4);
  });

  it('becomes two files when one of them grows', async () => {
    const [first, copy] = [put('a/1.jsonl', lines(1, 4)), put('b/1.jsonl', lines(1, 4))];
    await ingest(first);
    appendFileSync(copy, line(1, 4));
    expect((await ingest(copy)).files).toMatchObject([{ status: 'read', rollouts: 5 }]);
    expect(count()).toBe(9);
  });

  it('of a rotated log is recognized by its inode', async () => {
    const log = put('logs/current.jsonl', lines(1, 4));
    await ingest(log);
    renameSync(log, join(place.directory, 'logs', 'current.1.jsonl'));
    put('logs/current.jsonl', lines(2, 3));
    const { files } = await ingest(join(place.directory, 'logs'));
    expect(files.map(({ rollouts }) => rollouts).sort()).toEqual([3, 4]);
    expect(rows(place.library, 'SELECT step, rollouts FROM step ORDER BY step')).toEqual([
      { step: 1, rollouts: 4 },
      { step: 2, rollouts: 3 },
    ]);
  });
});

it('equal records of different files are different rollouts', async () => {
  put('a/1.jsonl', lines(1, 4) + line(1, 9));
  put('b/1.jsonl', lines(1, 4) + line(1, 8));
  await ingest(place.directory);
  expect(rows(place.library, 'SELECT count(*) AS n, count(DISTINCT content_hash) AS d FROM rollout')).toEqual(
    [{ n: 10, d: 6 }],
  );
  expect(count('run')).toBe(2);
});

it('values under keys of credentials are masked, counted, and nowhere in the library', async () => {
  const secrets = ['sk-live-0123456789abcdef', 'hf_ABCDEFGHIJKLMNOP', 'Bearer tok-777'];
  const [key, token, bearer] = secrets;
  const path = put(
    'a/1.jsonl',
    line(1, 0, { openai_api_key: key, nested: { hf_token: token, headers: { Authorization: bearer } } }) +
      line(1, 1, { tokens: 'not one', eos_token: '</s>' }),
  );
  const { files } = await ingest(path);
  expect(files[0]?.issues).toMatchObject([{ severity: 'warning', code: 'masked_values' }]);
  expect(files[0]?.issues[0]?.message).toMatch(/^3 credentials/);
  const bytes = ['', '-wal'].map((suffix) => {
    const name = place.library + suffix;
    return statSync(name, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(name, 'latin1');
  });
  for (const secret of secrets) expect(bytes.some((content) => content.includes(secret))).toBe(false);
  // Neither compressed nor encoded, so this search would have found them.
  expect(bytes.some((content) => content.includes('eos_token'))).toBe(true);
});

it('credentials in a text that a reader cuts are masked, and counted', async () => {
  const token = 'ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xYz012';
  const timestamp = '2026-05-06T18:00:01+00:00';
  const cmd = `curl ${'x'.repeat(100)} ${token}`;
  const sample = { id: 1, epoch: 1, input: 'q', target: 'a', messages: [{ role: 'user', content: 'q' }] };
  const log = {
    ...{ version: 2, status: 'success', eval: { task: 't', model: 'm' }, plan: {} },
    samples: [{ ...sample, scores: {}, events: [{ event: 'sandbox', action: 'exec', cmd, timestamp }] }],
  };
  const { files } = await ingest(put('log.json', JSON.stringify(log)));
  const masked = files[0]?.issues.find(({ code }) => code === 'masked_values');
  expect(masked?.message).toMatch(/^1 credential was/);
});

it('credentials in a change of recipe are masked', async () => {
  const stage = {
    v: 1,
    type: 'stage',
    run: 'r',
    from_step: 10,
    name: 'longer',
    api_key: 'sk-live-0123456789abcdef',
  };
  const rollout = {
    v: 1,
    type: 'rollout',
    run: 'r',
    split: 'train',
    step: 0,
    group: 'g',
    index: 0,
    text: 'a',
  };
  const { files } = await ingest(
    put('stage.jsonl', `${JSON.stringify(stage)}\n${JSON.stringify(rollout)}\n`),
  );
  expect(files[0]?.issues).toMatchObject([{ code: 'masked_values' }]);
  expect(rows(place.library, 'SELECT name, changes FROM stage')).toEqual([
    { name: 'longer', changes: '{"api_key":"••••••"}' },
  ]);
});

describe('groups by the user', () => {
  const key = (): string => String(rows(place.library, 'SELECT run_key FROM run')[0]?.['run_key']);

  it('by prompt, by order, and back equal the log', async () => {
    const uid = (i: number) => ({ uid: `u${Math.floor(i / 2)}` });
    put('a/1.jsonl', Array.from({ length: 6 }, (_, i) => line(1, i, uid(i))).join(''));
    put('a/2.jsonl', Array.from({ length: 6 }, (_, i) => line(2, i, uid(i))).join(''));
    await ingest(place.directory);
    const before = [groups(), contents(place.library)];
    write((writer) => writer.setGroupRule(key(), { rule: 'prompt' }));
    expect(new Set(groups().map((group) => group['group_rule']))).toEqual(new Set(['prompt']));
    expect(new Set(groups().map((group) => group['rollouts']))).toEqual(new Set([2]));
    write((writer) => writer.setGroupRule(key(), { rule: 'order', size: 4 }));
    expect(groups().map((group) => group['group_key'])).toEqual(
      [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1].map((number) => `order-${number}`),
    );
    write((writer) => writer.setGroupRule(key(), undefined));
    expect([groups(), contents(place.library)]).toEqual(before);
  });

  it('show prompts of other shapes without mixing up segments and calls', async () => {
    const input = (i: number) =>
      i % 2 === 0 ? `system\nBe brief.\nuser\nproblem ${i}\nassistant\n` : `user\nproblem ${i}\nassistant\n`;
    const output =
      'So:\n<tool_call>\n{"name": "python", "arguments": {"code": "1"}}\n</tool_call>\nuser\n<tool_response>\n1\n</tool_response>\nassistant\n#### 1';
    const path = put('a/1.jsonl', [0, 1, 2, 3].map((i) => line(1, i, { input: input(i), output })).join(''));
    await ingest(path);
    const calls = () =>
      rows(place.library, 'SELECT rollout_id, name, code, response FROM tool_call ORDER BY 1');
    const [callsBefore, before] = [calls(), contents(place.library)];
    expect(callsBefore).toHaveLength(4);
    write((writer) => writer.setGroupRule(key(), { rule: 'order', size: 3 }));
    expect(calls()).toEqual(callsBefore);
    const repeated = 'SELECT rollout_id, ordinal FROM segment GROUP BY 1, 2 HAVING count(*) > 1';
    expect(rows(place.library, repeated)).toEqual([]);
    write((writer) => writer.setGroupRule(key(), undefined));
    expect([calls(), contents(place.library)]).toEqual([callsBefore, before]);
  });

  it('apply to rollouts appended later, and to a re-ingested run', async () => {
    const path = put('a/1.jsonl', lines(1, 3));
    await ingest(path);
    write((writer) => writer.setGroupRule(key(), { rule: 'order', size: 2 }));
    appendFileSync(path, line(1, 3) + line(1, 4));
    await ingest(path);
    const keys = () => groups().map((group) => [group['group_key'], group['ordinal']]);
    const expected = [0, 1, 2, 3, 4].map((i) => [`order-${Math.floor(i / 2)}`, i % 2]);
    expect(keys()).toEqual(expected);
    write((writer) => writer.removal.remove(key()));
    await ingest(path);
    expect(keys()).toEqual(expected);
    // Back to the log, also for rollouts that were never grouped as logged.
    write((writer) => writer.setGroupRule(key(), undefined));
    const fresh = scratch();
    await ingestHere(fresh.library, [path]);
    expect(contents(place.library)).toEqual(contents(fresh.library));
    fresh.remove();
  });
});

describe('runs', () => {
  it('of several step directories are one', async () => {
    for (const step of [1, 2, 3]) put(`exp/step_${step}/out.jsonl`, lines(step, 2));
    await ingest(join(place.directory, 'exp'));
    expect(rows(place.library, 'SELECT name, steps, rollouts FROM run')).toEqual([
      { name: 'exp', steps: 3, rollouts: 6 },
    ]);
  });

  it('with one given name are one, and two again without it', async () => {
    put('first/1.jsonl', lines(1, 4));
    put('second/2.jsonl', lines(2, 4));
    await ingest(place.directory);
    const before = contents(place.library);
    expect(count('run')).toBe(2);
    const name = async (given: string | null) => {
      for (const directory of ['first', 'second']) {
        const { paths } = write((writer) => writer.nameRun(join(place.directory, directory), given));
        await ingest(...paths);
      }
    };
    await name('both');
    expect(rows(place.library, 'SELECT run_key, name, steps, rollouts FROM run')).toEqual([
      { run_key: 'both', name: 'both', steps: 2, rollouts: 8 },
    ]);
    await name(null);
    expect(contents(place.library)).toEqual(before);
  });

  it('can be separated one directory at a time', async () => {
    put('one/1.jsonl', lines(1, 3));
    put('two/2.jsonl', lines(2, 4));
    await ingest(place.directory);
    const name = async (directory: string, given: string | null): Promise<void> => {
      const { paths } = write((writer) => writer.nameRun(join(place.directory, directory), given));
      await ingest(...paths);
    };
    await name('one', 'both');
    await name('two', 'both');
    await name('two', null);
    expect(rows(place.library, 'SELECT name, rollouts FROM run ORDER BY name')).toEqual([
      { name: 'both', rollouts: 3 },
      { name: 'two', rollouts: 4 },
    ]);
  });

  it('that are removed free their space, leave others unchanged, and re-ingest equal', async () => {
    const big = put(
      'big/1.jsonl',
      Array.from({ length: 300 }, (_, i) => line(1, i, { note: noise(i) })).join(''),
    );
    put('small/2.jsonl', lines(2, 4));
    await ingest(place.directory);
    const before = contents(place.library);
    const [found] = rows(place.library, "SELECT run_key FROM run WHERE name = 'big'");
    const size = statSync(place.library).size;
    const removal = write((writer) => writer.removal.remove(String(found?.['run_key'])));
    expect(removal).toMatchObject({ rollouts: 300, files: 1 });
    expect(removal?.bytes).toBeGreaterThan(100_000);
    expect(statSync(place.library).size).toBeLessThan(size);
    expect(rows(place.library, 'SELECT name, rollouts FROM run')).toEqual([{ name: 'small', rollouts: 4 }]);
    const left = rows(
      place.library,
      `SELECT (SELECT count(*) FROM text_block) AS texts, (SELECT count(*) FROM file_row) AS files,
       (SELECT count(*) FROM segment_row WHERE rollout_id NOT IN (SELECT rollout_id FROM rollout_row)) AS orphans`,
    );
    expect(left).toEqual([{ texts: 1, files: 1, orphans: 0 }]);
    expect(write((writer) => writer.removal.remove('no such run'))).toBeUndefined();
    await ingest(big);
    expect(contents(place.library)).toEqual(before);
  });
});

describe('prompts whose hashes begin alike', () => {
  /** The indexes hold the first eight digits, which these two share. */
  const [first, second] = ['What is 14650 + 1?', 'What is 84242 + 1?'];
  const rollout = (group: string, prompt: string): string =>
    `${JSON.stringify({
      ...{ v: 1, type: 'rollout', run: 'alike', split: 'train', step: 1, group, index: 0 },
      ...{ problem: { prompt }, text: '<answer>1</answer>', reward: 1 },
    })}\n`;

  it('are other prompts and other problems', async () => {
    await ingest(put('a.jsonl', rollout('a', first)));
    await ingest(put('b.jsonl', rollout('b', second) + rollout('c', first)));
    const db = openReader(place.library);
    const prompts = queryValue(db, 'SELECT substr(prompt_hash, 1, 8) FROM prompt_row', text).all();
    const groups = queryValue(db, 'SELECT group_id FROM group_row ORDER BY group_key', number).all();
    const same = groups.map((groupId) => JSON.parse(sameProblems(db, groupId)) as unknown);
    db.close();
    expect(prompts).toEqual(['3f04cbe5', '3f04cbe5']);
    expect(same[0]).toEqual(same[2]);
    expect(same[0]).not.toEqual(same[1]);
  });
});

/** Incompressible text. */
function noise(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 400 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8).toString(36);
  }).join(' ');
}

describe('answers without a prompt', () => {
  const answer = (content: string): string =>
    JSON.stringify({
      object: 'chat.completion',
      choices: ['', '!'].map((end, index) => ({
        ...{ index, finish_reason: 'stop', message: { role: 'assistant', content: `${content}${end}` } },
        logprobs: { content: [{ token: `${content}${end}`, logprob: -1, bytes: null, top_logprobs: [] }] },
      })),
    });

  it('are siblings within one record only', async () => {
    await ingest(put('a.jsonl', `${answer('4')}\n`), put('b.jsonl', `${answer('5')}\n${answer('6')}\n`));
    expect(
      rows(
        place.library,
        'SELECT rollouts, count(DISTINCT problem_id) AS problems FROM prompt_group GROUP BY group_id',
      ),
    ).toEqual([
      { rollouts: 2, problems: 1 },
      { rollouts: 2, problems: 1 },
      { rollouts: 2, problems: 1 },
    ]);
    expect(rows(place.library, 'SELECT count(DISTINCT problem_id) AS n FROM prompt_group')).toEqual([
      { n: 3 },
    ]);
  });
});
