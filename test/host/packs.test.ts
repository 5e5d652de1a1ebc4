/** Packs through the host: preview, progress, cancellation, and permitted paths. */
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { HostEvent, Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { type Scratch, scratch } from '../support/library.ts';

const DEMO = join(import.meta.dirname, '../../fixtures/demo/demo.jsonl');

let place: Scratch;
let host: Host;
let runId = 0;
let ids: Uint32Array;
const events: HostEvent[] = [];

async function ask<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
  const result = await host.dispatch(method, params);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as ResultOf<M>;
}

beforeAll(async () => {
  place = scratch();
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
  host.subscribe((event) => events.push(event));
  await host.ingest([DEMO]);
  runId = (await ask('run.list', {})).find(({ kind }) => kind === 'train')?.runId ?? 0;
  ids = (await ask('rollout.order', { runId, filter: 'tool_errors:>1', sort: [] })).ids;
  await ask('annotation.apply', {
    author: 'ann',
    changes: [0, 1].map((at) => ({
      put: { rolloutId: ids[at] ?? 0, target: { kind: 'rollout' as const }, label: 'loops' },
    })),
  });
});
afterAll(async () => {
  await host.close();
  place.remove();
});

it('previews the content of a pack', async () => {
  const { withTokens, ...preview } = await ask('pack.preview', {});
  expect(withTokens).toBe(2);
  expect(preview).toMatchObject({ cases: 2, annotations: 2 });
  expect(preview.siblings).toBeGreaterThan(0);
  const written = await ask('pack.export', { format: 'md', path: 'preview.md', siblings: true });
  expect(written).toMatchObject({ ...preview, path: join(place.directory, 'preview.md') });
  const picked = { rolloutIds: [...ids], filter: 'is_correct:true' };
  const right = await ask('rollout.order', { runId, filter: 'tool_errors:>1 is_correct:true', sort: [] });
  expect((await ask('pack.preview', picked)).cases).toBe(right.ids.length);
  expect((await ask('pack.preview', { ...picked, labels: ['gave-up'] })).cases).toBe(0);
});

it('reports progress, and leaves nothing when cancelled', async () => {
  const directory = join(place.directory, 'cancelled');
  mkdirSync(directory);
  const path = join(directory, 'all.html');
  host.mayWrite(path);
  const controller = new AbortController();
  const stop = host.subscribe(({ event, payload }) => {
    if (event === 'analysis.progress' && payload.progressKey === 'pack') controller.abort();
  });
  const params = { isAll: true, siblings: true, tokens: true, format: 'html', path, progressKey: 'pack' };
  const result = await host.dispatch('pack.export', params, controller.signal);
  stop();
  expect(result).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
  // The next request waits until the thread has cleaned up this one.
  await ask('pack.export', { format: 'csv', path: 'after.csv' });
  expect(readdirSync(directory)).toEqual([]);
  const told = events.flatMap(({ event, payload }) =>
    event === 'analysis.progress' && payload.progressKey === 'pack' ? [payload] : [],
  );
  expect(told[0]?.steps).toBeGreaterThan(1000);
});

it('writes only to paths the user chose, and never over a file', async () => {
  const fails = async (path: string) => {
    const result = await host.dispatch('pack.export', { format: 'md', path });
    return result.ok ? 'written' : result.failure.code;
  };
  expect(await fails('/etc/pack.md')).toBe('not_granted');
  expect(await fails('../pack.md')).toBe('not_granted');
  expect(await fails('beside.md')).toBe('written');
  expect(await fails('beside.md')).toBe('refused');
  // Also if the user named it.
  host.mayWrite(join(place.directory, 'beside.md'));
  expect(await fails(join(place.directory, 'beside.md'))).toBe('refused');
});

it.each([
  ...['uploads', 'Downloads', 'granted', 'compiled', 'library.sqlite.log'],
  ...['counterfactual', 'wheels', 'from-warehouse'],
  ...['library.sqlite-journal', 'other.sqlite-wal', 'other.sqlite-shm', 'other.sqlite-journal'],
  ...['two\nlines.md', 'pack\u202edm.exe'],
])('refuses the name %j, which Turnwise or SQLite needs or which shows another name', async (path) => {
  await host.grant(place.directory);
  for (const asked of [path, join(place.directory, path)]) {
    const result = await host.dispatch('pack.export', { format: 'md', path: asked });
    expect(result, asked).toMatchObject({
      ok: false,
      failure: { code: 'refused', message: expect.stringContaining('Choose another name') },
    });
  }
});

it('writes to such names in a directory that is not the library’s', async () => {
  const path = join(place.directory, 'elsewhere', 'uploads');
  mkdirSync(dirname(path));
  await host.grant(place.directory);
  expect((await ask('pack.export', { format: 'md', path })).path).toBe(path);
});

it('refuses to write an empty pack', async () => {
  const params = { format: 'md' as const, path: 'nothing.md', labels: ['gave-up'] };
  const result = await host.dispatch('pack.export', params);
  expect(result).toMatchObject({
    ok: false,
    failure: { code: 'refused', message: expect.stringContaining('nothing to export') },
  });
  expect(readdirSync(place.directory).filter((name) => name.startsWith('nothing'))).toEqual([]);
});

it('gives one rollout as text', async () => {
  const rolloutId = ids[0] ?? 0;
  const { text } = await ask('pack.text', { rolloutId, sections: ['outcome', 'annotations', 'answer'] });
  expect(text).toContain('## Outcome');
  expect(text).toContain('- Loops, on the rollout, by ann');
  expect(text).not.toContain('## Transcript');
  const none = await host.dispatch('pack.text', { rolloutId, sections: ['answer'], redact: ['('] });
  expect(none).toMatchObject({ ok: false, failure: { code: 'refused' } });
});
