import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TookTooLongError } from '../../electron/ingest/computingTime.ts';
import { identify } from '../../electron/ingest/identify.ts';
import { previewMapping } from '../../electron/ingest/inspectFile.ts';
import { Mappings } from '../../electron/ingest/mappings.ts';
import { parseFile } from '../../electron/ingest/parseFile.ts';
import type { Parser } from '../../electron/ingest/readAhead.ts';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { getRun, listRuns } from '../../electron/storage/queries/runs.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { byteTokenizerJson, idsOf } from '../support/byteTokenizer.ts';
import { contents, ingestHere, parserHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const line = (step: number, i: number, fields: Record<string, unknown> = {}): string =>
  JSON.stringify({
    input: `user\nproblem ${Math.floor(i / 2)}\nassistant\n`,
    output: `#### ${i}`,
    score: i % 2,
    step,
    ...fields,
  });
const lines = (step: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `${line(step, i)}\n`).join('');

it('reads neither the library in a directory of logs nor its own log', async () => {
  place.file('0.jsonl', lines(0, 4));
  await ingestHere(place.library, [place.directory]);
  for (const suffix of ['.log', '.log.1']) writeFileSync(place.library + suffix, 'an error\n');
  await ingestHere(place.library, [place.directory]);
  expect(rows(place.library, 'SELECT message FROM ingest_issue')).toEqual([]);
});

it('forgets the files of a cancelled job with the run that they belong to', async () => {
  for (const name of ['a', 'b']) mkdirSync(join(place.directory, name));
  const ofRun = ['a/0.jsonl', 'a/20.jsonl'].map((name, step) => place.file(name, lines(step, 6)));
  const other = place.file('b/0.jsonl', lines(0, 4));
  let isStopped = false;
  await ingestHere(place.library, [...ofRun, other], {
    onStatus: ({ filesDone }) => {
      isStopped = filesDone > 0;
    },
    isCancelled: () => isStopped,
  });
  const unread = () =>
    rows(place.library, 'SELECT path FROM unread_row ORDER BY path').map(({ path }) => path);
  expect(unread()).toEqual([ofRun[1], other]);
  const db = openWriter(place.library);
  try {
    new LibraryWriter(db).removal.remove(String(db.prepare('SELECT run_key FROM run_row').pluck().get()));
  } finally {
    db.close();
  }
  expect(unread()).toEqual([other]);
});

it('reads nothing of a file whose job is cancelled while the file is identified', async () => {
  let isCancelled = false;
  const path = place.file('1.jsonl', lines(1, 6));
  // As in a thread, a parse hears of a cancellation only by its signal.
  const parser: Parser = {
    identify: (asked, name, mappings) => {
      isCancelled = true;
      return identify(asked, name, mappings?.detect);
    },
    parse: (request, onBatch, signal) =>
      parseFile(
        request,
        async (batch) => onBatch(batch),
        () => signal?.aborted === true,
      ),
  };
  const outcome = await ingestHere(place.library, [path], { isCancelled: () => isCancelled }, parser);
  expect(outcome).toMatchObject({ isCancelled: true, added: 0 });
  expect((await ingestHere(place.library, [path])).added).toBe(6);
});

it('does not take a file for read whose last rollouts were dropped by a cancellation', async () => {
  let isCancelled = false;
  const path = place.file('1.jsonl', lines(1, 6));
  // As in the parser's thread, a batch that waits while the job is cancelled is dropped.
  const parser: Parser = {
    identify: (asked, name, mappings) => identify(asked, name, mappings?.detect),
    parse: (request) =>
      parseFile(
        request,
        async () => {
          isCancelled = true;
        },
        () => isCancelled,
      ),
  };
  const outcome = await ingestHere(place.library, [path], { isCancelled: () => isCancelled }, parser);
  expect(outcome).toMatchObject({ isCancelled: true, added: 0 });
  expect((await ingestHere(place.library, [path])).added).toBe(6);
});

it('leaves an episode of several records to the next call if the file takes too long within it', async () => {
  const session = (n: number, part: number) => ({
    input: 'user\nHow many?\nassistant\n',
    output: `${part} ${'a'.repeat(100_000)}`,
    ...{
      gts: '1',
      score: 1,
      step: 1,
      uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}_0_${part}`,
    },
  });
  const records = Array.from({ length: 20 }, (_, n) => [0, 1, 2].map((part) => session(n, part))).flat();
  const path = place.file('1.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  let looks = 0;
  const parser = parserHere({
    checkTime: () => {
      looks++;
      if (looks === 3) throw new TookTooLongError('it takes too long');
    },
  });
  const [first] = (await ingestHere(place.library, [path], {}, parser)).files;
  expect(first).toMatchObject({ issues: [{ code: 'parser_ended' }] });
  const [second] = (await ingestHere(place.library, [path], {}, parser)).files;
  expect(second).toMatchObject({ rollouts: 20, issues: [] });
  expect(first?.rollouts).toBeLessThan(20);
  expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 20 }]);
});

it('names a run that a mapping reads by the mapping, and reads it again when the mapping is named again', async () => {
  mkdirSync(join(place.directory, 'user', 'logs'), { recursive: true });
  const path = place.file(
    'user/logs/odd.jsonl',
    `${JSON.stringify({ ask: 'Why?', said: 'So.', mark: 1 })}\n`,
  );
  const fields = { prompt: 'ask', response: 'said' };
  const mapped = (more: Mapping['fields']): Mappings =>
    new Mappings([], { version: 1, name: 'sampler', shape: ['ask', 'said'], fields: { ...fields, ...more } });
  const facts = () => rows(place.library, 'SELECT n.name, r.reward FROM rollout r JOIN run n USING (run_id)');
  await ingestHere(place.library, [path], { mappings: mapped({}) });
  expect(facts()).toEqual([{ name: 'sampler', reward: null }]);
  await ingestHere(place.library, [path], { mappings: mapped({ reward: 'mark' }), readAgain: true });
  expect(facts()).toEqual([{ name: 'sampler', reward: 1 }]);
});

it('previews the groups of a mapping, and their issues, as ingest makes them', async () => {
  const record = (problem: number, ask: string) =>
    `${JSON.stringify({ problem, ask, tries: [{ said: 'a' }, { said: 'b' }] })}\n`;
  const path = place.file('quiz.jsonl', record(0, 'One?') + record(1, 'Two?') + record(0, 'Three?'));
  const compared = async (fields: Mapping['fields']) => {
    const base = { prompt: 'ask', response: 'said' };
    const mapping: Mapping = {
      ...{ version: 1, name: 'quiz', shape: ['ask'], rollouts: 'tries' },
      fields: { ...base, ...fields },
    };
    const preview = await previewMapping(path, mapping);
    const mappings = new Mappings([], mapping);
    const outcome = await ingestHere(place.library, [path], { mappings, readAgain: true });
    const issues = preview.records.flatMap(({ number, issues: found }) =>
      found.map((issue) => ({ ...issue, line: number })),
    );
    expect(issues).toEqual(outcome.files[0]?.issues);
    expect(preview.groups).toBe(outcome.groups);
    const rules = rows(place.library, 'SELECT DISTINCT group_rule AS rule FROM prompt_group');
    const shown = preview.records.flatMap(({ rollouts }) => rollouts.map(({ groupRule }) => groupRule));
    return { rules, shown: [...new Set(shown)], groups: preview.groups, issues: issues.length };
  };
  expect(await compared({})).toEqual({
    ...{ rules: [{ rule: 'prompt' }], shown: ['prompt'], groups: 3, issues: 0 },
  });
  expect(await compared({ problem: 'problem' })).toEqual({
    ...{ rules: [{ rule: 'logged' }], shown: ['problem'], groups: 2, issues: 2 },
  });
  expect(await compared({ group: 'ask', problem: 'problem' })).toEqual({
    ...{ rules: [{ rule: 'logged' }], shown: ['logged'], groups: 3, issues: 0 },
  });
});

it('leaves no empty run when a corrected mapping makes another run of the same files', async () => {
  const record = (mark: number) => `${JSON.stringify({ ask: 'Why?', said: 'So.', mark })}\n`;
  const paths = [place.file('one.jsonl', record(1)), place.file('two.jsonl', record(2))];
  const fields = { prompt: 'ask', response: 'said' };
  const mapped = (more: Mapping['fields']): Mappings =>
    new Mappings([], { version: 1, name: 'quiz', shape: ['ask'], fields: { ...fields, ...more } });
  const runs = () =>
    rows(place.library, 'SELECT run_key AS runKey, name, steps, rollouts FROM run ORDER BY run_id');
  await ingestHere(place.library, paths.slice(0, 1), { mappings: mapped({}) });
  const [before] = runs();
  // A run with steps is another run than one without.
  const again = { mappings: mapped({ step: 'mark' }), readAgain: true };
  await ingestHere(place.library, paths.slice(0, 1), again);
  expect(runs()).toEqual([{ ...before, steps: 1, rollouts: 1 }]);

  await ingestHere(place.library, paths, { mappings: mapped({}), readAgain: true });
  expect(runs()).toMatchObject([{ rollouts: 2 }]);
  await ingestHere(place.library, paths, again);
  expect(runs()).toMatchObject([{ name: 'quiz', steps: 2, rollouts: 2 }]);
});

it('keeps what a deleted mapping has read, and refuses the file once it has grown', async () => {
  const record = `${JSON.stringify({ ask: 'Why?', said: 'So.' })}\n`;
  const path = place.file('odd.jsonl', record);
  const fields = { prompt: 'ask', response: 'said' };
  const mappings = new Mappings([{ version: 1, name: 'odd', shape: ['ask', 'said'], fields }]);
  await ingestHere(place.library, [path], { mappings });
  const kept = () => rows(place.library, 'SELECT line FROM rollout ORDER BY line');
  expect((await ingestHere(place.library, [path])).files).toMatchObject([
    { status: 'unchanged', issues: [] },
  ]);
  appendFileSync(path, record);
  const grown = await ingestHere(place.library, [path]);
  expect(grown.files).toMatchObject([{ status: 'refused', issues: [{ code: 'unknown_format' }] }]);
  expect(kept()).toEqual([{ line: 1 }]);
  await ingestHere(place.library, [path], { mappings });
  expect(kept()).toEqual([{ line: 1 }, { line: 2 }]);
});

it('adds up the tokens of the turns where no tokens are logged, and only if each turn has its count', async () => {
  const fixtures = join(import.meta.dirname, '../../fixtures');
  await ingestHere(place.library, [join(fixtures, 'openai-agents'), join(fixtures, 'atif')]);
  const found = rows(
    place.library,
    `SELECT DISTINCT policy_tokens AS tokens,
       (SELECT json_group_array(t.policy_tokens) FROM turn t WHERE t.rollout_id = r.rollout_id) AS ofTurns
     FROM rollout r ORDER BY 1, 2`,
  );
  expect(found).toEqual([
    { tokens: null, ofTurns: '[12,null]' },
    { tokens: null, ofTurns: '[]' },
    { tokens: null, ofTurns: '[null,null]' },
    { tokens: null, ofTurns: '[null]' },
    { tokens: 1, ofTurns: '[1]' },
    { tokens: 5, ofTurns: '[3,2]' },
    { tokens: 6, ofTurns: '[6]' },
    { tokens: 12, ofTurns: '[7,5]' },
    { tokens: 15, ofTurns: '[9,6]' },
  ]);
});

describe('changes since the last ingest', () => {
  it('does nothing for an unchanged file, and counts existing rollouts', async () => {
    const path = place.file('1.jsonl', lines(1, 6));
    await ingestHere(place.library, [path]);
    const before = contents(place.library);
    const again = await ingestHere(place.library, [path]);
    expect(again.files).toMatchObject([{ status: 'unchanged', rollouts: 6, format: 'verl' }]);
    expect(again.groups).toBe(3);
    expect(contents(place.library)).toEqual(before);
  });

  it('reads an unchanged file from its start when asked to, also in the call after an interrupted one', async () => {
    const paths = [1, 2].map((step) => place.file(`${step}.jsonl`, lines(step, 6)));
    await ingestHere(place.library, paths);
    const before = contents(place.library);
    // An earlier version read no rewards.
    const forgetRewards = (): void => {
      const db = openWriter(place.library);
      db.exec('UPDATE rollout_row SET reward = NULL, logged_correct = NULL, is_correct = NULL');
      db.close();
    };
    forgetRewards();
    await ingestHere(place.library, paths);
    expect(contents(place.library)).not.toEqual(before);
    const again = await ingestHere(place.library, paths, { readAgain: true });
    expect(again.files).toMatchObject([
      { status: 'read', rollouts: 6 },
      { status: 'read', rollouts: 6 },
    ]);
    expect(contents(place.library)).toEqual(before);
    forgetRewards();
    let isStopped = false;
    const onStatus = ({ filesDone }: { filesDone: number }) => {
      isStopped = filesDone > 0;
    };
    const stopped = await ingestHere(place.library, paths, {
      readAgain: true,
      onStatus,
      isCancelled: () => isStopped,
    });
    expect(stopped).toMatchObject({ isCancelled: true, files: [{ status: 'read' }] });
    expect(rows(place.library, 'SELECT path FROM unread_row')).toEqual([{ path: paths[1] }]);
    const rest = await ingestHere(place.library, paths);
    expect(rest.files).toMatchObject([{ status: 'unchanged' }, { status: 'read', rollouts: 6 }]);
    expect(contents(place.library)).toEqual(before);
  });

  it('continues an appended file, also inside a group and after a line without line end', async () => {
    const path = place.file('1.jsonl', lines(1, 5).trimEnd());
    await ingestHere(place.library, [path]);
    appendFileSync(path, `\n${line(1, 5)}\n${line(1, 6)}\n`);
    const again = await ingestHere(place.library, [path]);
    expect(again.files).toMatchObject([{ status: 'appended', rollouts: 7 }]);
    expect(rows(place.library, 'SELECT line, ordinal FROM rollout ORDER BY line')).toEqual(
      [0, 1, 0, 1, 0, 1, 0].map((ordinal, i) => ({ line: i + 1, ordinal })),
    );
  });

  it('skips a half-written last line with a report, and reads it once complete', async () => {
    const whole = lines(1, 4);
    const path = place.file('1.jsonl', whole.slice(0, -20));
    const first = await ingestHere(place.library, [path]);
    expect(first.files).toMatchObject([{ rollouts: 3, issues: [{ line: 4, code: 'incomplete_line' }] }]);
    writeFileSync(path, whole);
    const second = await ingestHere(place.library, [path]);
    expect(second.files).toMatchObject([{ status: 'appended', rollouts: 4, issues: [] }]);
    expect(rows(place.library, 'SELECT line FROM rollout ORDER BY line').map((row) => row['line'])).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it.each([
    ['truncated', (path: string) => truncateSync(path, 3 * line(1, 0).length + 3)],
    [
      'replaced by other content of the same size',
      (path: string) => writeFileSync(path, lines(1, 6).replaceAll('"score":1', '"score":0')),
    ],
    [
      'replaced by a rename',
      (path: string) => {
        writeFileSync(`${path}.new`, lines(2, 3));
        renameSync(`${path}.new`, path);
      },
    ],
  ])('starts over when the file was %s', async (_what, change) => {
    const path = place.file('1.jsonl', lines(1, 6));
    await ingestHere(place.library, [path]);
    change(path);
    const again = await ingestHere(place.library, [path]);
    expect(again.files).toMatchObject([{ status: 'read' }]);
    const fresh = scratch();
    try {
      await ingestHere(fresh.library, [path]);
      const withoutKey = (library: string) =>
        contents(library)['rollouts']?.map(({ run_key: _, ...row }) => row);
      expect(withoutKey(place.library)).toEqual(withoutKey(fresh.library));
      expect(contents(place.library)['steps']?.length).toBe(contents(fresh.library)['steps']?.length);
    } finally {
      fresh.remove();
    }
  });

  it('starts over when the file was rewritten with the same beginning and grew', async () => {
    const prompt = `user\n${'p'.repeat(6000)}\nassistant\n`;
    const long = (i: number, output: string) => `${line(1, i, { input: prompt, output })}\n`;
    const path = place.file('1.jsonl', [0, 1, 2].map((i) => long(i, `old ${i}`)).join(''));
    await ingestHere(place.library, [path]);
    writeFileSync(path, [0, 1, 2, 3].map((i) => long(i, `new and longer ${i}`)).join(''));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'read', rollouts: 4, issues: [] },
    ]);
    const texts = rows(place.library, 'SELECT text FROM segment WHERE turn = 1 ORDER BY rollout_id');
    expect(texts.map((row) => row['text'])).toEqual([0, 1, 2, 3].map((i) => `new and longer ${i}`));
  });

  it('recognizes a moved directory', async () => {
    const old = join(place.directory, 'old');
    mkdirSync(old);
    writeFileSync(join(old, '1.jsonl'), lines(1, 4));
    await ingestHere(place.library, [old]);
    const { run_key: runKey } = rows(place.library, 'SELECT run_key FROM run')[0] ?? {};
    const moved = join(place.directory, 'moved');
    renameSync(old, moved);
    await ingestHere(place.library, [moved]);
    expect(rows(place.library, 'SELECT run_key, directory FROM run')).toEqual([
      { run_key: runKey, directory: moved },
    ]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 4 }]);
  });
});

describe('correctness', () => {
  it('derives correctness from the reward only if all rewards of the run are 0 or 1, also in hindsight', async () => {
    const path = place.file('1.jsonl', lines(1, 4));
    await ingestHere(place.library, [path]);
    const correct = () =>
      rows(place.library, 'SELECT is_correct FROM rollout ORDER BY line').map((row) => row['is_correct']);
    expect(correct()).toEqual([0, 1, 0, 1]);
    expect(rows(place.library, 'SELECT correct FROM prompt_group')).toEqual([{ correct: 1 }, { correct: 1 }]);
    const other = place.file('2.jsonl', `${line(2, 0, { score: 0.5 })}\n`);
    await ingestHere(place.library, [other]);
    expect(correct()).toEqual([null, null, null, null, null]);
    writeFileSync(other, `${line(2, 0, { score: 1 })}\n`);
    await ingestHere(place.library, [other]);
    expect(rows(place.library, 'SELECT correct FROM step ORDER BY step')).toEqual([
      { correct: 2 },
      { correct: 1 },
    ]);
    rmSync(other);
    appendFileSync(path, `${line(1, 4, { score: 0.5 })}\n${line(1, 5, { acc: true })}\n`);
    await ingestHere(place.library, [path]);
    expect(
      rows(place.library, 'SELECT is_correct FROM rollout WHERE step = 1 ORDER BY line').map(
        (row) => row['is_correct'],
      ),
    ).toEqual([null, null, null, null, null, 1]);
    expect(rows(place.library, 'SELECT correct FROM prompt_group WHERE step = 1')).toEqual([
      { correct: null },
      { correct: null },
      { correct: 1 },
    ]);
  });
});

describe('the Turnwise log', () => {
  const rollout = (index: number, fields = {}): string =>
    JSON.stringify({
      v: 1,
      type: 'rollout',
      run: 'r',
      step: 1,
      group: 'g',
      index,
      problem: { id: 'g', prompt: '?' },
      text: `t${index}`,
      ...fields,
    });
  const decision = (index: number, kept: boolean): string =>
    JSON.stringify({
      v: 1,
      type: 'decision',
      run: 'r',
      step: 1,
      group: 'g',
      index,
      kept,
      reason: kept ? 'kept_positive_topk' : 'discarded_negative_quota',
    });

  it('matches decisions that come first, or from another file, and names missing rollouts', async () => {
    const first = place.file('a.jsonl', `${decision(0, true)}\n${decision(7, false)}\n${rollout(0)}\n`);
    const early = await ingestHere(place.library, [first]);
    expect(early.files).toMatchObject([
      { rollouts: 1, issues: [{ line: 2, code: 'unmatched_decision', severity: 'warning' }] },
    ]);
    const second = place.file('b.jsonl', `${rollout(7)}\n`);
    const late = await ingestHere(place.library, [first, second]);
    expect(late.files.flatMap((file) => file.issues)).toEqual([]);
    expect(rows(place.library, 'SELECT ordinal, kept FROM rollout ORDER BY 1')).toEqual([
      { ordinal: 0, kept: 1 },
      { ordinal: 7, kept: 0 },
    ]);
    expect(rows(place.library, 'SELECT rollouts, kept FROM prompt_group')).toEqual([
      { rollouts: 2, kept: 1 },
    ]);
  });

  it('keeps decisions and signals of other files when the file of their rollouts is replaced', async () => {
    const signal = JSON.stringify({
      v: 1,
      type: 'signal',
      run: 'r',
      step: 1,
      group: 'g',
      index: 0,
      tokens: { entropy: [0.5, 1.5] },
    });
    const others = place.file('decisions.jsonl', `${decision(0, true)}\n${signal}\n`);
    const tokens = { text: ['t', '0'], mask: [1, 1] };
    const rolloutsAt = place.file('rollouts.jsonl', `${rollout(0, { text: undefined, tokens })}\n`);
    await ingestHere(place.library, [place.directory]);
    const seen = () => rows(place.library, 'SELECT kept, reason, mean_entropy, policy_tokens FROM rollout');
    expect(seen()).toEqual([{ kept: 1, reason: 'kept_positive_topk', mean_entropy: 1, policy_tokens: 2 }]);
    expect(rows(place.library, 'SELECT policy_tokens FROM turn')).toEqual([{ policy_tokens: 2 }]);
    writeFileSync(rolloutsAt, `${rollout(0, { text: undefined, tokens, reward: 1 })}\n`);
    writeFileSync(others, `${readFileSync(others, 'utf8')}`);
    const again = await ingestHere(place.library, [place.directory]);
    expect(again.files.flatMap((file) => file.issues)).toEqual([]);
    expect(seen()).toEqual([{ kept: 1, reason: 'kept_positive_topk', mean_entropy: 1, policy_tokens: 2 }]);
  });

  it('gives a decision to the split it names', async () => {
    const ofEval = JSON.stringify({ ...(JSON.parse(decision(0, true)) as object), split: 'eval' });
    const path = place.file('a.jsonl', `${ofEval}\n${rollout(0)}\n${rollout(0, { split: 'eval' })}\n`);
    await ingestHere(place.library, [path]);
    expect(
      rows(place.library, 'SELECT n.kind, r.kept FROM rollout r JOIN run n USING (run_id) ORDER BY 1'),
    ).toEqual([
      { kind: 'eval', kept: 1 },
      { kind: 'train', kept: null },
    ]);
  });

  it('merges no equal records, and loses none with a taken index', async () => {
    const path = place.file('a.jsonl', `${rollout(0)}\n${rollout(0)}\n${rollout(0, { text: 'other' })}\n`);
    const outcome = await ingestHere(place.library, [path]);
    expect(outcome.files[0]?.issues.map(({ line: at, code }) => [at, code])).toEqual([
      [2, 'duplicate_rollout'],
      [3, 'duplicate_rollout'],
    ]);
    expect(rows(place.library, 'SELECT ordinal, line FROM rollout ORDER BY 1')).toEqual([
      { ordinal: 0, line: 1 },
      { ordinal: 1, line: 2 },
      { ordinal: 2, line: 3 },
    ]);
  });

  it('keeps train and eval splits of a run apart', async () => {
    const path = place.file('a.jsonl', `${rollout(0)}\n${rollout(0, { split: 'eval' })}\n`);
    await ingestHere(place.library, [path]);
    expect(rows(place.library, 'SELECT run_key, kind, rollouts FROM run ORDER BY 1')).toEqual([
      { run_key: 'r', kind: 'train', rollouts: 1 },
      { run_key: 'r~eval', kind: 'eval', rollouts: 1 },
    ]);
  });

  it('adds signals to the tokens of their rollout, and refuses those of another length', async () => {
    const tokens = { text: ['t', '0'], mask: [1, 1] };
    const signal = (entropy: number[]) =>
      JSON.stringify({ v: 1, type: 'signal', run: 'r', step: 1, group: 'g', index: 0, tokens: { entropy } });
    const path = place.file(
      'a.jsonl',
      `${signal([0.5, 1.5])}\n${rollout(0, { text: undefined, tokens })}\n${signal([1, 2, 3])}\n`,
    );
    const outcome = await ingestHere(place.library, [path]);
    expect(outcome.files[0]?.issues).toMatchObject([{ line: 3, code: 'signal_length', severity: 'refused' }]);
    expect(rows(place.library, 'SELECT policy_tokens, mean_entropy FROM rollout')).toEqual([
      { policy_tokens: 2, mean_entropy: 1 },
    ]);
  });

  it('counts on its run; for a file of several runs, on the file', async () => {
    const own = place.file('own.jsonl', `${rollout(0, { run: 'own' })}\nno json\n`);
    const shared = place.file(
      'shared.jsonl',
      `${rollout(0, { run: 'a' })}\n${rollout(0, { run: 'b' })}\n{"v": 1}\nno json\n`,
    );
    await ingestHere(place.library, [own, shared]);
    const db = openReader(place.library);
    try {
      const counted = Object.fromEntries(
        listRuns(db).map(({ runKey, issues, sharedIssues }) => [runKey, [issues, sharedIssues]]),
      );
      expect(counted).toEqual({ own: [1, undefined], a: [0, 2], b: [0, 2] });
      expect(getRun(db, 'a')).toMatchObject({ issues: 0, sharedIssues: 2 });
    } finally {
      db.close();
    }
  });

  it('the list of runs reads the issues of a file as often for thirty runs as for three', async () => {
    const issues = 15;
    const readsFor = async (runs: number): Promise<number> => {
      const all = Array.from({ length: runs }, (_, i) => `${rollout(0, { run: `${runs} ${i}` })}\n`);
      const path = place.file(`${runs}.jsonl`, `${all.join('')}${'no json\n'.repeat(issues)}`);
      const library = `${place.library}-${runs}`;
      await ingestHere(library, [path]);
      const db = openWriter(library);
      try {
        let reads = 0;
        db.function('is_read', { deterministic: false }, (_line) => {
          reads++;
          return 1;
        });
        // A temporary view has precedence over the table.
        db.exec('CREATE TEMP VIEW issue_row AS SELECT * FROM main.issue_row WHERE is_read(line)');
        expect(listRuns(db).map(({ sharedIssues }) => sharedIssues)).toEqual(all.map(() => issues));
        return reads;
      } finally {
        db.close();
      }
    };
    const few = await readsFor(3);
    expect(few).toBeGreaterThanOrEqual(issues);
    expect(await readsFor(30)).toBe(few);
  });

  it('a step beyond the number range is reported with its line', async () => {
    const turnwise = place.file(
      'a.jsonl',
      ['1e300', '9007199254740993', '1e400', '-1', '1.5']
        .map((step) => rollout(0).replace('"step":1', `"step":${step}`))
        .concat('{"v":1,"type":"metric","run":"r","step":1e300,"metrics":{"a":1}}', rollout(1))
        .join('\n'),
    );
    const verl = place.file('verl.jsonl', `${line(1, 0)}\n${line(1e300, 1)}\n`);
    const { files } = await ingestHere(place.library, [turnwise, verl]);
    const said = files.map((file) => file.issues.map(({ line: at, message }) => [at, message]));
    const limit = 'and whole numbers are read up to 9007199254740991 (2^53 − 1)';
    const needs = 'a rollout needs a whole number in "step"';
    expect(said[0]).toEqual([
      [1, `${needs}; it is 1e+300, ${limit}`],
      [2, `${needs}; it is 9007199254740993, ${limit}`],
      [3, `${needs}; it is a number above 1.8e308, ${limit}`],
      [4, `${needs}; it is -1`],
      [5, `${needs}; it is 1.5`],
      [
        6,
        `a metric line needs a whole number in "step" and an object in "metrics"; "step" is 1e+300, ${limit}`,
      ],
    ]);
    expect(said[1]?.[0]?.[0]).toBe(2);
    expect(said[1]?.[0]?.[1]).toContain(`1e+300, ${limit}`);
  });

  it('an index that is no position is reported with its line, and its rollout is kept', async () => {
    const path = place.file(
      'a.jsonl',
      ['-1', '1e300', '1.5', '"7"', 'null', '9']
        .map((index) => rollout(0).replace('"index":0', `"index":${index},"part":null,"pool":null`))
        .concat(rollout(20, { part: -2, pool: 0.5 }))
        .join('\n'),
    );
    const { files } = await ingestHere(place.library, [path]);
    const needs = '"index" is a whole number from 0';
    const instead = 'the next free index of the group is used';
    expect(files[0]?.issues.map(({ line: at, code, message }) => [at, code, message])).toEqual([
      [1, 'unread_value', `${needs}; it is -1; ${instead}`],
      [
        2,
        'unread_value',
        `${needs}; it is 1e+300, and whole numbers are read up to 9007199254740991 (2^53 − 1); ${instead}`,
      ],
      [3, 'unread_value', `${needs}; it is 1.5; ${instead}`],
      [4, 'unread_value', `${needs}; it is "7"; ${instead}`],
      [7, 'unread_value', '"part" is a whole number from 0; it is -2; the line is a rollout of its own'],
      [7, 'unread_value', '"pool" is a whole number from 0; it is 0.5; it is unknown'],
    ]);
    expect(rows(place.library, 'SELECT ordinal FROM rollout_row ORDER BY rollout_id')).toEqual(
      [0, 1, 2, 3, 4, 9, 20].map((ordinal) => ({ ordinal })),
    );
  });
});

it('takes the tokenizer beside a log for 16 of its runs, because each keeps a copy', async () => {
  place.file('tokenizer.json', JSON.stringify(byteTokenizerJson([], [])));
  const rollout = (run: number) => ({
    ...{ v: 1, type: 'rollout', run: `run-${run}`, step: 0, split: 'train', group: 'g', index: 0 },
    ...{ problem: { id: 'p', prompt: 'q' }, text: 'hi', tokens: { ids: idsOf('hi') } },
  });
  const text = Array.from({ length: 20 }, (_, run) => `${JSON.stringify(rollout(run))}\n`).join('');
  place.file('log.jsonl', text);
  const { files } = await ingestHere(place.library, [place.directory]);
  expect(rows(place.library, 'SELECT count(*) AS n FROM tokenizer_row')).toEqual([{ n: 16 }]);
  const left = files.flatMap(({ issues }) => issues).filter(({ code }) => code === 'unplaced_tokens');
  expect(left).toHaveLength(4);
  expect(left[0]?.message).toContain('the log has 20 runs, and tokenizer.json is taken for 16');
});

it('shows two hundred characters of the name of a run and of a stage', async () => {
  const run = '\u0e01'.repeat(2_000);
  const rollout = { v: 1, type: 'rollout', run, step: 0, split: 'train', group: 'g', index: 0 };
  const lines = [
    { v: 1, type: 'stage', run, from_step: 0, name: run, changes: {} },
    { ...rollout, problem: { id: 'p', prompt: 'q' }, text: 'hi' },
  ];
  place.file('log.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await ingestHere(place.library, [place.directory]);
  const db = openReader(place.library);
  const [summary] = listRuns(db);
  expect(summary?.name).toBe(`${'\u0e01'.repeat(200)}…`);
  expect(getRun(db, summary?.runKey ?? '')?.stages.map(({ name }) => name)).toEqual([summary?.name]);
  db.close();
});

describe('bad input', () => {
  it('reports every file met, and reads the rest', async () => {
    place.file('1.jsonl', lines(1, 2));
    place.file('pointer.jsonl', 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 901838\n');
    place.file('image.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]));
    place.file('packed.jsonl.gz', Buffer.from([0x1f, 0x8b, 8, 0, 0]));
    place.file('dump.pt', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]));
    place.file('utf16.jsonl', Buffer.from('\ufeff{}', 'utf16le'));
    place.file('notes.md', '# not a log\n');
    place.file('empty.jsonl', '');
    place.file('other.jsonl', '{"foo": 1, "bar": 2}\n');
    const tokenizer = { version: '1.0', truncation: null, padding: null, added_tokens: [], model: {} };
    place.file('qwen.json', JSON.stringify(tokenizer, undefined, 2));
    // A file of this name belongs to the logs in its directory.
    place.file('tokenizer.json', JSON.stringify(tokenizer, undefined, 2));
    place.file('.hidden', 'x');
    symlinkSync(place.directory, join(place.directory, 'loop'));
    const outcome = await ingestHere(place.library, [place.directory, join(place.directory, 'missing')]);
    const seen = outcome.files.map((file) => [
      file.path.slice(place.directory.length + 1),
      file.status,
      file.format,
      file.issues[0]?.code,
    ]);
    expect(seen).toEqual([
      ['1.jsonl', 'read', 'verl', undefined],
      ['dump.pt', 'refused', null, 'damaged'],
      ['empty.jsonl', 'read', null, 'empty_file'],
      ['image.png', 'refused', null, 'binary'],
      ['notes.md', 'refused', null, 'no_records'],
      ['other.jsonl', 'refused', null, 'unknown_format'],
      ['packed.jsonl.gz', 'refused', null, 'no_records'],
      ['pointer.jsonl', 'refused', null, 'git_lfs_pointer'],
      ['qwen.json', 'refused', null, 'tokenizer'],
      ['utf16.jsonl', 'refused', null, 'utf16'],
      ['missing', 'refused', null, 'not_found'],
    ]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 2 }]);
  });

  it('names a directory that is too deep, and reads its neighbours', async () => {
    const deep = join(place.directory, 'd/'.repeat(300));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, '1.jsonl'), lines(1, 2));
    place.file('e.jsonl', lines(1, 2));
    const { files } = await ingestHere(place.library, [place.directory]);
    expect(files.map(({ status, issues }) => [status, issues[0]?.code])).toEqual([
      ['refused', 'too_deep'],
      ['read', undefined],
    ]);
    expect(files[0]?.path.split('/')).toHaveLength(256);
  });

  it('asks the file system once about files that begin alike', () => {
    place.file('1.jsonl', '');
    const db = openWriter(place.library);
    const writer = new LibraryWriter(db);
    const identity = { bytes: 0, mtimeMs: 0, headHash: '', headBytes: 0 };
    for (let i = 0; i < 5; i++)
      writer.addFile({ ...identity, path: `/a/${i}.txt`, inode: `${i}` }, undefined, 'read');
    const asked: string[] = [];
    writer.movedFile({ ...identity, path: '/a/new.txt', inode: '3' }, (path) => asked.push(path) === 0);
    db.close();
    expect(asked).toEqual(['/a/3.txt']);
  });

  it('what a stopped call left out is known, and read by the next', async () => {
    place.file('1.jsonl', lines(1, 600));
    place.file('2.jsonl', lines(2, 4));
    place.file('3.jsonl', lines(3, 4));
    const unread = () =>
      rows(place.library, 'SELECT path, records, bytes_read, bytes FROM unread_file ORDER BY 1');
    let isCancelled = false;
    const outcome = await ingestHere(place.library, [place.directory], {
      isCancelled: () => isCancelled,
      // The first file is done.
      onStatus: ({ filesDone }) => {
        isCancelled = filesDone >= 1;
      },
    });
    expect(outcome.isCancelled).toBe(true);
    const [second, third] = ['2.jsonl', '3.jsonl'].map((name) => join(place.directory, name));
    expect(unread()).toMatchObject([
      { path: second, records: 0, bytes_read: 0 },
      { path: third, records: 0, bytes_read: 0 },
    ]);
    expect(unread().every(({ bytes }) => Number(bytes) > 0)).toBe(true);
    await ingestHere(place.library, [String(second), String(third)]);
    expect(unread()).toEqual([]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 608 }]);
  });

  it('nesting that exhausts the stack costs at most its file', async () => {
    place.file('a.json', `${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    place.file('b.jsonl', lines(1, 2));
    const outcome = await ingestHere(place.library, [place.directory]);
    expect(outcome.files.map((file) => [file.status, file.rollouts])).toEqual([
      ['refused', 0],
      ['read', 2],
    ]);
    expect(outcome.files[0]?.issues[0]?.severity).toBe('refused');
  });

  it('a file has the format of most of its records', async () => {
    const foreign = JSON.stringify({
      ...{ example_id: 1, prompt: [{ role: 'user', content: 'q' }], reward: 1 },
      completion: [{ role: 'assistant', content: 'a' }],
    });
    place.file('1.jsonl', `${foreign}\n${lines(1, 5)}`);
    const outcome = await ingestHere(place.library, [place.directory]);
    expect(outcome.files[0]).toMatchObject({ format: 'verl', rollouts: 5 });
    expect(outcome.files[0]?.issues).toMatchObject([{ severity: 'refused', line: 1 }]);
  });

  it.each([
    ['with a NaN', '"score": NaN', [1, 2, 3], 'non_finite_number'],
    ['with an integer beyond 2^53', '"score": 1, "seed": 12345678901234567890', [1, 2, 3], undefined],
    ['that is malformed', '"score": ', [1, 3], 'bad_json'],
    // Extra fields that are nested too deeply are left out.
    [
      'that nests too deep',
      `"score": 1, "x": ${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      [1, 2, 3],
      undefined,
    ],
  ])('a line of 18 MB %s costs at most itself', async (_what, rest, read, code) => {
    const long = `{"input": "q", "output": "${'x'.repeat(18_000_000)}", "step": 1, ${rest}}`;
    const path = place.file('1.jsonl', `${line(1, 0)}\n${long}\n${line(1, 1)}\n`);
    const outcome = await ingestHere(place.library, [path]);
    expect(outcome.files[0]?.issues.map((issue) => [issue.line, issue.code])).toEqual(
      code === undefined ? [] : [[2, code]],
    );
    expect(rows(place.library, 'SELECT line FROM rollout ORDER BY 1').map((row) => row['line'])).toEqual(
      read,
    );
  });

  it('reads one line of 18 MB like any other', async () => {
    const long = line(1, 0, { output: `${'All work. '.repeat(1_800_000)}#### 5` });
    const path = place.file('1.jsonl', `${long}\n${line(1, 1)}\n`);
    const outcome = await ingestHere(place.library, [path]);
    expect(outcome.files).toMatchObject([{ rollouts: 2, issues: [] }]);
    const read = rows(
      place.library,
      "SELECT length(text) AS chars FROM segment WHERE kind = 'text' ORDER BY rollout_id",
    );
    expect(read[0]?.['chars']).toBe(18_000_006);
  });

  it('keeps rollouts of an unreadable file until it is readable again', async () => {
    const pipe = join(place.directory, 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    const outcome = await ingestHere(place.library, [pipe]);
    expect(outcome.files).toMatchObject([{ status: 'refused', issues: [{ code: 'not_a_file' }] }]);
    const issues = () => rows(place.library, 'SELECT path, line, severity, code FROM ingest_issue');
    expect(issues()).toEqual([{ path: pipe, line: null, severity: 'refused', code: 'not_a_file' }]);
    rmSync(pipe);
    writeFileSync(pipe, lines(1, 2));
    expect((await ingestHere(place.library, [pipe])).files).toMatchObject([{ status: 'read', rollouts: 2 }]);
    expect(issues()).toEqual([]);
  });

  it('names the run that has grown, although a known run comes first', async () => {
    const known = join(place.directory, 'a');
    mkdirSync(known);
    writeFileSync(join(known, '1.jsonl'), lines(1, 2));
    await ingestHere(place.library, [known]);
    const added = join(place.directory, 'b');
    mkdirSync(added);
    writeFileSync(join(added, '1.jsonl'), lines(1, 4));
    const named: (readonly [string | undefined, number | undefined])[] = [];
    const onStatus = ({ runKey, runs }: { runKey?: string; runs?: number }) => named.push([runKey, runs]);
    const { runKeys } = await ingestHere(place.library, [known, added], { onStatus });
    expect(runKeys).toHaveLength(2);
    expect(named.at(-1)).toEqual([runKeys[1], 1]);
    await ingestHere(place.library, [known, added], { onStatus });
    expect(named.at(-1)).toEqual([runKeys[0], 2]);
  });

  it('ingests a refused file once it has become a log', async () => {
    const path = place.file('1.jsonl', 'not yet\n');
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ status: 'refused' }]);
    writeFileSync(path, lines(1, 2));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 2, issues: [] }]);
  });
});

