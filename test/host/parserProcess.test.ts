/** A parser that ends: its file is marked unreadable, and a new process reads the next one. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ingest } from '../../electron/ingest/ingest.ts';
import type { ParseRequest } from '../../electron/ingest/parseFile.ts';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { forkProcess } from '../../electron/threads/childProcess.ts';
import { entryOf } from '../../electron/worker/entry.ts';
import type { ParserFrame, ParserRequest } from '../../electron/worker/messages.ts';
import { ParserProcess } from '../../electron/worker/parserProcess.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
let parser: ParserProcess | undefined;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  parser?.close();
  place.remove();
});

/** The real parser, except for files named `exits` and `fills`, and it notes each start. @param before code to run first */
function parserOf(before = ''): ParserProcess {
  const entry = place.file(
    'parser.mjs',
    `
      import { appendFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(join(place.directory, 'starts'))}, 'start\\n');
      ${before}
      const started = Promise.withResolvers();
      const send = process.send.bind(process);
      process.send = (message, handle, options, sent) =>
        send(message, handle, options, (error) => { sent(error); started.resolve(); });
      await import(${JSON.stringify(entryOf('parser').href)});
      process.on('message', async ({ kind, path }) => {
        await started.promise;
        if (kind === 'identify' && path.includes('exits')) process.exit(3);
        if (kind === 'identify' && path.includes('loops')) {
          appendFileSync(${JSON.stringify(join(place.directory, 'loops'))}, '');
          for (;;);
        }
        // One list that does not fit, which ends the process and not only a thread.
        if (kind === 'identify' && path.includes('fills')) for (const kept = [];;) kept.push(kept.length);
      });
    `,
  );
  return new ParserProcess(() =>
    forkProcess<ParserRequest, ParserFrame>(entry, { name: 'parser', execArgv: ['--max-old-space-size=64'] }),
  );
}

const starts = (): string => readFileSync(join(place.directory, 'starts'), 'utf8');
const line = (n: number): string => `${JSON.stringify({ input: `q${n}`, output: 'a', score: 1, step: 1 })}\n`;

describe('a file that ends the parser', () => {
  it.each(['exits', 'fills'])('costs only that file, with a report: %s', async (what) => {
    mkdirSync(join(place.directory, 'logs'));
    place.file('logs/1.jsonl', line(1));
    place.file(`logs/2-${what}.jsonl`, line(2));
    place.file('logs/3.jsonl', line(3));
    const db = openWriter(place.library);
    parser = parserOf();
    try {
      const outcome = await ingest([join(place.directory, 'logs')], new LibraryWriter(db), parser);
      const [first, second, third] = outcome.files;
      // The end of the process may interrupt the prefetch of the next file, which is then read alone.
      expect(['read', 'appended']).toContain(first?.status);
      expect([second?.status, second?.issues[0]?.code]).toEqual(['refused', 'parser_ended']);
      expect(second?.issues[0]?.message).toContain('the content ended the parser');
      expect([third?.status, third?.issues]).toEqual(['read', []]);
    } finally {
      db.close();
    }
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 2 }]);
  });

  it('fails what waits for the process, whose next request starts another one', async () => {
    const path = place.file('1.jsonl', line(1));
    parser = parserOf();
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const at = { offset: 0, lines: 0, bytes: line(1).length };
    const request: ParseRequest = { path, format: 'verl', container: 'plain', unit: 'line', ...at };
    const events: string[] = [];
    const parsed = parser
      .parse(request, async () => {
        arrived.resolve();
        await released.promise;
        events.push('written');
      })
      .catch((error: { readonly code?: string }) => events.push(String(error.code)));
    await arrived.promise;
    await expect(parser.identify('exits', 'exits', undefined)).rejects.toThrow('ended the parser');
    released.resolve();
    await parsed;
    // The file is read again from the last stored position, so pending batches are stored first.
    expect(events).toEqual(['written', 'PARSER_ENDED']);
    expect(await parser.identify(path, '1.jsonl', undefined)).toMatchObject({ kind: 'log', format: 'verl' });
    expect(starts()).toBe('start\nstart\n');
  });
});

