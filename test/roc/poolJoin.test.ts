/**
 * A trace of the whole pool and verl dumps of the kept rollouts: one group with decisions, and the reverse.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter } from '../../electron/storage/open.ts';
import type { PoolJoinRow } from '../../shared/api/contract.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
  for (const name of ['pool', 'kept']) mkdirSync(join(place.directory, name));
});
afterEach(() => place.remove());

const QUESTION = 'What is 6 times 7?';
const responseOf = (n: number): string =>
  `Try ${n}.</reason>\n<tool_call>\n{"name": "python_code_with_standard_io", "arguments": {"code": "print(${n})"}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n${n}\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>Good.</reason><answer>\\boxed{${n}}</answer><|im_end|>`;
const promptOf = (question: string): string =>
  `<|im_start|>system\nThink.<|im_end|>\n<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n<reason>`;
const stripped = (text: string): string => text.replaceAll(/<\|im_(?:start|end)\|>/g, '');

/** Weave calls: every rollout, no reward, no decision. */
function trace(step: number, question: string, sample: number, numbers: readonly number[]): string {
  return numbers
    .map((n, rollout) =>
      JSON.stringify({
        id: `call-${step}-${sample}-${rollout}`,
        op_name: 'weave:///team/run/op/RStar2AgentLoop.run:1',
        attributes: { step, sample_index: sample, rollout_n: rollout, validate: false },
        inputs: {},
        output: { prompt_text: promptOf(question), response_text: responseOf(n), num_turns: 4 },
        started_at: '2026-01-01T00:00:00Z',
      }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A verl dump: kept rollouts without special tokens, with scores. */
const dump = (step: number, question: string, numbers: readonly number[]): string =>
  numbers
    .map((n) => {
      const output = stripped(responseOf(n));
      return `${JSON.stringify({ input: stripped(promptOf(question)), output, gts: '42', score: Number(n === 42), step })}\n`;
    })
    .join('');

async function readBoth(pool: string, kept: string): Promise<{ poolKey: string; keptKey: string }> {
  await ingestHere(place.library, [place.file('pool/traces.jsonl', pool)]);
  await ingestHere(place.library, [place.file('kept/7.jsonl', kept)]);
  const keyOf = (format: string) =>
    String(rows(place.library, `SELECT run_key FROM run WHERE format = '${format}'`)[0]?.['run_key']);
  return { poolKey: keyOf('verl-trace'), keptKey: keyOf('verl') };
}

function withWriter<T>(work: (writer: LibraryWriter) => T): T {
  const db = openWriter(place.library);
  try {
    return work(new LibraryWriter(db));
  } finally {
    db.close();
  }
}

const joined = (keys: { poolKey: string; keptKey: string }): PoolJoinRow =>
  withWriter((writer) => {
    const change = writer.rules.poolJoins.join(keys);
    if (!('report' in change)) throw new Error(JSON.stringify(change));
    return change.report;
  });

const decisions = () =>
  rows(
    place.library,
    `SELECT r.ordinal, r.kept, r.reward, r.is_correct, r.rule FROM rollout r JOIN run n USING (run_id)
     WHERE n.format = 'verl-trace' ORDER BY r.step, r.group_id, r.ordinal`,
  ).map((row) => Object.values(row));

describe('a pool and its list of kept rollouts', () => {
  it('become groups with decisions, by step, question and text', async () => {
    const keys = await readBoth(
      trace(7, QUESTION, 0, [42, 41, 42, 40]) + trace(8, QUESTION, 0, [42, 39]),
      dump(7, QUESTION, [40, 42]),
    );
    const before = contents(place.library);
    expect(joined(keys)).toEqual({
      ...{ steps: 1, pool: 4, matched: 2, discarded: 2, conflicts: 0, ambiguous: 1 },
      ...{ leftovers: 0, firstLeftovers: [] },
    });
    const rule = `listed in ${rows(place.library, "SELECT name FROM run WHERE format = 'verl'")[0]?.['name']}`;
    expect(decisions()).toEqual([
      [0, 1, 1, 1, rule],
      [1, 0, null, null, rule],
      // The same text again: the list has it once, and it was matched with the first.
      [2, 0, null, null, rule],
      [3, 1, 0, 0, rule],
      // No list of step 8 was read, so nothing is known.
      [0, null, null, null, null],
      [1, null, null, null, null],
    ]);
    const sums = rows(
      place.library,
      `SELECT kept, correct FROM prompt_group JOIN run USING (run_id) WHERE format = 'verl-trace' ORDER BY step`,
    );
    expect(sums).toEqual([
      { kept: 2, correct: 1 },
      { kept: null, correct: null },
    ]);
    expect(withWriter((writer) => writer.rules.poolJoins.leave(keys))).toBeGreaterThan(0);
    expect(contents(place.library)).toEqual(before);
    expect(withWriter((writer) => writer.rules.poolJoins.leave(keys))).toBeUndefined();
  });

  it('match equal texts one to one, and report the rest', async () => {
    const keys = await readBoth(
      trace(7, QUESTION, 0, [42, 42, 42]),
      dump(7, QUESTION, [42, 42]) + dump(7, 'Another question?', [42]) + dump(7, QUESTION, [13]),
    );
    const report = joined(keys);
    expect(report).toMatchObject({ steps: 1, pool: 3, matched: 2, leftovers: 2 });
    expect(report.firstLeftovers.map(({ step }) => step)).toEqual([7, 7]);
    expect(decisions().map(([, kept]) => kept)).toEqual([1, 1, 0]);
  });

  it('stay joined when more is read, in any order', async () => {
    const keys = await readBoth(trace(7, QUESTION, 0, [42, 41]), dump(7, QUESTION, [42]));
    joined(keys);
    await ingestHere(place.library, [place.file('kept/8.jsonl', dump(8, QUESTION, [39]))]);
    await ingestHere(place.library, [
      place.file('pool/traces.jsonl', trace(7, QUESTION, 0, [42, 41]) + trace(8, QUESTION, 0, [42, 39])),
    ]);
    expect(decisions().map(([, kept]) => kept)).toEqual([1, 0, 0, 1]);
  });

  it('are not joined if they have nothing in common', async () => {
    const keys = await readBoth(trace(7, QUESTION, 0, [42, 41]), dump(7, 'Another question?', [13]));
    expect(withWriter((writer) => writer.rules.poolJoins.join(keys))).toMatchObject({
      refusal: expect.stringContaining('no rollout in common') as string,
    });
    expect(decisions().map(([, kept]) => kept)).toEqual([null, null]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM pool_join_row')).toEqual([{ n: 0 }]);
  });

  it('leave a step undecided if nothing of it is listed', async () => {
    const keys = await readBoth(
      trace(7, QUESTION, 0, [42, 41]) + trace(8, QUESTION, 0, [42, 41]),
      dump(7, QUESTION, [42]) + dump(8, 'Another question?', [13]),
    );
    expect(joined(keys)).toMatchObject({ steps: 1, pool: 2, matched: 1, discarded: 1, leftovers: 1 });
    expect(decisions().map(([, kept]) => kept)).toEqual([1, 0, null, null]);
  });

  it('keep what the pool itself logged, and fill in the rest', async () => {
    const keys = await readBoth(trace(7, QUESTION, 0, [42, 41, 40]), dump(7, QUESTION, [42, 41]));
    const db = openWriter(place.library);
    // As if a log of decisions had set it.
    db.exec(`UPDATE rollout_row SET kept = iif(ordinal = 0, 0, 1), rule = 'release', reward = iif(ordinal = 0, 0.5, NULL)
      WHERE run_id = (SELECT run_id FROM run_row WHERE format = 'verl-trace')`);
    db.close();
    expect(joined(keys)).toMatchObject({ matched: 2, discarded: 0, conflicts: 2 });
    expect(decisions().map(([, kept, reward, , rule]) => [kept, reward, rule])).toEqual([
      [0, 0.5, 'release'],
      [1, 0, 'release'],
      [1, null, 'release'],
    ]);
    withWriter((writer) => writer.rules.poolJoins.leave(keys));
    expect(decisions().map(([, kept, reward]) => [kept, reward])).toEqual([
      [0, 0.5],
      [1, null],
      [1, null],
    ]);
  });

  it('separate when either run is removed', async () => {
    const keys = await readBoth(trace(7, QUESTION, 0, [42, 41]), dump(7, QUESTION, [42]));
    joined(keys);
    withWriter((writer) => writer.removal.remove(keys.keptKey));
    expect(decisions()).toEqual([
      [0, null, null, null, null],
      [1, null, null, null, null],
    ]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM pool_join_row')).toEqual([{ n: 0 }]);
    expect(withWriter((writer) => writer.rules.poolJoins.join(keys))).toEqual({ missing: keys.keptKey });
  });
});
