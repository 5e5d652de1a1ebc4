/**
 * Joins records of several files about one rollout: in any order, in one call or many, and after one side is
 * rewritten.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const ALL = 'rollouts/step_3/train/all/traces.jsonl';
const EFFECTIVE = 'rollouts/step_3/train/effective/traces.jsonl';
const EXPORT = 'token_exports/step_3/rank_0.jsonl';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

function put(path: string, content: string | Uint8Array): string {
  const target = join(place.directory, 'run', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

const fixture = (format: string, name: string, path: string): string =>
  readFileSync(join(FIXTURES, format, name, path), 'utf8');
const ingest = (...paths: readonly string[]) => ingestHere(place.library, paths);
const run = (): string => join(place.directory, 'run');

/** Visible facts of each rollout, from whichever file. */
const rollouts = () =>
  rows(
    place.library,
    `SELECT g.group_key, r.ordinal, r.reward, r.kept, r.rule, r.advantage, r.response_chars
     FROM rollout r JOIN prompt_group g USING (group_id) ORDER BY 1, 2`,
  );
const tokens = () =>
  rows(
    place.library,
    `SELECT g.group_key, r.ordinal, t.count, hex(t.ids) AS ids, hex(t.mask) AS mask, hex(t.logprob) AS logprob,
       hex(t.entropy) AS entropy, hex(t.trainer_logprob) AS trainer, t.entropy_of AS entropyOf
     FROM token_row t JOIN rollout_row r USING (rollout_id) JOIN group_row g USING (group_id) ORDER BY 1, 2`,
  );
const step = () => rows(place.library, 'SELECT step, rollouts, kept, groups FROM step');

describe('prime-rl, which lists the rollouts of a batch again', () => {
  const all = () => put(ALL, fixture('prime-rl', 'all', ALL));
  const effective = () => put(EFFECTIVE, fixture('prime-rl', 'effective', EFFECTIVE));

  it('keeps the listed ones and discards the others, in any order of files', async () => {
    all();
    effective();
    const { files } = await ingest(run());
    const together = [rollouts(), step()];
    expect(files.map(({ joined, waiting }) => [joined, waiting])).toContainEqual([1, 0]);
    expect(rollouts().map(({ group_key: group, ordinal, kept }) => [group, ordinal, kept])).toEqual([
      ['g7', 0, 1],
      ['g7', 1, 0],
      ['g7', 2, 0],
      ['g8', 0, 0],
      ['g8', 1, 0],
      ['g9/critic', 0, 0],
      ['g9/writer', 0, 0],
    ]);
    expect(step()).toEqual([{ step: 3, rollouts: 7, kept: 1, groups: 4 }]);
    for (const order of [
      [ALL, EFFECTIVE],
      [EFFECTIVE, ALL],
    ]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(place.library + suffix, { force: true });
      for (const path of order) await ingest(join(run(), path));
      expect([rollouts(), step()]).toEqual(together);
    }
  });

  it('decides nothing without a list, and nothing about other steps', async () => {
    all();
    put(
      ALL.replace('step_3', 'step_4'),
      fixture('prime-rl', 'all', ALL).replaceAll('"step": 3', '"step": 4'),
    );
    await ingest(run());
    expect(new Set(rollouts().map(({ kept }) => kept))).toEqual(new Set([null]));
    effective();
    await ingest(run());
    expect(rows(place.library, 'SELECT step, kept FROM step ORDER BY step')).toEqual([
      { step: 3, kept: 1 },
      { step: 4, kept: null },
    ]);
  });

  it('updates decisions when the list is replaced', async () => {
    all();
    const list = effective();
    await ingest(run());
    const second = fixture('prime-rl', 'all', ALL).split('\n')[1] ?? '';
    writeFileSync(list, `${second}\n`);
    await ingest(run());
    const kept = rollouts().filter((rollout) => rollout['kept'] === 1);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.some(({ group_key: group, ordinal }) => group === 'g7' && ordinal === 0)).toBe(false);
    expect(rollouts().some((rollout) => rollout['kept'] === null)).toBe(false);
  });

  it('joins again when the full record is rewritten', async () => {
    const full = all();
    effective();
    await ingest(run());
    const before = [rollouts(), step()];
    // A different beginning: it is read from the start, and so is the list.
    writeFileSync(full, `\n${fixture('prime-rl', 'all', ALL)}`);
    await ingest(full);
    expect([rollouts(), step()]).toEqual(before);
  });

  it('gives traces the signals of the token export, read before or after', async () => {
    all();
    put(EXPORT, fixture('prime-rl', 'token-export', EXPORT));
    await ingest(join(run(), ALL));
    const [report] = (await ingest(join(run(), EXPORT))).files;
    expect(report).toMatchObject({ rollouts: 0, joined: 2, waiting: 0 });
    const after = tokens();
    expect(after[0]).toMatchObject({ count: 8, entropyOf: expect.stringContaining('trainer') });
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.library + suffix, { force: true });
    const [waiting] = (await ingest(join(run(), EXPORT))).files;
    expect(waiting).toMatchObject({ joined: 0, waiting: 2 });
    expect(rows(place.library, "SELECT code FROM ingest_issue WHERE severity = 'warning'")).toContainEqual({
      code: 'unmatched_signal',
    });
    await ingest(join(run(), ALL));
    expect(tokens()).toEqual(after);
    expect((await ingest(run())).files.map(({ waiting: still }) => still ?? 0)).toEqual([0, 0]);
  });

  it('has the signals of the export again after the traces were rewritten', async () => {
    const full = all();
    put(EXPORT, fixture('prime-rl', 'token-export', EXPORT));
    await ingest(run());
    const before = tokens();
    writeFileSync(full, `\n${fixture('prime-rl', 'all', ALL)}`);
    await ingest(full);
    expect(tokens()).toEqual(before);
  });
});

