/** The value by turn of rollouts of a table model, whose true values are known exactly. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { Events, Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { nextTurn, type TurnSamples, valueByTurn, valuesByPolicy } from '../../shared/domain/valueByTurn.ts';
import { CLI, runHere } from '../support/commandLine.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import {
  sampleTable,
  serveTableModel,
  type TableModel,
  type TableModelServer,
} from '../support/tableModelServer.ts';

describe('200 rollouts of table models', () => {
  /** Chances that the answer is correct from each state. */
  const STATES = [0.02, 0.35, 0.7, 0.97];
  /** Chance that a turn leaves the state as it is, beside that of drawing the same one. */
  const STAYS = 0.75;
  const ROLLOUTS = 200;
  /** Sampled tokens per turn. A continuation after turn t has one token for each later turn. */
  const BUDGET_PER_TURN = 160;

  /** Each turn is one token: a state, and in the last turn the answer. The chances differ by turn. */
  function makeRollout(seed: number) {
    const random = seededRandom(seed);
    const lastTurn = 3 + Math.floor(random() * 8);
    const chances = Array.from({ length: lastTurn }, () =>
      STATES.map((_, state) => {
        const weights = STATES.map(() => random() ** 3);
        const sum = weights.reduce((a, b) => a + b);
        return weights.map((weight, to) => (to === state ? STAYS : 0) + ((1 - STAYS) * weight) / sum);
      }),
    );
    const model: TableModel = (text) => {
      const turn = text.length - 1;
      const state = Number(text.at(-1));
      if (turn === lastTurn) return [];
      if (turn < lastTurn - 1)
        return (chances[turn]?.[state] ?? []).map((chance, to) => [String(to), chance]);
      const correct = STATES[state] ?? 0;
      return [
        ['+', correct],
        ['-', 1 - correct],
      ];
    };
    // Backward from the last turn: the value of a state is the mean of the values of the states that may follow.
    let values: number[] = STATES;
    const byTurn = [values];
    for (let turn = lastTurn - 2; turn >= 0; turn -= 1) {
      const after = values;
      values = STATES.map((_, state) =>
        (chances[turn]?.[state] ?? []).reduce((sum, chance, to) => sum + chance * (after[to] ?? 0), 0),
      );
      byTurn.unshift(values);
    }
    const prompt = String(Math.floor(random() * STATES.length));
    const { tokens } = sampleTable(model, prompt, seed, lastTurn);
    const text = prompt + tokens.map(({ token }) => token).join('');
    const isCorrect = text.endsWith('+');
    const truth = [...byTurn.map((of, turn) => of[Number(text[turn])] ?? 0), Number(isCorrect)];
    return { model, text, lastTurn, isCorrect, truth };
  }

  function measure(seed: number) {
    const { model, text, lastTurn, isCorrect, truth } = makeRollout(seed);
    const counts = new Map<number, TurnSamples>();
    const plan = { lastTurn, isCorrect, batch: 4, most: 64 };
    const seeds = seededRandom(seed + 1);
    let left = BUDGET_PER_TURN * lastTurn;
    for (;;) {
      const turn = nextTurn([...counts.values()], plan);
      if (turn === undefined || left < plan.batch * lastTurn) break;
      const before = counts.get(turn) ?? { turn, sampled: 0, graded: 0, correct: 0 };
      let correct = 0;
      for (let i = 0; i < plan.batch; i += 1) {
        const draw = sampleTable(model, text.slice(0, turn + 1), Math.floor(seeds() * 2 ** 32), lastTurn);
        left -= draw.tokens.length;
        correct += Number(draw.tokens.at(-1)?.token === '+');
      }
      counts.set(turn, {
        turn,
        sampled: before.sampled + plan.batch,
        graded: before.graded + plan.batch,
        correct: before.correct + correct,
      });
    }
    const found = valueByTurn([...counts.values()], plan);
    const estimates = found.values.filter(({ isOutcome }) => !isOutcome);
    const drops = truth.slice(1).map((after, i) => (truth[i] ?? 0) - after);
    const drop = Math.max(...drops);
    const { losing } = found;
    return {
      estimates: estimates.length,
      covered: estimates.filter(
        ({ turn, low, high }) => low <= (truth[turn] ?? -1) && (truth[turn] ?? 2) <= high,
      ).length,
      isLost: drop >= 0.4,
      isNamed: losing?.after.turn === drops.indexOf(drop) + 1 && losing.after.turn - losing.before.turn === 1,
    };
  }

  // The figures are in shared/domain/DOMAIN.md#value-by-turn.
  test('intervals cover the true values, and the losing turn is named', () => {
    const all = Array.from({ length: ROLLOUTS }, (_, i) => measure(1000 + i));
    const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
    const coverage = sum(({ covered }) => covered) / sum(({ estimates }) => estimates);
    const lost = sum(({ isLost }) => Number(isLost));
    const named = sum(({ isLost, isNamed }) => Number(isLost && isNamed)) / lost;
    expect(lost).toBeGreaterThan(20);
    expect(coverage).toBeGreaterThanOrEqual(0.93);
    expect(named).toBeGreaterThanOrEqual(0.9);
  });
});

