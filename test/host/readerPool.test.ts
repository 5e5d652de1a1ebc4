/** Whoever asks is answered: in turn, when it is cancelled, when the library is closed, when no reader can be started. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import { ReaderPool } from '../../electron/host/readerPool.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  // The library comes to be.
  await (await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' })).close();
});
afterAll(() => place.remove());

describe('readers', () => {
  it('answer each of many that ask at once', async () => {
    const pool = new ReaderPool({ libraryPath: place.library });
    const answers = await Promise.all(Array.from({ length: 40 }, () => pool.read('run.list', {})));
    expect(answers).toEqual(Array.from({ length: 40 }, () => ({ ok: true, value: [] })));
    await pool.close();
  });

  it('never run what was cancelled before its turn', async () => {
    const pool = new ReaderPool({ libraryPath: place.library });
    const abort = new AbortController();
    const cancelled = pool.read('run.list', {}, abort.signal);
    const kept = pool.read('run.list', {});
    abort.abort();
    expect(await cancelled).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
    expect(await kept).toEqual({ ok: true, value: [] });
    await pool.close();
  });

  it('that are closed tell those who wait', async () => {
    const pool = new ReaderPool({ libraryPath: place.library });
    const waiting = Array.from({ length: 5 }, () => pool.read('run.list', {}));
    const closed = pool.close();
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject({ ok: false, failure: { code: 'closed' } });
    await closed;
    expect(await pool.read('run.list', {})).toMatchObject({ failure: { code: 'closed' } });
  });

  it('that cannot be started say why, to all who wait and to the next one', async () => {
    const pool = new ReaderPool({ libraryPath: `${place.library}.gone` });
    const waiting = Array.from({ length: 3 }, () => pool.read('run.list', {}));
    for (const answer of [...(await Promise.all(waiting)), await pool.read('run.list', {})])
      expect(answer).toMatchObject({
        failure: { code: 'internal', message: expect.stringMatching(/^a reader stopped: ./) },
      });
    await pool.close();
  });
});