it('keeps all records before one that ends the parser, and continues there in the next call', async () => {
  const logs = join(place.directory, 'logs');
  mkdirSync(logs);
  const before = Array.from({ length: 3_000 }, (_, n) => line(n).replace('"a"', `"${'a'.repeat(1_000)}"`));
  const many = line(3_000).replace('{', `{"more":[${'{},'.repeat(3 << 20)}{}],`);
  const path = place.file('logs/1.jsonl', [...before, many, line(3_001)].join(''));
  place.file('logs/2.jsonl', line(4_000));
  const db = openWriter(place.library);
  const read = async (by: ParserProcess) => (await ingest([logs], new LibraryWriter(db), by)).files;
  try {
    parser = parserOf();
    const message = expect.stringMatching(
      /^the content ended the parser.*\. Everything before record 3,001 was read; the fault is there or after it$/,
    );
    expect(await read(parser)).toMatchObject([
      { path, status: 'refused', rollouts: 3_000, issues: [{ code: 'parser_ended', line: 3_001, message }] },
      { status: 'read', rollouts: 1 },
    ]);
    parser.close();
    parser = new ParserProcess();
    expect(await read(parser)).toMatchObject([
      { path, status: 'appended', rollouts: 3_002 },
      { status: 'unchanged' },
    ]);
  } finally {
    db.close();
  }
  expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 3_003 }]);
  expect(rows(place.library, 'SELECT count(*) AS n FROM issue_row')).toEqual([{ n: 0 }]);
});

describe('a file that takes too long for its size', () => {
  const lines = Array.from({ length: 10 }, (_, n) => line(n).replace('"a"', `"${'a'.repeat(400_000)}"`));
  const issue = {
    code: 'parser_ended',
    message:
      'it takes more than 20 s of computing, too much for a file of 4 MB; everything before that was read, and the next call continues there',
  };

  it.each(['alone', 'beside others'])('is read up to there by the parser: %s', async (where) => {
    const logs = join(place.directory, 'logs');
    mkdirSync(logs);
    place.file('logs/1.jsonl', lines.join(''));
    if (where !== 'alone') for (const n of [2, 3]) place.file(`logs/${n}.jsonl`, line(100 + n));
    const db = openWriter(place.library);
    // Each look at the clock takes 10 s.
    parser = parserOf('let ms = 0; process.cpuUsage = () => ({ user: (ms += 10_000) * 1000, system: 0 });');
    try {
      const [first, ...others] = (await ingest([logs], new LibraryWriter(db), parser)).files;
      expect(first?.issues).toMatchObject([issue]);
      expect(first?.rollouts).toBeGreaterThan(0);
      expect(first?.rollouts).toBeLessThan(lines.length);
      for (const other of others) expect(other).toMatchObject({ rollouts: 1, issues: [] });
      const [again] = (await ingest([logs], new LibraryWriter(db), parser)).files;
      expect(again?.status).toBe('appended');
      expect(rows(place.library, `SELECT status FROM file_row WHERE path LIKE '%1.jsonl'`)).toEqual([
        { status: 'partial' },
      ]);
      expect(again?.rollouts).toBeGreaterThan(first?.rollouts ?? 0);
    } finally {
      db.close();
    }
  });

  it('is refused if its format is not known by then', async () => {
    const path = place.file('1.jsonl', lines.join(''));
    const db = openWriter(place.library);
    // Each look at the clock takes a minute, and each timer also runs at once.
    parser = parserOf(`
      let ms = 0;
      process.cpuUsage = () => ({ user: (ms += 60_000) * 1000, system: 0 });
      const every = setInterval;
      globalThis.setInterval = (action, delay) => { queueMicrotask(action); return every(action, delay); };
    `);
    try {
      const [file] = (await ingest([path], new LibraryWriter(db), parser)).files;
      const message = 'its first records take more than 8 s of computing';
      expect(file).toMatchObject({ status: 'refused', issues: [{ code: 'damaged', message }] });
      expect(starts()).toBe('start\n');
    } finally {
      db.close();
    }
  });

  it('is read up to there by the writer', async () => {
    const path = place.file('1.jsonl', lines.join(''));
    let ms = 0;
    const clock = vi.spyOn(process, 'threadCpuUsage');
    clock.mockImplementation(() => {
      ms += 30_000;
      return { user: ms * 1000, system: 0 };
    });
    const db = openWriter(place.library);
    parser = parserOf();
    try {
      const [file] = (await ingest([path], new LibraryWriter(db), parser)).files;
      expect(file?.issues).toMatchObject([issue]);
      expect(file?.rollouts).toBeGreaterThan(0);
      expect(file?.rollouts).toBeLessThan(lines.length);
    } finally {
      clock.mockRestore();
      db.close();
    }
  });
});