const PROMPT = '<|im_start|>user\nWhich?<|im_end|>\n<|im_start|>assistant\n';
const turnText = (state: number): string =>
  `Step.\n<tool_call>\n{"name": "python", "arguments": {"code": "print(${state})"}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\nvalue ${state}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
/** Chances of a correct answer in percent after each turn; the first is that of the prompt. */
const TRUTH = [80, 85, 80, 10, 10] as const;
const RESPONSE = `${TRUTH.slice(1).map(turnText).join('')}<answer>7</answer><|im_end|>`;
const LAST_TURN = TRUTH.length;

const model: TableModel = (text) => {
  if (text.endsWith('</answer>')) return [];
  const printed = [...text.matchAll(/value (\d+)/g)].at(-1)?.[1];
  const chance = Number(printed ?? TRUTH[0]) / 100;
  return [
    ['<answer>42</answer>', chance],
    ['<answer>7</answer>', 1 - chance],
  ];
};

describe('at a server', () => {
  let place: Scratch;
  let server: TableModelServer;
  let host: Host;
  let ids: readonly number[] = [];

  beforeAll(async () => {
    server = await serveTableModel(model);
    place = scratch();
    const rollout = (index: number, ground_truth?: string) => ({
      ...{ v: 1, type: 'rollout', run: 'r', step: 5, group: `g${index}`, index: 0, text: RESPONSE },
      problem: { id: `p${index}`, prompt: PROMPT, ground_truth },
      ...(ground_truth === undefined ? {} : { is_correct: false }),
    });
    const lines = [
      { v: 1, type: 'run', run: 'r', name: 'The run' },
      ...[0, 1, 2, 3].map((index) => rollout(index, '42')),
      rollout(4),
    ];
    await ingestHere(place.library, [
      place.file('run.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    ]);
    process.env['TURNWISE_ENDPOINT'] = server.url;
    process.env['TURNWISE_ENDPOINT_MODEL'] = 'table';
    host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
    const { runId } = await ask('run.get', { runKey: 'r' });
    ids = [...(await ask('rollout.order', { runId })).ids].sort((a, b) => a - b);
  });
  afterAll(async () => {
    await host?.close();
    await server?.close();
    place?.remove();
    for (const name of ['', '_MODEL']) delete process.env[`TURNWISE_ENDPOINT${name}`];
  });
  beforeEach(() => {
    server.seen.length = 0;
    server.faults.length = 0;
    server.before = () => Promise.resolve();
  });

  async function ask<M extends Method>(
    method: M,
    params: ParamsOf<M>,
    signal?: AbortSignal,
  ): Promise<ResultOf<M>> {
    const result = await host.dispatch(method, params, signal);
    if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
    return result.value as ResultOf<M>;
  }
  const idOf = (index: number): number => ids[index] ?? 0;
  const storedValue = async (rolloutId: number) => {
    const [stored] = await ask('sampling.stored', { rolloutIds: [rolloutId] });
    return stored === undefined ? undefined : valuesByPolicy(stored)[0];
  };
  const promptsOf = () => server.seen.map(({ body }) => `${body['prompt']} ${body['seed']}`);

  test('samples, stores and reads the value by turn, within the budget', async () => {
    const events: Events['sampling.progress'][] = [];
    const stop = host.subscribe(({ event, payload }) => {
      if (event === 'sampling.progress') events.push(payload);
    });
    // About one interval in twenty misses the truth. With this seed, none does.
    const params = { rolloutId: idOf(0), settings: { maxTokens: 4, n: 24, seed: 100 }, budget: 100 };
    const sampled = await ask('sampling.value', { ...params, progressKey: 'k' });
    stop();
    // A continuation is one token. The last three tokens of the budget could not hold a whole continuation.
    expect(sampled).toMatchObject({ continuations: 97, tokens: 97, isComplete: false });
    expect(events.filter(({ ended }) => ended !== undefined)).toHaveLength(97);
    expect(new Set(events.map(({ turn }) => turn))).toEqual(new Set([0, 1, 2, 3, 4]));
    const value = await storedValue(idOf(0));
    expect(value).toEqual(valuesByPolicy(sampled.stored)[0]);
    expect(value?.policy).toMatchObject({ model: 'table', maxTokens: 4 });
    expect(value?.sampled).toBe(97);
    for (const { turn, low, high, isOutcome } of value?.values ?? []) {
      const truth = isOutcome ? 0 : (TRUTH[turn] ?? 0) / 100;
      expect(low).toBeLessThanOrEqual(truth);
      expect(high).toBeGreaterThanOrEqual(truth);
    }
    expect([value?.losing?.before.turn, value?.losing?.after.turn]).toEqual([2, 3]);
    expect(value?.losing?.isClear).toBe(true);
    // No continuation was sampled twice.
    expect(new Set(promptsOf()).size).toBe(97);
    // Goes on up to the most continuations, and then there is nothing left to sample.
    const rest = await ask('sampling.value', { ...params, budget: 1000 });
    expect(rest).toMatchObject({ continuations: LAST_TURN * 24 - 97, isComplete: true });
    expect(new Set(promptsOf()).size).toBe(LAST_TURN * 24);
    expect(await ask('sampling.value', params)).toMatchObject({ continuations: 0, isComplete: true });
  });

  test('counts continuations that were sampled otherwise, and of the same seed once', async () => {
    const rolloutId = idOf(1);
    const settings = { maxTokens: 4, n: 3 };
    await ask('sampling.start', { rolloutId, position: { kind: 'turn', turn: 3, at: 'start' }, settings });
    await ask('sampling.start', { rolloutId, position: { kind: 'turn', turn: 2, at: 'end' }, settings });
    await ask('sampling.start', { rolloutId, position: { kind: 'turn', turn: 2, at: 'end' }, settings });
    await ask('sampling.start', {
      ...{ rolloutId, settings, position: { kind: 'turn', turn: 2, at: 'end' } },
      edit: 'Wait',
    });
    const value = await storedValue(rolloutId);
    // All have the same seeds, and the start of turn 3 is the end of turn 2.
    expect(value?.sampled).toBe(3);
    expect(value?.values.map(({ turn }) => turn)).toEqual([2, LAST_TURN]);
    server.seen.length = 0;
    await ask('sampling.value', { rolloutId, settings: { maxTokens: 4, n: 8 }, budget: 1000 });
    // The end of turn 2 has three of eight already.
    expect(server.seen).toHaveLength(8 * LAST_TURN - 3);
    expect((await storedValue(rolloutId))?.sampled).toBe(8 * LAST_TURN);
  });

  test('keeps what has ended when it is cancelled, and goes on when it is started again', async () => {
    const rolloutId = idOf(2);
    const abort = new AbortController();
    server.before = () => (server.seen.length <= 6 ? Promise.resolve() : new Promise(() => undefined));
    const params = { rolloutId, settings: { maxTokens: 4, n: 4 }, budget: 1000 };
    const sampling = ask('sampling.value', params, abort.signal);
    sampling.catch(() => undefined);
    await expect.poll(() => server.seen.length).toBe(8);
    // The second batch has begun: the first is in the library.
    abort.abort();
    await expect(sampling).rejects.toThrow('cancelled');
    const kept = (await storedValue(rolloutId))?.sampled ?? 0;
    expect(kept).toBeGreaterThanOrEqual(4);
    expect(kept).toBeLessThan(8);
    server.before = () => Promise.resolve();
    server.seen.length = 0;
    expect(await ask('sampling.value', params)).toMatchObject({ isComplete: true });
    expect(server.seen).toHaveLength(4 * LAST_TURN - kept);
    await expect(ask('sampling.resume', {})).rejects.toThrow(/belongs to a value by turn/);
  });

  test('reports a failure of the endpoint, and keeps what has ended', async () => {
    const rolloutId = idOf(3);
    server.faults.push({ status: 400 });
    await expect(
      ask('sampling.value', { rolloutId, settings: { maxTokens: 4, n: 4 }, budget: 1000 }),
    ).rejects.toThrow(/status 400/);
    expect((await storedValue(rolloutId))?.sampled).toBe(3);
  });

  test('refuses what cannot be', async () => {
    const settings = { maxTokens: 4, n: 4 };
    await expect(ask('sampling.value', { rolloutId: idOf(4), settings, budget: 100 })).rejects.toThrow(
      /no ground truth/,
    );
    await expect(ask('sampling.value', { rolloutId: idOf(0), settings, budget: 3 })).rejects.toThrow(
      /budget is smaller/,
    );
    await expect(ask('sampling.value', { rolloutId: 999_999, settings, budget: 10 })).rejects.toThrow(
      /not_found/,
    );
    expect(server.seen).toEqual([]);
  });

  const files = (): readonly string[] => {
    const directory = join(dirname(place.library), 'counterfactual');
    return readdirSync(directory).map((name) => join(directory, name));
  };
  const sample = (...args: readonly string[]) =>
    runHere(place.directory, ['sample', ...args, '--library', place.library]);

  test('prints the stored value on the command line', async () => {
    const { code, out } = await sample('value', `${idOf(0)}`, '--stored');
    expect(code).toBe(0);
    expect(out).toMatch(/^120 continuations, sampled from table, temperature 1, at most 4 tokens each\n/);
    expect(out).toMatch(/\n {9}3 {2}\d+ of 24 +0\.\d\d–0\.\d\d {2}↓ losing turn\n/);
    expect(out).toMatch(/\n {9}5 {2}incorrect, as logged/);
    expect(out).toMatch(/largest drop: turn 3, \d+ of 24 → \d+ of 24 correct/);
    const { out: json } = await sample('value', `${idOf(0)}`, '--stored', '--json');
    const rows = json
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map((row) => [row['turn'], row['is_losing']])).toEqual(
      [0, 1, 2, 3, 4, 5].map((turn) => [turn, turn === 3]),
    );
  });

  test('goes on after the command was killed', async () => {
    const rolloutId = `${idOf(4)}`;
    const before = files();
    const args = ['value', rolloutId, '--budget', '1000', '-n', '4', '--max-tokens', '4', '--pattern', '42'];
    // Two batches are answered, and the third never.
    server.before = () => (server.seen.length <= 8 ? Promise.resolve() : new Promise(() => undefined));
    const killed = spawn(process.execPath, [CLI, 'sample', ...args, '--library', place.library], {
      stdio: 'ignore',
    });
    await expect.poll(() => server.seen.length, { timeout: 20_000 }).toBe(12);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const lines = files()
      .filter((path) => !before.includes(path))
      .reduce((sum, path) => sum + readFileSync(path, 'utf8').trimEnd().split('\n').length - 1, 0);
    expect(lines).toBe(8);
    server.before = () => Promise.resolve();
    server.seen.length = 0;
    const { code, out, err } = await sample(...args);
    expect(code).toBe(0);
    expect(err).toMatch(/at most 1,000 tokens in all/);
    expect(err).toMatch(/12 continuations sampled, 12 tokens; every turn has the most continuations/);
    expect(server.seen).toHaveLength(12);
    expect(out).toMatch(/^20 continuations, /);
  });

  test.each([
    [['value', '1'], /--budget/],
    [['value', 'x', '--budget', '5'], /must be an id/],
    [['value', '1', '--budget', 'x'], /--budget must be a number/],
  ])('refuses the arguments %j', async (args, message) => {
    const { code, err } = await sample(...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
