/** A regular expression without end in a filter catches its thread; giving it up frees it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

/** As often as a search lets itself be caught. */
const CAUGHT_IN = 5;

let place: Scratch;
let host: Host;
beforeAll(async () => {
  place = scratch();
  const lines = Array.from({ length: CAUGHT_IN }, (_, index) =>
    JSON.stringify({
      ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step: 0, group: 'g', index },
      ...{ problem: { id: 'p', prompt: 'q' }, text: `${'a'.repeat(4000)}!`, reward: index === 0 ? 1 : 0 },
    }),
  );
  await ingestHere(place.library, [place.file('log.jsonl', `${lines.join('\n')}\n`)]);
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
});
afterAll(async () => {
  await host.close();
  place.remove();
});

const ENDLESS = { runId: 1, filter: '/^(a+)+$/' };
const PATTERN = { runId: 1, filter: '/^a+!/ reward:1' };
const FOUND = { ok: true, value: { ids: Uint32Array.of(1) } };

describe('a filter that never ends', () => {
  it('is given up by itself, with a word about the pattern; lists and charts beside it are answered at once', async () => {
    let isEnded = false;
    const endless = host.dispatch('rollout.order', ENDLESS).finally(() => {
      isEnded = true;
    });
    const behind = host.dispatch('rollout.order', PATTERN);
    expect(await host.dispatch('rollout.order', { runId: 1, filter: 'reward:1' })).toMatchObject(FOUND);
    expect(await host.dispatch('step.series', { runId: 1, filter: 'reward:1' })).toMatchObject({ ok: true });
    expect(isEnded).toBe(false);
    expect(await endless).toMatchObject({
      ok: false,
      failure: { code: 'refused', message: expect.stringContaining('in one text it took longer than 2 s') },
    });
    // What waited behind it is asked again, of another thread.
    expect(await behind).toMatchObject(FOUND);
  }, 30_000);

  it('is given up by whoever asked, and the next one is answered', async () => {
    const abort = new AbortController();
    const given = host.dispatch('rollout.order', ENDLESS, abort.signal);
    for (let trip = 0; trip < 200; trip++) await host.dispatch('run.list', {});
    abort.abort();
    expect(await given).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
    expect(await host.dispatch('rollout.order', PATTERN)).toMatchObject(FOUND);
  }, 30_000);
});

describe('a search that never ends', () => {
  it('is given up when it has been caught in several rollouts', async () => {
    expect(await host.dispatch('search.page', { query: ENDLESS.filter })).toMatchObject({
      ok: false,
      failure: { code: 'refused', message: expect.stringContaining('in each of 5 rollouts') },
    });
    expect(await host.dispatch('search.page', { query: '/^a+!/' })).toMatchObject({ ok: true });
  }, 60_000);
});
