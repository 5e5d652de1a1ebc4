/** A regular expression without end in a filter catches its thread; giving it up frees it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let host: Host;
beforeAll(async () => {
  place = scratch();
  const line = JSON.stringify({
    ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step: 0, group: 'g', index: 0 },
    ...{ problem: { id: 'p', prompt: 'q' }, text: `${'a'.repeat(4000)}!`, reward: 1 },
  });
  await ingestHere(place.library, [place.file('log.jsonl', `${line}\n`)]);
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
});
afterAll(async () => {
  await host.close();
  place.remove();
});

describe('a filter that never ends', () => {
  it('is given up, and the next one is answered', async () => {
    // Its thread has been started, so that the question is begun before it is given up.
    await host.dispatch('rollout.order', { runId: 1, filter: 'reward:0' });
    const caught = new AbortController();
    const endless = { runId: 1, filter: '/^(a+)+$/' };
    const given = host.dispatch('rollout.order', endless, caught.signal);
    const behind = host.dispatch('rollout.order', { runId: 1, filter: 'reward:1' });
    for (let trip = 0; trip < 200; trip++) await host.dispatch('run.list', {});
    caught.abort();
    expect(await given).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
    expect(await behind).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('ask again') },
    });
    expect(await host.dispatch('rollout.order', { runId: 1, filter: 'reward:1' })).toMatchObject({
      ok: true,
      value: { ids: Uint32Array.of(1) },
    });
  }, 30_000);
});
