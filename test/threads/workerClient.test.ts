/**
 * Every request is answered: in order, when cancelled, when the client closes, and when no thread can be
 * started.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import { WorkerClient } from '../../electron/threads/workerClient.ts';
import { entryOf } from '../../electron/worker/entry.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  await (await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' })).close();
});
afterAll(() => place.remove());

const readers = (libraryPath = place.library): WorkerClient =>
  new WorkerClient({ name: 'reader', entry: entryOf('reader'), workerData: { libraryPath }, size: 2 });
const EMPTY = { result: { ok: true, value: [] } };

describe('a worker client', () => {
  it('answers many requests at once', async () => {
    const client = readers();
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.request('run.list', {})));
    for (const answer of answers) expect(answer).toMatchObject(EMPTY);
    await client.close();
  });

  it('never sends a request cancelled before its turn', async () => {
    const client = readers();
    const abort = new AbortController();
    const cancelled = client.request('run.list', {}, { signal: abort.signal });
    const kept = client.request('run.list', {});
    abort.abort();
    expect(await cancelled).toMatchObject({ result: { ok: false, failure: { code: 'cancelled' } } });
    expect(await kept).toMatchObject(EMPTY);
    await client.close();
  });

  it('fails pending requests when closed, and later ones', async () => {
    const client = readers();
    const waiting = Array.from({ length: 5 }, () => client.request('run.list', {}));
    const closed = client.close();
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject({ result: { ok: false, failure: { code: 'closed' } } });
    await closed;
    expect(await client.request('run.list', {})).toMatchObject({ result: { failure: { code: 'closed' } } });
  });

  it('reports why a thread cannot be started, to all pending requests and to the next one', async () => {
    const client = readers(`${place.library}.gone`);
    const waiting = Array.from({ length: 3 }, () => client.request('run.list', {}));
    for (const answer of [...(await Promise.all(waiting)), await client.request('run.list', {})])
      expect(answer).toMatchObject({
        result: { failure: { code: 'internal', message: expect.stringMatching(/^the reader stopped: ./) } },
      });
    await client.close();
  });

  it('reports a handler that throws as a bug with its stack', async () => {
    const client = readers();
    const answer = await client.request('no.such', {});
    expect(answer).toMatchObject({ result: { ok: false, failure: { code: 'internal' } } });
    expect(answer.stack).toContain('no handler for no.such');
    await client.close();
  });
});
