/** A parser that hangs: its file is marked unreadable, and a new thread reads the next one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ingest } from '../../electron/ingest/ingest.ts';
import type { ParseRequest } from '../../electron/ingest/parseFile.ts';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { entryOf } from '../../electron/worker/entry.ts';
import { ParserThread } from '../../electron/worker/parserThread.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

/** The real parser, except for files named `hangs` (an endless loop) and `dies` (ends its thread). */
const entry = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (message) => {
      if (message.kind === 'identify' && message.path.includes('hangs')) for (;;);
      if (message.kind === 'identify' && message.path.includes('dies')) throw new Error('out of memory');
    });
    await import(${JSON.stringify(entryOf('parser').href)});
  `)}`,
);

/** Long compared with reading a line on a busy machine; a hang costs it twice. */
const PATIENCE_MS = 2000;

const line = (n: number): string => `${JSON.stringify({ input: `q${n}`, output: 'a', score: 1, step: 1 })}\n`;

it.each([
  ['hangs', 'the parser was busy'],
  ['dies', 'crashed the parser: out of memory'],
])('a file that %s costs only that file, with a report', async (what, why) => {
  place.file('1.jsonl', line(1));
  place.file(`2-${what}.jsonl`, line(2));
  place.file('3.jsonl', line(3));
  const db = openWriter(place.library);
  const parser = new ParserThread(entry, PATIENCE_MS);
  try {
    const outcome = await ingest([place.directory], new LibraryWriter(db), parser);
    const [first, second, third] = outcome.files;
    // The thread's end may interrupt the prefetch of the next file, which is then read alone.
    expect(['read', 'appended']).toContain(first?.status);
    expect([second?.status, second?.issues[0]?.code]).toEqual(['refused', 'parser_ended']);
    expect(second?.issues[0]?.message).toContain(why);
    expect([third?.status, third?.issues]).toEqual(['read', []]);
  } finally {
    await parser.close();
    db.close();
  }
  expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 2 }]);
});

it('refuses a file whose first record is nested too deeply to be copied between threads', async () => {
  const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
  place.file('1.jsonl', `${deep}\n${line(1)}`);
  place.file('2.jsonl', line(2));
  const db = openWriter(place.library);
  const parser = new ParserThread();
  try {
    const { files } = await ingest([place.directory], new LibraryWriter(db), parser);
    expect(files.map(({ status }) => status)).toEqual(['refused', 'read']);
  } finally {
    await parser.close();
    db.close();
  }
});

it('an idle thread is ended, and the next file starts another one', async () => {
  const path = place.file('1.jsonl', line(1));
  const starts = join(place.directory, 'starts');
  const counted = `
    import { appendFileSync } from 'node:fs';
    appendFileSync(${JSON.stringify(starts)}, 'start\\n');
    await import(${JSON.stringify(entryOf('parser').href)});
  `;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const parser = new ParserThread(
    new URL(`data:text/javascript,${encodeURIComponent(counted)}`),
    PATIENCE_MS,
  );
  try {
    for (let times = 0; times < 2; times++) {
      await parser.identify(path, '1.jsonl', undefined);
      await parser.identify(path, '1.jsonl', undefined);
      vi.advanceTimersByTime(PATIENCE_MS);
    }
    expect(readFileSync(starts, 'utf8')).toBe('start\nstart\n');
  } finally {
    vi.useRealTimers();
    await parser.close();
  }
});

it('a thread that is lost while batches wait is replaced again when it hangs', async () => {
  const path = place.file('1.jsonl', line(1));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const parser = new ParserThread(entry, PATIENCE_MS);
  try {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const at = { offset: 0, lines: 0, bytes: line(1).length };
    const request: ParseRequest = { path, format: 'verl', container: 'plain', unit: 'line', ...at };
    const parsed = parser
      .parse(request, () => {
        arrived.resolve();
        return released.promise;
      })
      .catch((error: Error) => error.message);
    await arrived.promise;
    // The reported size is large, so this file waits for the end of the first parse.
    await parser.parse({ ...request, bytes: 1 << 30 }, () => undefined);
    const lost = parser.identify('dies', 'dies', undefined);
    await expect(lost).rejects.toThrow('out of memory');
    expect(await parsed).toContain('out of memory');
    released.resolve();
    // The silence of a thread that loads does not count.
    await parser.identify(path, '1.jsonl', undefined);
    const hanging = parser.identify('hangs', 'hangs', undefined).catch((error: Error) => error.message);
    vi.advanceTimersByTime(2 * PATIENCE_MS);
    expect(await hanging).toContain('the parser was busy');
  } finally {
    vi.useRealTimers();
    await parser.close();
  }
});