describe('AgentGym, whose texts and log-probabilities are two tables', () => {
  const texts = [0, 1].map((i) => ({
    sample_uid: `craft_7__${i}`,
    item_id: 'craft_7',
    sample_idx: i,
    goal: 'stick',
    success: i,
    reward: i,
    conversations: JSON.stringify([
      { role: 'user', content: 'Craft a stick.' },
      { role: 'assistant', content: `get ${i} planks` },
    ]),
  }));
  const table = (columns: Readonly<Record<string, readonly unknown[]>>): Uint8Array =>
    new Uint8Array(
      parquetWriteBuffer({
        columnData: Object.entries(columns).map(([name, data]) => ({
          name,
          data: [...data],
          type:
            typeof data[0] === 'number'
              ? ('DOUBLE' as const)
              : name === 'conversations' || typeof data[0] === 'object'
                ? ('JSON' as const)
                : ('STRING' as const),
        })),
      }),
    );
  const textTable = () => {
    const columns = Object.fromEntries(
      Object.keys(texts[0] ?? {}).map((name) => [
        name,
        texts.map((row) => row[name as keyof (typeof texts)[0]]),
      ]),
    );
    return table({ ...columns, conversations: texts.map((row) => JSON.parse(row.conversations) as unknown) });
  };
  const logprobTable = () =>
    table({
      sample_uid: texts.map((row) => row.sample_uid),
      token_length: [5, 5],
      sequence_old_logprobs: [
        [-9, -0.5, -0.25, -3],
        [-8, -0.75, -0.125, -2],
      ],
      assistant_mask: [
        [0, 0, 1, 1, 0],
        [0, 0, 1, 1, 0],
      ],
    });

  it('are one rollout each, in both orders', async () => {
    const pair = [put('teacher.parquet', textTable()), put('logprobs.parquet', logprobTable())];
    const seen: unknown[] = [];
    for (const order of [pair, [...pair].reverse()]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(place.library + suffix, { force: true });
      for (const path of order) await ingest(path);
      expect(rollouts()).toHaveLength(2);
      expect(tokens()).toHaveLength(2);
      seen.push([rollouts(), tokens()]);
    }
    expect(seen[1]).toEqual(seen[0]);
  });
});

