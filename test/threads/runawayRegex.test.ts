/** A runaway regular expression ends with a failure, and its thread continues. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { Searcher } from '../../electron/search/searcher.ts';
import { openReader } from '../../electron/storage/open.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import { withTimeLimit } from '../../electron/threads/timeLimit.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

/** One more than a search skips. */
const RUNAWAY_ROLLOUTS = 5;

/** UTF-16 units on which (.|\n)*? overflows V8's stack of 64 MB. */
const OVERFLOWING = 6_000_000;

let place: Scratch;
let host: Host;
beforeAll(async () => {
  place = scratch();
  const lines = Array.from({ length: RUNAWAY_ROLLOUTS }, (_, index) =>
    JSON.stringify({
      ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step: 0, group: 'g', index },
      ...{ problem: { id: 'p', prompt: 'q' }, text: `${'a'.repeat(4000)}!`, reward: index === 0 ? 1 : 0 },
    }),
  );
  const large = ['xaby', `x${'ab'.repeat(OVERFLOWING / 2)}`].map((text, index) =>
    JSON.stringify({
      ...{ v: 1, type: 'rollout', run: 'large', split: 'train', step: 0, group: 'g', index },
      ...{ problem: { id: 'p', prompt: 'q' }, text, reward: 0 },
    }),
  );
  await ingestHere(place.library, [
    place.file('log.jsonl', `${lines.join('\n')}\n`),
    place.file('large.jsonl', `${large.join('\n')}\n`),
  ]);
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
});
afterAll(async () => {
  await host.close();
  place.remove();
});

const ENDLESS = { runId: 1, filter: '/^(a+)+$/' };
const PATTERN = { runId: 1, filter: '/^a+!/ reward:1' };
const FOUND = { ok: true, value: { ids: Uint32Array.of(1) } };

describe('a filter with a runaway expression', () => {
  it('fails with the reason, while lists and charts without a pattern are answered', async () => {
    // Its limit is a second of the clock, which a busy machine may take for the others. One try in five is enough.
    let isAnsweredBeside = false;
    let [endless, behind]: Promise<unknown>[] = [];
    for (let tries = 0; tries < 5 && !isAnsweredBeside; tries++) {
      let isEnded = false;
      endless = host.dispatch('rollout.order', ENDLESS).finally(() => {
        isEnded = true;
      });
      behind = host.dispatch('rollout.order', PATTERN);
      const filter = { runId: 1, filter: 'reward:1' };
      expect(await host.dispatch('rollout.order', filter)).toMatchObject(FOUND);
      expect(await host.dispatch('step.series', filter)).toMatchObject({ ok: true });
      isAnsweredBeside = !isEnded;
    }
    expect(isAnsweredBeside).toBe(true);
    expect(await endless).toMatchObject({
      ok: false,
      failure: { code: 'refused', message: expect.stringContaining('in one text it took longer than 1 s') },
    });
    // Waited behind it, in the same thread.
    expect(await behind).toMatchObject(FOUND);
  });

  it('can be cancelled, and the next request is answered', async () => {
    // As above: a busy machine may come to the limit before it comes to cancel.
    const cancelled = { ok: false, failure: CANCELLED };
    let answer: unknown;
    for (let tries = 0; tries < 5 && !isDeepStrictEqual(answer, cancelled); tries++) {
      const abort = new AbortController();
      const given = host.dispatch('rollout.order', ENDLESS, abort.signal);
      await host.dispatch('run.list', {});
      abort.abort();
      answer = await given;
    }
    expect(answer).toEqual(cancelled);
    expect(await host.dispatch('rollout.order', PATTERN)).toMatchObject(FOUND);
  });
});

describe('an expression that overflows the stack of V8', () => {
  const filter = '/x(.|\\n)*?y/';

  it('costs a search one rollout, which is named', async () => {
    // The page searches both rollouts at once, so it holds both however busy the machine is.
    const page = await host.dispatch('search.page', { query: filter, runId: 2 });
    expect(page).toMatchObject({
      ok: true,
      value: { groups: [{ found: [{ ordinal: 0 }] }], unsearched: [{ runId: 2, ordinal: 1 }] },
    });
  });

  it('fails in a list with the reason', async () => {
    expect(await host.dispatch('rollout.order', { runId: 2, filter })).toMatchObject({
      ok: false,
      failure: { code: 'refused', message: expect.stringContaining('needed too much memory') },
    });
  });

  it('is told from other errors', () => {
    const message = 'Invalid array length';
    const failing = () => {
      throw new RangeError(message);
    };
    expect(() => withTimeLimit(failing)).toThrow(message);
  });
});

describe('a search with a runaway expression', () => {
  it('fails when it has run away in several rollouts', () => {
    const db = openReader(place.library);
    const params = { query: ENDLESS.filter, runId: 1, limit: 50 };
    // Its clock stands still: a page that takes long ends early, without having searched all five.
    const search = () => new Searcher(db).page(params, FREE_TASK, () => 0);
    expect(search).toThrow('in each of 5 rollouts');
    db.close();
  });

  it('leaves the thread to the next search', async () => {
    await host.dispatch('search.page', { query: ENDLESS.filter });
    expect(await host.dispatch('search.page', { query: '/^a+!/' })).toMatchObject({ ok: true });
  });
});
