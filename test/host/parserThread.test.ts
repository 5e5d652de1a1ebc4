/** A parser that hangs: its file ends as unreadable, and the next one is read by a new thread. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ingest } from '../../electron/ingest/ingest.ts';
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

/** The real parser, but for files named `hangs`, at which it goes round in circles. */
const entry = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (message) => {
      if (message.kind === 'identify' && message.path.includes('hangs')) for (;;);
    });
    await import(${JSON.stringify(entryOf('parser').href)});
  `)}`,
);

const line = (n: number): string => `${JSON.stringify({ input: `q${n}`, output: 'a', score: 1, step: 1 })}\n`;

it('costs that file only, and says so', async () => {
  place.file('1.jsonl', line(1));
  place.file('2-hangs.jsonl', line(2));
  place.file('3.jsonl', line(3));
  const db = openWriter(place.library);
  const parser = new ParserThread(entry, 400);
  try {
    const outcome = await ingest([place.directory], new LibraryWriter(db), parser);
    expect(outcome.files.map(({ status, issues }) => [status, issues[0]?.code])).toEqual([
      // Cut off by the thread's end while the next one was looked at, and then read alone.
      ['appended', undefined],
      ['refused', 'hangs'],
      ['read', undefined],
    ]);
    expect(outcome.files[1]?.issues[0]?.message).toContain('kept the reader busy');
  } finally {
    await parser.close();
    db.close();
  }
  expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 2 }]);
}, 20_000);