describe('slime, whose rollouts and training are in separate dumps', () => {
  const dump = () => put('dump/3.jsonl', fixture('slime', 'rollout', 'rollout_data/3.jsonl'));
  const train = () => put('dump/3_0.jsonl', fixture('slime', 'train', 'train_data/3_0.jsonl'));

  it('finds the sample of a train record, in one call and in two', async () => {
    dump();
    train();
    const { files } = await ingest(run());
    expect(files.reduce((sum, { joined }) => sum + (joined ?? 0), 0)).toBe(1);
    const together = tokens();
    expect(together.find(({ ordinal, group_key: group }) => group === '0' && ordinal === 0)).toMatchObject({
      count: 4,
      entropy: expect.stringMatching(/./),
      trainer: expect.stringMatching(/./),
    });
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.library + suffix, { force: true });
    await ingest(join(run(), 'dump/3_0.jsonl'));
    await ingest(join(run(), 'dump/3.jsonl'));
    expect(tokens()).toEqual(together);
  });

  it('never joins the sample of another run', async () => {
    train();
    await ingest(run());
    const elsewhere = join(place.directory, 'other', '3.jsonl');
    mkdirSync(dirname(elsewhere), { recursive: true });
    writeFileSync(elsewhere, fixture('slime', 'rollout', 'rollout_data/3.jsonl'));
    await ingest(elsewhere);
    expect(tokens().every(({ trainer }) => trainer === '' || trainer === null)).toBe(true);
  });
});

describe('TRL, which writes the rows of one generation again under later steps', () => {
  const row = (completion: string, reward: number) => ({ completion, reward });
  // Greedy sampling makes equal rows, and rows equal to those of another generation.
  const first = [row('42', 1), row('42', 1), row('36', 0)];
  const second = [row('42', 1), row('42', 1), row('It is 36.', 0)];
  const dump = (step: number, of: typeof first) =>
    put(
      `completions/completions_${String(step).padStart(5, '0')}.parquet`,
      new Uint8Array(
        parquetWriteBuffer({
          columnData: [
            { name: 'step', data: of.map(() => BigInt(step)), type: 'INT64' },
            { name: 'prompt', data: of.map(() => 'What is 6·7?'), type: 'STRING' },
            { name: 'completion', data: of.map(({ completion }) => completion), type: 'STRING' },
            { name: 'accuracy_reward', data: of.map(({ reward }) => reward), type: 'DOUBLE' },
            { name: 'advantage', data: of.map(({ reward }) => reward - 0.5), type: 'DOUBLE' },
          ],
        }),
      ),
    );
  const perStep = () => rows(place.library, 'SELECT step, rollouts, reward_sum FROM step_row ORDER BY step');
  const counted = [
    { step: 10, rollouts: 3, reward_sum: 2 },
    { step: 13, rollouts: 3, reward_sum: 2 },
  ];

  it('counts each generation once', async () => {
    const dumps = [dump(10, first), dump(11, first), dump(12, first), dump(13, second), dump(14, second)];
    const { files } = await ingest(run());
    expect(files.map(({ joined }) => joined ?? 0)).toEqual([0, 3, 3, 0, 3]);
    expect(perStep()).toEqual(counted);
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.library + suffix, { force: true });
    for (const path of dumps) await ingest(path);
    expect(perStep()).toEqual(counted);
  });

  it('counts them once more when the first file gets other rows', async () => {
    dump(10, first);
    dump(11, first);
    await ingest(run());
    dump(10, second);
    await ingest(run());
    expect(perStep()).toEqual([
      { step: 10, rollouts: 3, reward_sum: 2 },
      { step: 11, rollouts: 3, reward_sum: 2 },
    ]);
  });
});

describe('verl, whose sessions may have several outputs', () => {
  const output = (group: number, session: number, index: number) =>
    JSON.stringify({
      input: `How many bolts? (${group})`,
      output: `Output ${index}. #### ${index}`,
      gts: '1',
      score: 1,
      step: 3,
      uid: `g${group}_${session}_${index}`,
    });

  it('joins them into one rollout, also where a batch ends between them', async () => {
    const groups = Array.from({ length: 2100 }, (_, group) => group);
    const lines = groups.flatMap((group) =>
      [0, 1, 2, 3].flatMap((session) => [output(group, session, 0), output(group, session, 1)]),
    );
    put('3.jsonl', `${lines.join('\n')}\n`);
    const { files } = await ingest(run());
    expect(files).toMatchObject([{ rollouts: 8400 }]);
    expect(rows(place.library, 'SELECT count(*) AS issues FROM ingest_issue')).toEqual([{ issues: 0 }]);
    expect(
      rows(
        place.library,
        'SELECT ordinal, count(*) AS n, min(turns) AS turns, min(answer) AS answer FROM rollout GROUP BY 1',
      ),
    ).toEqual([0, 1, 2, 3].map((ordinal) => ({ ordinal, n: 2100, turns: 2, answer: '1' })));
  });
});
