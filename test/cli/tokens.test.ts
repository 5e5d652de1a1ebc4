/** `turnwise tokens` and the SQL function `tokens` return the same tokens and sources. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FIXTURES = ['openai-logprobs', 'turnwise', 'nemo-gym'].flatMap((format) =>
  readdirSync(join(ROOT, 'fixtures', format)).map((name) => join(ROOT, 'fixtures', format, name)),
);

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, FIXTURES);
});
afterAll(() => place.remove());

const tokens = (...args: readonly string[]): Promise<CommandRun> =>
  runHere(place.directory, ['tokens', ...args, '--library', place.library]);

interface Printed {
  readonly rollout_id: number;
  readonly signal: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly bound?: string;
  readonly tokens: readonly Readonly<Record<string, unknown>>[];
}

/** Ids of rollouts with tokens, by an SQL condition. */
function withTokens(condition: string): readonly number[] {
  const sql = `SELECT rollout_id FROM token_row WHERE ${condition} ORDER BY rollout_id`;
  return rows(place.library, sql).map((row) => Number(row['rollout_id']));
}
const responseOf = (id: number): string =>
  rows(
    place.library,
    `SELECT group_concat(response_text(rollout_id, 0, response_chars), '') AS text FROM rollout_row WHERE rollout_id = ${id}`,
  )
    .map((row) => String(row['text'] ?? ''))
    .join('');