it('reads a file from its start if it was replaced after it ended the parser', async () => {
  const long = (n: number, chars: number) => line(n).replace('"a"', `"${'a'.repeat(chars)}"`);
  const of = (chars: number) => Array.from({ length: 3_000 }, (_, n) => long(n, n < 300 ? 1_000 : chars));
  const many = line(3_000).replace('{', `{"more":[${'{},'.repeat(3 << 20)}{}],`);
  const logs = join(place.directory, 'logs');
  mkdirSync(logs);
  const path = place.file('logs/1.jsonl', [...of(1_000), many].join(''));
  const db = openWriter(place.library);
  try {
    parser = parserOf();
    await ingest([path], new LibraryWriter(db), parser);
    parser.close();
    place.file('logs/1.jsonl', [...of(4_001), ...of(4_002)].join(''));
    parser = new ParserProcess();
    const { files } = await ingest([path], new LibraryWriter(db), parser);
    expect(files).toMatchObject([{ status: 'read', rollouts: 6_000, issues: [] }]);
  } finally {
    db.close();
  }
  const lengths = 'SELECT response_chars AS chars, count(*) AS n FROM rollout GROUP BY 1';
  expect(rows(place.library, lengths)).toEqual([
    { chars: 1_000, n: 600 },
    { chars: 4_001, n: 2_700 },
    { chars: 4_002, n: 2_700 },
  ]);
});

describe('a parser that cannot be started', () => {
  it.each([
    ['ends', 'process.exit(1)'],
    ['never starts', 'setInterval(() => undefined, 1_000)'],
  ])('fails the call without an issue for the file: it %s', async (_, code) => {
    const path = place.file('1.jsonl', line(1));
    const entry = place.file(
      'dead.mjs',
      `import { writeFileSync } from 'node:fs'; writeFileSync('${join(place.directory, 'run')}', ''); ${code};`,
    );
    const db = openWriter(place.library);
    parser = new ParserProcess(() => forkProcess<ParserRequest, ParserFrame>(entry, { name: 'parser' }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const failed = ingest([path], new LibraryWriter(db), parser).catch((error: Error) => error.message);
      while (!existsSync(join(place.directory, 'run'))) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(60_000);
      expect(await failed).toContain('the parser could not be started');
      parser = new ParserProcess();
      expect((await ingest([path], new LibraryWriter(db), parser)).files).toMatchObject([
        { status: 'read', issues: [] },
      ]);
    } finally {
      vi.useRealTimers();
      db.close();
    }
  });
});

it('is killed if it does not answer a cancellation, and its file is read by the next call', async () => {
  place.file('loops.jsonl', line(1));
  const db = openWriter(place.library);
  parser = parserOf();
  const cancelled = new AbortController();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const path = join(place.directory, 'loops.jsonl');
    const outcome = ingest([path], new LibraryWriter(db), parser, {
      isCancelled: () => cancelled.signal.aborted,
    });
    while (!existsSync(join(place.directory, 'loops'))) await new Promise((resolve) => setImmediate(resolve));
    cancelled.abort();
    parser.cancel();
    vi.advanceTimersByTime(60_000);
    expect(await outcome).toMatchObject({ isCancelled: true, files: [{ path, issues: [] }] });
    expect(starts()).toBe('start\n');
  } finally {
    vi.useRealTimers();
    db.close();
  }
  expect(rows(place.library, "SELECT count(*) AS n FROM file_row WHERE status = 'refused'")).toEqual([
    { n: 0 },
  ]);
});

it('refuses a file whose first record is nested too deeply to be copied between processes', async () => {
  const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
  place.file('1.jsonl', `${deep}\n${line(1)}`);
  place.file('2.jsonl', line(2));
  const db = openWriter(place.library);
  parser = new ParserProcess();
  try {
    const { files } = await ingest([place.directory], new LibraryWriter(db), parser);
    expect(files.map(({ status }) => status)).toEqual(['refused', 'read']);
  } finally {
    db.close();
  }
});

it('an idle process is ended, and the next file starts another one', async () => {
  const path = place.file('1.jsonl', line(1));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  parser = parserOf();
  try {
    for (let times = 0; times < 2; times++) {
      await parser.identify(path, '1.jsonl', undefined);
      await parser.identify(path, '1.jsonl', undefined);
      vi.advanceTimersByTime(60_000);
    }
    expect(starts()).toBe('start\nstart\n');
  } finally {
    vi.useRealTimers();
  }
});
