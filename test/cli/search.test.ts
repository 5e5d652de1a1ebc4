import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  const hostile = place.file(
    'hostile.jsonl',
    JSON.stringify({
      input: 'p',
      output: '<answer>needle\u001b[2J\u0007\u202e\nhay</answer>',
      score: 1,
      step: 1,
      gts: '1',
    }),
  );
  await copyDemoLibrary(place.library);
  await ingestHere(place.library, [hostile]);
});
afterAll(() => place.remove());

const turnwise = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, [...args, '--library', place.library]);

const linesOf = (out: string): readonly Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('turnwise index', () => {
  it('completes the index, and reports its size', async () => {
    const [{ rollouts } = {}] = rows(place.library, 'SELECT count(*) AS rollouts FROM rollout');
    const { code, out } = await turnwise('index', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ rollouts, indexed: rollouts });
    expect(rows(place.library, 'SELECT indexed FROM search_state_row')).toEqual([{ indexed: rollouts }]);
    expect((await turnwise('index')).out).toBe(`${rollouts} of ${rollouts} rollouts are indexed\n`);
  });

  it('refuses unknown arguments', async () => {
    expect(await turnwise('index', 'now')).toMatchObject({ code: 2 });
  });
});

describe('turnwise search', () => {
  it('finds the rollouts of a list under the same filter, with hits in their text', async () => {
    const listed = linesOf(
      (await turnwise('rollouts', '--run', 'synthetic-grpo-roc-demo', '--filter', 'code:sympy')).out,
    );
    const { code, out } = await turnwise(
      'search',
      'code:sympy',
      '--run',
      'synthetic-grpo-roc-demo',
      '--json',
      '--limit',
      '5000',
    );
    expect(code).toBe(0);
    const found = linesOf(out);
    const ids = (list: readonly Record<string, unknown>[]) => new Set(list.map((row) => row['rollout_id']));
    expect(found.length).toBeGreaterThan(0);
    expect(ids(found)).toEqual(ids(listed));
    const hits = found.flatMap((row) => row['hits'] as { kind: string; text: string }[]);
    expect(new Set(hits.map(({ kind, text }) => `${kind} ${text}`))).toEqual(new Set(['tool-call sympy']));
  });

  it('shows lines for a terminal, which logged text cannot steer', async () => {
    const { out } = await turnwise('search', 'needle');
    expect(out).toContain('answer: [needle]\\u{1b}[2J');
    expect(out).not.toContain('\u001b');
  });

  it('states whether there are more, or no results', async () => {
    const { out, err } = await turnwise('search', 'wait', '--limit', '2', '--json');
    expect(linesOf(out)).toHaveLength(2);
    expect(err).toContain('--limit');
    expect(await turnwise('search', 'nowhereatall')).toEqual({ code: 0, out: '', err: 'nothing found\n' });
  });

  it.each([
    [['search'], 2, 'missing'],
    [['search', 'a', 'b'], 2, 'in quotes'],
    [['search', '/(/'], 2, 'regular expression'],
    [['search', 'a', '--limit', 'x'], 2, 'whole number'],
    [['search', 'a', '--run', 'no such run'], 1, 'no run'],
  ])('refuses %j', async ([command = '', ...args], code, message) => {
    const refused = await turnwise(command, ...args);
    expect(refused.code).toBe(code);
    expect(refused.err).toContain(message);
  });
});
