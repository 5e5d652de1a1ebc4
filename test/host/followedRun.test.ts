/** A run whose logs are followed, while the writer is busy with another log. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { HostEvent, Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { type Scratch, scratch } from '../support/library.ts';

const ROLLOUTS = 12_000;
const line = (index: number, output: string): string =>
  `${JSON.stringify({ input: `q${index}`, output, score: 1, step: 1 })}\n`;

let place: Scratch;
let host: Host;
let logs: string;
/** 24 MB, which are several batches. Reading it takes much longer than the requests of these tests. */
let longLog: string;
let runKey: string;
let jobId: number;

beforeEach(async () => {
  place = scratch();
  logs = join(place.directory, 'logs');
  mkdirSync(logs);
  const log = place.file('logs/1.jsonl', line(0, '#### 1'));
  const text = 'word '.repeat(400);
  longLog = place.file('long.jsonl', Array.from({ length: ROLLOUTS }, (_, i) => line(i, text)).join(''));
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
  for (const path of [logs, longLog]) await host.grant(path);
  [runKey = ''] = (await host.ingest([log])).runKeys;
  // Starts the thread that later finds the run's directory.
  await ask('run.get', { runKey });
});
afterEach(async () => {
  await host.close();
  place.remove();
});

async function ask<M extends Method>(method: M, params: ParamsOf<M>, signal?: AbortSignal) {
  const result = await host.dispatch(method, params, signal);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as ResultOf<M>;
}

/** Resolves with the first event from now on that the test accepts. */
function nextEvent(accepts: (event: HostEvent) => boolean): Promise<HostEvent> {
  return new Promise((resolve) => {
    const unsubscribe = host.subscribe((event) => {
      if (!accepts(event)) return;
      unsubscribe();
      resolve(event);
    });
  });
}

const hasEnded = ({ event, payload }: HostEvent): boolean =>
  event === 'ingest.progress' && payload.jobId === jobId && payload.state !== 'running';
const isReading = ({ event, payload }: HostEvent): boolean =>
  event === 'follow.changed' && payload.follows[0]?.state === 'reading';
const followsNothing = ({ event, payload }: HostEvent): boolean =>
  event === 'follow.changed' && payload.follows.length === 0;

async function followBehindLongJob(): Promise<void> {
  ({ jobId } = await ask('ingest.start', { paths: [longLog] }));
  const reading = nextEvent(isReading);
  await ask('follow.start', { paths: [logs] });
  await reading;
}

describe('a followed run', () => {
  it('is no longer followed from the moment its removal is requested', async () => {
    await followBehindLongJob();
    const first = Promise.race([
      nextEvent(followsNothing).then(() => 'unfollowed'),
      nextEvent(hasEnded).then(() => 'the job ended'),
    ]);
    const removed = ask('run.remove', { runKey });
    expect(await first).toBe('unfollowed');
    await ask('ingest.cancel', { jobId });
    await removed;
    expect((await ask('run.list', {})).map((run) => run.runKey)).not.toContain(runKey);
  });

  it('is followed again when its removal fails', async () => {
    await followBehindLongJob();
    const unfollowed = nextEvent(followsNothing);
    const abort = new AbortController();
    const removal = ask('run.remove', { runKey }, abort.signal);
    await unfollowed;
    abort.abort();
    await expect(removal).rejects.toThrow('cancelled');
    expect(await ask('follow.list', {})).toMatchObject([{ path: logs }]);
    await ask('ingest.cancel', { jobId });
  });

  it('is not restored, and not read twice, by a directory above that is followed', async () => {
    const rollouts = async () => (await ask('run.list', {})).map((run) => run.rollouts);
    const below = join(logs, 'b');
    mkdirSync(below);
    const other = place.file('logs/b/1.jsonl', line(1, '#### 1'));
    await ask('follow.start', { paths: [logs] });
    await expect.poll(async () => (await rollouts()).sort()).toEqual([1, 1]);
    const removed =
      (await ask('run.list', {})).find(({ directory }) => directory.endsWith('/b'))?.runKey ?? '';
    await ask('run.export', { runKeys: [removed], path: join(logs, 'exported') });
    await ask('run.remove', { runKey: removed });
    for (const path of [other, join(logs, '1.jsonl')]) appendFileSync(path, line(2, '#### 2'));
    const kept = async () => (await ask('run.get', { runKey })).rollouts;
    await expect.poll(kept).toBe(2);
    // At the second look, everything of the first has been read.
    appendFileSync(join(logs, '1.jsonl'), line(3, '#### 3'));
    await expect.poll(kept).toBe(3);
    expect((await ask('run.list', {})).map((run) => run.runKey)).toEqual([runKey]);
  });

  it('is read from a log whose name begins with that of the library', async () => {
    const path = `${place.library}-77.jsonl`;
    writeFileSync(path, line(1, '#### 1'));
    await host.grant(path);
    await ask('follow.start', { paths: [path] });
    const rollouts = async () => (await ask('run.list', {})).map((run) => run.rollouts);
    await expect.poll(rollouts).toEqual([1, 1]);
    appendFileSync(path, line(2, '#### 2'));
    await expect.poll(async () => (await rollouts()).sort()).toEqual([1, 2]);
  });

  it('has no issue of a half-written last line before it is no longer followed', async () => {
    const log = join(logs, '1.jsonl');
    const issues = async () => (await ask('issue.list', {})).issues.map(({ code, line: at }) => [code, at]);
    const rollouts = async () => (await ask('run.list', {}))[0]?.rollouts;
    await ask('follow.start', { paths: [logs] });
    await expect.poll(async () => (await ask('follow.list', {}))[0]?.state).toBe('watching');
    appendFileSync(log, line(1, '#### 2') + line(2, '#### 3').slice(0, 30));
    await expect.poll(rollouts).toBe(2);
    expect(await issues()).toEqual([]);
    appendFileSync(log, line(2, '#### 3').slice(30) + line(3, '#### 4').slice(0, 30));
    await expect.poll(rollouts).toBe(3);
    expect(await issues()).toEqual([]);
    // The page of sources says that the file waits for the rest of the line.
    await expect
      .poll(async () =>
        (await ask('run.sources', { runKey })).files.map(({ halfLineBytes }) => halfLineBytes),
      )
      .toEqual([30]);
    await ask('follow.stop', { path: logs });
    await expect.poll(issues).toEqual([['incomplete_line', 4]]);
  });

  it('does not make closing the host wait for the whole job', async () => {
    await followBehindLongJob();
    const ended = nextEvent(hasEnded);
    await host.close();
    expect((await ended).payload).toMatchObject({ state: 'cancelled' });
  });
});
