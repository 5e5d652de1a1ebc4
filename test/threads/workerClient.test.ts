/**
 * Every request is answered: in order, when cancelled, when the client closes, and when no thread can be
 * started.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ResourceLimits } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import { forkProcess } from '../../electron/threads/childProcess.ts';
import { ANALYSIS_LIMITS } from '../../electron/threads/heapLimits.ts';
import { WorkerClient } from '../../electron/threads/workerClient.ts';
import { entryOf } from '../../electron/worker/entry.ts';
import type { ApiFailure } from '../../shared/api/errors.ts';
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

/**
 * A thread that answers with the name of the method. The methods `exit` and `fill` and any notice end it; `deep` is
 * answered with a list that this thread's smaller stack cannot read.
 */
function sampleThread(
  reportCrash?: (message: string, error: Error) => ApiFailure,
  resourceLimits: ResourceLimits = {},
): WorkerClient {
  const code = `
    import { parentPort, resourceLimits } from 'node:worker_threads';
    const kept = [];
    parentPort.on('message', ({ kind, id, method }) => {
      if (kind === 'close') parentPort.close();
      else if (method === 'limits') parentPort.postMessage({ kind: 'result', id, result: { ok: true, value: resourceLimits } });
      else if (method === 'fill') for (;;) kept.push(Array.from({ length: 1000 }, () => ({})));
      else if (kind === 'notice') throw new Error('out of luck');
      else if (method === 'exit') process.exit(0);
      else if (method === 'deep') {
        let value = [];
        for (let depth = 0; depth < 6000; depth++) value = [value];
        parentPort.postMessage({ kind: 'result', id, result: { ok: true, value } });
      }
      else parentPort.postMessage({ kind: 'result', id, result: { ok: true, value: method } });
    });
    parentPort.postMessage({ kind: 'ready' });`;
  return new WorkerClient({ name: 'sample', entry: codeAsUrl(code), reportCrash, resourceLimits });
}

const codeAsUrl = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

it('fails a request whose answer cannot be read, and asks the same thread again', async () => {
  const client = sampleThread(undefined, { stackSizeMb: 16 });
  const [lost, next] = [client.request('deep', {}), client.request('next', {})];
  expect(await lost).toMatchObject({
    result: {
      ok: false,
      failure: {
        code: 'internal',
        message: expect.stringContaining('an answer of the sample cannot be read'),
      },
    },
  });
  expect(await next).toMatchObject({ result: { ok: true, value: 'next' } });
  await client.close();
});

describe('a thread that stops', () => {
  it('without an error fails its request, and another thread answers the next one', async () => {
    const client = sampleThread();
    const [lost, next] = [client.request('exit', {}), client.request('next', {})];
    const message = 'the sample stopped: it exited with code 0';
    expect(await lost).toEqual({ result: { ok: false, failure: { code: 'internal', message } } });
    expect(await next).toMatchObject({ result: { ok: true, value: 'next' } });
    await client.close();
  });

  it.each([
    ['', {}],
    [', also with the limits of analysis', ANALYSIS_LIMITS],
  ])('for want of memory fails its request alone%s', async (_, limits) => {
    const client = sampleThread(undefined, { ...limits, maxOldGenerationSizeMb: 400 });
    const [lost, next] = [client.request('fill', {}), client.request('next', {})];
    expect(await lost).toMatchObject({
      result: { ok: false, failure: { code: 'internal', message: expect.stringContaining('out of memory') } },
    });
    expect(await next).toMatchObject({ result: { ok: true, value: 'next' } });
    await client.close();
  });

  it('cannot take the memory of all threads', async () => {
    const client = sampleThread();
    expect(await client.request('limits', {})).toMatchObject({
      result: { value: { maxOldGenerationSizeMb: 2000, maxYoungGenerationSizeMb: 32 } },
    });
    await client.close();
  });

  it('without a request is reported, and replaced', async () => {
    const crash = Promise.withResolvers<string>();
    const client = sampleThread((message) => {
      crash.resolve(message);
      return { code: 'internal', message };
    });
    expect(await client.request('first', {})).toMatchObject({ result: { ok: true } });
    client.notify('crash');
    expect(await crash.promise).toBe('the sample stopped: out of luck');
    expect(await client.request('next', {})).toMatchObject({ result: { ok: true, value: 'next' } });
    await client.close();
  });

  it('before it can serve fails open() and all requests', async () => {
    const client = new WorkerClient({ name: 'sample', entry: codeAsUrl('process.exit(3)') });
    const failure = { code: 'internal', message: 'the sample stopped: it exited with code 3' };
    const requests = [client.request('a', {}), client.request('b', {})];
    expect(await client.open()).toEqual(failure);
    for (const answer of await Promise.all(requests))
      expect(answer).toEqual({ result: { ok: false, failure } });
    await client.close();
  });
});

describe('a worker client', () => {
  it('opens once, however often it is asked to, and not after its end', async () => {
    const client = readers();
    expect(await Promise.all([client.open(), client.open()])).toEqual([undefined, undefined]);
    expect(await client.open()).toBeUndefined();
    await client.close();
    expect(await client.open()).toMatchObject({ code: 'closed' });
  });

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

describe('a client of a process', () => {
  const SERVE = new URL('../../electron/threads/serve.ts', import.meta.url).href;

  function clientOf(longestMs = 60_000): WorkerClient {
    const entry = place.file(
      'process.mjs',
      `
        import { serve } from ${JSON.stringify(SERVE)};
        serve({
          handlers: {
            echo: (params) => params,
            exit: () => process.exit(3),
            // One list that does not fit, which ends the process and not only a thread.
            fill: () => { for (const kept = [];;) kept.push(kept.length); },
            loop: () => { for (;;); },
            wait: (_, task) => new Promise((resolve) => task.onCancel(() => resolve(task.isCancelled()))),
          },
        });
      `,
    );
    return new WorkerClient({
      ...{ name: 'sample', entry: pathToFileURL(entry), longestMs },
      startProcess: (url) =>
        forkProcess(fileURLToPath(url), { name: 'sample', execArgv: ['--max-old-space-size=64'] }),
    });
  }
  const text = async (client: WorkerClient, method: string): Promise<unknown> => {
    const { result } = await client.request(method, { n: 1 });
    return result.ok ? result.value : result.failure.message;
  };

  it('answers, and starts another one after an end', async () => {
    const client = clientOf();
    expect(await text(client, 'echo')).toEqual({ n: 1 });
    expect(await text(client, 'exit')).toBe('the sample stopped: it exited with code 3');
    expect(await text(client, 'fill')).toContain('it takes too much memory');
    expect(await text(client, 'echo')).toEqual({ n: 1 });
    await client.close();
    expect(await text(client, 'echo')).toBe('the library has been closed');
  });

  it('kills one that is too long, and cancels a request', async () => {
    const client = clientOf(300);
    expect(await text(client, 'loop')).toContain('busy for more than 0.3 s');
    const controller = new AbortController();
    const asked = client.request('wait', {}, { signal: controller.signal, resolvesWhenStopped: true });
    controller.abort();
    expect(await asked).toEqual({ result: { ok: true, value: true }, stack: undefined });
    await client.close();
  });

  it('says that it cannot be started', async () => {
    const client = new WorkerClient({
      ...{ name: 'sample', entry: new URL('file:///nowhere.js') },
      startProcess: () => {
        throw new Error('no more processes');
      },
    });
    expect(await text(client, 'echo')).toBe('the sample stopped: no more processes');
    await client.close();
  });
});
