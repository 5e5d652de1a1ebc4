/** Pages of the search, requested from a host like the renderer does. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { Searcher } from '../../electron/search/searcher.ts';
import { openReader } from '../../electron/storage/open.ts';
import { TextReader } from '../../electron/storage/queries/texts.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import type { ResultOf, SearchCount, SearchCursor, SearchPage } from '../../shared/api/contract.ts';
import { CANCELLED_TASK } from '../support/columnQuestion.ts';
import { type Scratch, scratch, rows as sqlRows } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
let place: Scratch;
let host: Host;

beforeAll(async () => {
  place = scratch();
  // A text on which a pattern of nested repetitions never ends.
  const endless = place.file(
    'endless.jsonl',
    [`<answer>${'a'.repeat(60)}!</answer>`, '<answer>aab</answer>']
      .map((output) => JSON.stringify({ input: 'p', output, score: 0, step: 1, gts: '1' }))
      .join('\n'),
  );
  await copyDemoLibrary(place.library);
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
  await host.ingest([join(FIXTURES, 'tau-bench'), endless]);
});
afterAll(async () => {
  await host.close();
  place.remove();
});

async function ask<T>(method: string, params: unknown): Promise<T> {
  const result = await host.dispatch(method, params);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value as T;
}

async function allPages(params: Record<string, unknown>): Promise<SearchPage[]> {
  const pages: SearchPage[] = [];
  let after: SearchCursor | undefined;
  do {
    const page: SearchPage = await ask('search.page', { ...params, ...(after && { after }) });
    pages.push(page);
    after = page.next;
  } while (after !== undefined);
  return pages;
}

async function wholeCount(params: Record<string, unknown>): Promise<ReadonlyMap<number, number>> {
  const byRun = new Map<number, number>();
  let after: SearchCursor | undefined;
  do {
    const part: SearchCount = await ask('search.count', { ...params, ...(after && { after }) });
    for (const { runId, rollouts } of part.runs) byRun.set(runId, (byRun.get(runId) ?? 0) + rollouts);
    after = part.next;
  } while (after !== undefined);
  return byRun;
}

const rolloutsOf = (pages: readonly SearchPage[]) =>
  pages.flatMap(({ groups }) => groups.flatMap(({ found }) => found));

const runs = () => ask<ResultOf<'run.list'>>('run.list', {});

async function runOf(name: string): Promise<number> {
  const run = (await runs()).find((one) => one.name.includes(name));
  if (run === undefined) throw new Error(`no run ${name}`);
  return run.runId;
}

describe('pages of the search', () => {
  it.each([
    'wait',
    '"double-check" reward:0',
    'code:print',
    'prompt:the is_correct:true',
    'not wait',
    'comput*',
  ])('%s: every matching rollout of every run, once', async (query) => {
    const listed: number[] = [];
    for (const { runId } of await runs()) {
      const { ids } = await ask<{ ids: Uint32Array }>('rollout.order', { runId, filter: query });
      listed.push(...ids);
    }
    const pages = await allPages({ query, limit: 17 });
    const found = rolloutsOf(pages).map(({ rolloutId }) => rolloutId);
    expect(found.length).toBeGreaterThan(0);
    expect(found.toSorted((a, b) => a - b)).toEqual(listed.toSorted((a, b) => a - b));
    const total = (await runs()).reduce((sum, run) => sum + run.rollouts, 0);
    expect(pages.map(({ passed }) => passed).reduce((a, b) => a + b)).toBe(total);
    expect(pages[0]?.total).toBe(total);
  });

  it.each([
    'wait',
    'prompt:the is_correct:true',
    'not wait',
    '/w[a]it/i',
    'reward:0',
    '"no such phrase at all"',
  ])('%s: the count by run is that of the lists, and of the SQL that counts', async (query) => {
    const listed = new Map<number, number>();
    for (const { runId } of await runs()) {
      const { ids } = await ask<{ ids: Uint32Array }>('rollout.order', { runId, filter: query });
      if (ids.length > 0) listed.set(runId, ids.length);
    }
    const counted = await wholeCount({ query });
    expect(counted).toEqual(listed);
    const { countSql } = await ask<ResultOf<'filter.parse'>>('filter.parse', { filter: query });
    const answer = await ask<ResultOf<'sql.run'>>('sql.run', { sql: countSql });
    if (answer.kind !== 'rows') throw new Error('the statement that counts was refused');
    expect(answer.columns).toEqual(['run_id', 'run', 'rollouts']);
    const rows = sqlRows(place.library, countSql);
    expect(new Map(rows.map((row) => [Number(row['run_id']), Number(row['rollouts'])]))).toEqual(listed);
    const runId = await runOf('demo');
    expect((await wholeCount({ query, runId })).get(runId)).toBe(listed.get(runId));
    const ofRun = await ask<ResultOf<'filter.parse'>>('filter.parse', { filter: query, runId });
    const steps = sqlRows(place.library, ofRun.countSql);
    const sumOf = (name: string) => steps.reduce((sum, row) => sum + Number(row[name]), 0);
    const all = (await runs()).find((run) => run.runId === runId)?.rollouts;
    expect([sumOf('matching'), sumOf('rollouts')]).toEqual([listed.get(runId) ?? 0, all]);
    for (const row of steps)
      expect(row['percent']).toBeCloseTo((100 * Number(row['matching'])) / Number(row['rollouts']), 1);
    expect(Object.keys(steps[0] ?? {}).slice(0, 2)).toEqual(['step', 'percent']);
    expect(steps.map(({ step }) => step)).toEqual([...new Set(steps.map(({ step }) => step))]);
  });

  it('a count ends in time, says how far it came, and goes on from there', async () => {
    const db = openReader(place.library);
    let clock = 0;
    const searcher = new Searcher(db);
    // Every call of the clock advances 100 ms; it is called at the first row of a step.
    const part = searcher.count({ query: 'reward:0' }, FREE_TASK, () => (clock += 100));
    const total = (await runs()).reduce((sum, run) => sum + run.rollouts, 0);
    expect(part.total).toBe(total);
    expect(part.passed).toBeLessThan(total);
    expect(part.next).toBeDefined();
    const rest = searcher.count({ query: 'reward:0', after: part.next }, FREE_TASK, () => 0);
    expect(rest.next).toBeUndefined();
    expect(part.passed + rest.passed).toBe(total);
    expect(() => searcher.count({ query: 'wait' }, CANCELLED_TASK)).toThrow(
      expect.objectContaining({ code: 'cancelled' }),
    );
    db.close();
  });

  it('a count lists what a runaway regular expression left out', async () => {
    const runId = await runOf('endless');
    const count = await ask<SearchCount>('search.count', { query: 'answer_text:/^(a|a)*b$/', runId });
    expect(count.runs).toEqual([{ runId, rollouts: 1 }]);
    expect(count.unsearched).toMatchObject([{ runId, ordinal: 0 }]);
  });

  it('the newest step comes first, and rollouts of a group are adjacent', async () => {
    const pages = await allPages({ query: 'the', runId: await runOf('demo'), limit: 40 });
    const steps = pages.flatMap(({ groups }) => groups.map(({ step }) => step));
    expect(steps).toEqual(steps.toSorted((a, b) => b - a));
    const page = pages[0]?.groups[0];
    expect(page?.found.map(({ ordinal }) => ordinal)).toEqual(
      page?.found.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b),
    );
  });

  it('hits have their surrounding text, at exact offsets', async () => {
    const [page] = await allPages({ query: 'code:print', runId: await runOf('demo'), limit: 5 });
    const rollout = page?.groups[0]?.found[0];
    const [hit] = rollout?.found.hits ?? [];
    expect(hit).toMatchObject({ kind: 'tool-call', text: 'print' });
    // Code is shown unescaped.
    expect(`${hit?.before}${hit?.after}`).not.toContain('\\n');
    const all = await ask<ResultOf<'search.hits'>>('search.hits', {
      query: 'code:print',
      rolloutId: rollout?.rolloutId,
    });
    expect(all.hits).toHaveLength(rollout?.found.total ?? 0);
    expect(all.hits[0]).toMatchObject({ segment: hit?.segment, start: hit?.start, end: hit?.end });
  });

  it('words of the prompt are shown once, with the group', async () => {
    const [page] = await allPages({ query: 'prompt:the', runId: await runOf('demo'), limit: 5 });
    const group = page?.groups[0];
    expect(group?.prompt.total).toBeGreaterThan(0);
    expect(group?.found.every(({ found }) => found.total === 0)).toBe(true);
  });

  it('a regular expression scans texts, and reports it; indexed words do not', async () => {
    const runId = await runOf('demo');
    const scanned = async (query: string) =>
      (await allPages({ query, runId })).reduce((sum, page) => sum + page.scanned, 0);
    expect(await scanned('/w[a]it/i')).toBeGreaterThan(0);
    await expect
      .poll(async () => {
        const state = await ask<ResultOf<'search.state'>>('search.state', {});
        return state.rollouts - state.indexed;
      })
      .toBe(0);
    expect(await scanned('wait')).toBe(0);
    const ids = async (query: string) =>
      rolloutsOf(await allPages({ query, runId })).map(({ rolloutId }) => rolloutId);
    expect(await ids('/\\bwait\\b/i')).toEqual(await ids('wait'));
  });

  it('a runaway regular expression costs one rollout, which is named', async () => {
    const runId = await runOf('endless');
    const pages = await allPages({ query: 'answer_text:/^(a|a)*b$/', runId });
    expect(rolloutsOf(pages).map(({ ordinal }) => ordinal)).toEqual([1]);
    expect(pages.flatMap(({ unsearched }) => unsearched)).toMatchObject([{ runId, ordinal: 0 }]);
    const [{ rolloutId } = { rolloutId: 0 }] = pages.flatMap(({ unsearched }) => unsearched);
    await expect(ask('search.hits', { query: '/^(a|a)*b$/', rolloutId })).rejects.toThrow('timed_out');
    // The replacement thread answers.
    expect(rolloutsOf(await allPages({ query: 'aab', runId }))).toHaveLength(1);
  });

  it('a match whose further hits run away is named, and its group keeps the others', async () => {
    const runId = await runOf('endless');
    // The first hit is found at once; the search for a second one runs away.
    const pages = await allPages({ query: 'answer_text:/^aa(?=[ab])|(?<=aa)(a|a)*b$/', runId });
    expect(pages.flatMap(({ unsearched }) => unsearched)).toMatchObject([{ runId, ordinal: 0 }]);
    const [group, ...others] = pages.flatMap(({ groups }) => groups);
    expect(others).toEqual([]);
    expect(group).toMatchObject({ runId, found: [{ ordinal: 1, found: { total: 2 } }] });
  });

  it('an invalid query is refused with its position', async () => {
    await expect(ask('search.page', { query: 'wait (' })).rejects.toThrow(/bad_request: query, character/);
    await expect(ask('search.hits', { query: 'wait', rolloutId: 1_000_000 })).rejects.toThrow('not_found');
  });

  it('ends in time with its matches, and continues from there; a cancel is honoured', async () => {
    const runId = await runOf('demo');
    const db = openReader(place.library);
    let clock = 0;
    // Every call of the clock advances 100 ms.
    const now = (): number => (clock += 100);
    const searcher = new Searcher(db);
    const first = searcher.page({ query: 'prompt:the', runId, limit: 500 }, FREE_TASK, now);
    expect(first.passed).toBe(2);
    expect(first.next).toBeDefined();
    expect(() => searcher.page({ query: 'wait', limit: 500 }, CANCELLED_TASK, now)).toThrow(
      expect.objectContaining({ code: 'cancelled' }),
    );
    db.close();
  });

  it('searches each text once, however slow the expression is', async () => {
    const runId = await runOf('demo');
    const db = openReader(place.library);
    const searcher = new Searcher(db);
    const read = vi.spyOn(TextReader.prototype, 'rollout');
    let clock = 0;
    const now = (): number => (clock += 1000);
    const passed: number[] = [];
    let after: SearchCursor | undefined;
    do {
      const page = searcher.page({ query: '/z+zz/', runId, limit: 50, after }, FREE_TASK, now);
      passed.push(page.passed);
      after = page.next;
    } while (after !== undefined);
    const ids = read.mock.calls.map(([id]) => id);
    read.mockRestore();
    // A page ends when its first batch is used up.
    expect(passed[0]).toBe(16);
    expect(ids).toHaveLength(passed.reduce((a, b) => a + b));
    expect(new Set(ids).size).toBe(ids.length);
    db.close();
  });
});
