/**
 * Logs of the Python recorder are ingested without loss. Requires Python 3; skipped with a message without
 * it.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReader } from '../../electron/storage/open.ts';
import { getRollout } from '../../electron/storage/queries/rollout.ts';
import { getTokens } from '../../electron/storage/queries/tokens.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const RECORDER = join(import.meta.dirname, '..', '..', 'shared', 'recorder');
const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);

const SCRIPT = `
import sys
sys.path.insert(0, sys.argv[1])
from turnwise_recorder import Recorder, tokens
nan, inf = float("nan"), float("inf")
with Recorder(sys.argv[2], run="py", name="from Python", limits={"max_response_tokens": 64}) as rec:
    rec.stage(from_step=5, name="later", max_turns=3)
    rec.rollout(step=1, group="g", index=0, problem={"id": "g", "prompt": "6·7?", "ground_truth": 42},
                reward=1.0, answer="42", stop_reason="answer", lucky=nan,
                tokens=tokens(token_bytes=["4".encode(), b"2 ", "\\U0001f9ee".encode()[:2], "\\U0001f9ee".encode()[2:]],
                              mask=[1, 1, 1, 0], entropy=[0.25, None, 1.5, nan], logprob=[-0.5, -0.25, -1.0, 0.0],
                              entropy_of={"kind": "full", "unit": "nats", "temperature": 1.0, "policy": "trainer"}))
    rec.rollout(step=1, group="h", index=1, problem={"id": "h", "prompt": "6·7?"}, text="no\\n\\u2028idea \\ud83d", reward=inf)
    rec.decision(step=1, group="g", index=0, kept=True, reason="kept_positive_topk", p_err=0.5, penalty=nan, rule="release")
    rec.signal(step=1, group="g", index=0, tokens=tokens(trainer_logprob=[-0.5, -0.5, -0.5, nan], ids=[1, 2, 3, 151643]))
    rec.metric(step=1, metrics={"actor/entropy": 0.31, "broken": nan})
second = Recorder(sys.argv[2], run="py")
second.decision(step=1, group="h", index=1, kept=False, reason="discarded_negative_quota")
second.close()
`;

describe.runIf(python !== undefined)('turnwise_recorder.py', () => {
  let place: Scratch;
  let logs: string;
  beforeAll(async () => {
    place = scratch();
    logs = join(place.directory, 'logs');
    const run = spawnSync(python ?? '', ['-B', '-c', SCRIPT, RECORDER, logs], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    const outcome = await ingestHere(place.library, [logs]);
    expect(outcome.files.flatMap((file) => file.issues).map((issue) => issue.code)).toEqual([
      'lone_surrogate',
    ]);
  });
  afterAll(() => place.remove());

  it('writes one file per recorder, whole lines only', () => {
    const files = readdirSync(logs);
    expect(files.length).toBe(2);
    for (const file of files) expect(readFileSync(join(logs, file), 'utf8').endsWith('\n')).toBe(true);
  });

  it('keeps every value, and unknown as unknown', () => {
    expect(rows(place.library, 'SELECT name, run_key FROM run')).toEqual([
      { name: 'from Python', run_key: 'py' },
    ]);
    expect(
      rows(
        place.library,
        'SELECT ordinal, reward, answer, ground_truth, stop_reason, kept, reason, p_err, penalty, policy_tokens, mean_entropy FROM rollout ORDER BY ordinal',
      ),
    ).toEqual([
      {
        ordinal: 0,
        reward: 1,
        answer: '42',
        ground_truth: '42',
        stop_reason: 'answer',
        kept: 1,
        reason: 'kept_positive_topk',
        p_err: 0.5,
        penalty: null,
        policy_tokens: 3,
        mean_entropy: 0.875,
      },
      {
        ordinal: 1,
        reward: null,
        answer: null,
        ground_truth: null,
        stop_reason: 'no-answer',
        kept: 0,
        reason: 'discarded_negative_quota',
        p_err: null,
        penalty: null,
        policy_tokens: null,
        mean_entropy: null,
      },
    ]);
    expect(rows(place.library, 'SELECT name, value FROM metric')).toEqual([
      { name: 'actor/entropy', value: 0.31 },
    ]);
    expect(rows(place.library, 'SELECT from_step, name, changes FROM stage')).toEqual([
      { from_step: 5, name: 'later', changes: '{"max_turns":3}' },
    ]);
  });

  it('brings every per-token column back, aligned to the characters', () => {
    const db = openReader(place.library);
    const tokens = getTokens(db, 1);
    expect(getRollout(db, 1)?.response).toBe('42 🧮');
    db.close();
    expect(tokens).toEqual({
      count: 4,
      ends: Uint32Array.of(1, 3, 3, 5),
      ids: Int32Array.of(1, 2, 3, 151643),
      mask: Uint8Array.of(1, 1, 1, 0),
      entropy: Float32Array.of(0.25, Number.NaN, 1.5, Number.NaN),
      logprob: Float32Array.of(-0.5, -0.25, -1, 0),
      trainerLogprob: Float32Array.of(-0.5, -0.5, -0.5, Number.NaN),
    });
  });
});