describe('the golden fixtures', () => {
  it('survive the library unchanged', async () => {
    const fixture = join(
      import.meta.dirname,
      '..',
      '..',
      'fixtures',
      'verl',
      'rstar2-released',
      'input.jsonl',
    );
    await ingestHere(place.library, [fixture]);
    const first = JSON.parse(readFileSync(fixture, 'utf8').split('\n')[0] ?? '') as { output: string };
    const texts = rows(
      place.library,
      'SELECT text FROM segment WHERE rollout_id = 1 AND turn > 0 ORDER BY ordinal',
    );
    for (const { text } of texts) expect(first.output).toContain(String(text));
    expect(rows(place.library, 'SELECT outcome, count(*) AS n FROM tool_call GROUP BY 1 ORDER BY 1')).toEqual(
      [
        { outcome: 'dispatch_error', n: 1 },
        { outcome: 'exception', n: 1 },
        { outcome: 'infra', n: 1 },
        { outcome: 'missing', n: 1 },
        { outcome: 'ok_empty', n: 1 },
        { outcome: 'ok_stdout', n: 2 },
        { outcome: 'timeout', n: 1 },
      ],
    );
    expect(
      rows(place.library, 'SELECT arguments, code, response FROM tool_call WHERE rollout_id = 1'),
    ).toEqual([
      {
        arguments: '{"code":"print(6*7)","input":""}',
        code: 'print(6*7)',
        response: 'Tool call success\nstdout: 42\n\nexecution time: 0.02s',
      },
    ]);
  });
});