describe('tokens --json', () => {
  it('joins to the response, and states the source of each number', async () => {
    const aligned = withTokens('ends IS NOT NULL AND (entropy IS NOT NULL OR logprob IS NOT NULL)');
    expect(aligned.length).toBeGreaterThan(3);
    for (const id of aligned.slice(0, 6)) {
      const printed = JSON.parse((await tokens(String(id), '--json')).out) as Printed;
      expect(printed.rollout_id).toBe(id);
      expect(Object.keys(printed.source)).toEqual(['kind', 'k', 'unit', 'temperature', 'policy']);
      expect(printed.tokens.map(({ text }) => text).join('')).toBe(responseOf(id));
      expect(printed.tokens.map(({ i }) => i)).toEqual(printed.tokens.map((_, i) => i));
      if (printed.signal === 'entropy') expect(['full', 'top-k', 'unsaid']).toContain(printed.source['kind']);
      else expect([printed.signal, printed.source['kind']]).toEqual(['surprisal', 'surprisal']);
    }
  });

  it('equals the SQL function', async () => {
    for (const id of withTokens('count < 400').slice(0, 8)) {
      const run = await tokens(String(id), '--json', '--signal', 'logprob');
      const found = rows(
        place.library,
        `SELECT i, start, "end", text, logprob AS value FROM tokens(${id}) ORDER BY i`,
      );
      expect(found.length).toBeGreaterThan(0);
      if (run.code === 1) {
        expect(found.every(({ value }) => value === null)).toBe(true);
        expect(run.err).toMatch(/has no logprob; (there is|nothing was logged)/);
        continue;
      }
      const printed = JSON.parse(run.out) as Printed;
      expect(
        printed.tokens.map(({ i, start, end, text, value }) => ({ i, start, end, text, value })),
      ).toEqual(found);
    }
    expect(rows(place.library, 'SELECT count(*) AS n FROM tokens(999999)')).toEqual([{ n: 0 }]);
    expect(rows(place.library, "SELECT count(*) AS n FROM tokens('x')")).toEqual([{ n: 0 }]);
  });

  it('reports a missing rollout, not a missing signal', async () => {
    const run = await tokens('999999');
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/there is no rollout 999999 in /);
  });

  it('has ids without text if the log has only ids', async () => {
    const [id] = withTokens('ends IS NULL AND ids IS NOT NULL');
    const { tokens: found } = JSON.parse((await tokens(String(id), '--json')).out) as Printed;
    expect(found[0]).toMatchObject({ start: null, end: null, text: null });
    expect(typeof found[0]?.['id']).toBe('number');
  });

  it('bounds the entropy of listed alternatives, from above only with a vocabulary', async () => {
    const [id] = withTokens('top IS NOT NULL AND entropy IS NULL');
    const without = JSON.parse((await tokens(String(id), '--json')).out) as Printed;
    expect(without.source['kind']).toBe('top-k');
    expect(without.bound).toBe('lower');
    expect(without.tokens[0]).not.toHaveProperty('upper');
    const bounded = JSON.parse((await tokens(String(id), '--json', '--vocabulary', '151936')).out) as Printed;
    for (const { value, upper, tail } of bounded.tokens) {
      if (value === null) continue;
      expect(Number(upper)).toBeGreaterThanOrEqual(Number(value));
      expect(Number(tail)).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('entropy', () => {
  const entropy = (...args: readonly string[]): Promise<CommandRun> =>
    runHere(place.directory, ['entropy', ...args, '--library', place.library]);
  const run = () => {
    const sql = `SELECT n.run_key, r.step FROM token_row t JOIN rollout r USING (rollout_id) JOIN run n USING (run_id)
      WHERE t.entropy IS NOT NULL AND t.ends IS NOT NULL AND t.mask IS NOT NULL LIMIT 1`;
    return String(rows(place.library, sql)[0]?.['run_key']);
  };

  it('prints means over policy tokens, with count and source', async () => {
    const printed = JSON.parse((await entropy('--run', run(), '--by', 'step', '--json')).out) as Record<
      string,
      unknown
    >[];
    // Bounds from listed alternatives are separate rows.
    const found = printed.filter(({ source }) => (source as { kind: string }).kind === 'full');
    const direct = rows(
      place.library,
      `SELECT r.step, count(t.entropy) AS tokens, avg(t.entropy) AS mean FROM rollout r JOIN run n USING (run_id), tokens(r.rollout_id) t
       WHERE n.run_key = '${run()}' AND t.mask = 1 AND t.entropy IS NOT NULL GROUP BY r.step`,
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.reduce((sum, { tokens: n }) => sum + Number(n), 0)).toBe(
      direct.reduce((sum, { tokens: n }) => sum + Number(n), 0),
    );
    expect(found[0]).toMatchObject({ signal: 'entropy', source: { kind: 'full' } });
    const [one] = direct;
    const same = found.filter(({ step }) => step === one?.['step']);
    if (same.length === 1) expect(Number(same[0]?.['mean'])).toBeCloseTo(Number(one?.['mean']), 5);
  });

  it('prints every way to cut', async () => {
    for (const by of ['segment', 'token', 'position']) {
      const { code, out } = await entropy('--run', run(), '--by', by, '--json', '--least-tokens', '1');
      expect(code).toBe(0);
      for (const row of JSON.parse(out) as Record<string, unknown>[]) expect(row).toHaveProperty(by);
    }
    expect((await entropy('--run', run())).out).toMatch(/^# entropy: full.*80th percentile/);
  });

  it('reports what is missing', async () => {
    expect(await entropy('--by', 'nonsense')).toMatchObject({ code: 2, out: '' });
    expect((await entropy('--run', 'nobody')).err).toContain('no run nobody; known runs: ');
    expect((await entropy('--run', run(), '--signal', 'advantage')).code).toBe(1);
  });
});

describe('tokens', () => {
  it('never prints surprisal as entropy', async () => {
    const [id] = withTokens('entropy IS NULL AND top IS NULL AND logprob IS NOT NULL');
    const { code, out, err } = await tokens(String(id), '--signal', 'entropy');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/has no entropy; available: surprisal, logprob/);
  });

  it.each([
    [[], /give one ROLLOUT_ID/],
    [['x'], /give one ROLLOUT_ID/],
    [['1', '--signal', 'nonsense'], /--signal must be one of entropy, surprisal/],
    [['1', '--vocabulary', '0'], /--vocabulary must be a whole number/],
  ])('refuses %j as a usage error', async (args, message) => {
    const { code, out, err } = await tokens(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});
