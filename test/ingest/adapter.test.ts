/** Files read through a command that writes the Turnwise log (`electron/ingest/containers/adapter.ts`). */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAdapter } from '../../electron/ingest/checkAdapter.ts';
import { type Adapter, AdapterSource, type After } from '../../electron/ingest/containers/adapter.ts';
import { CorruptContainerError } from '../../electron/ingest/containers/container.ts';
import type { FileReport, IngestOptions } from '../../electron/ingest/ingest.ts';
import { parseFile } from '../../electron/ingest/parseFile.ts';
import type { Parser } from '../../electron/ingest/readAhead.ts';
import { readRecordChunk } from '../../electron/ingest/recordChunk.ts';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { recordSource } from '../../electron/storage/queries/places.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'turnwise');

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

/** An adapter in JavaScript, with `fs`. Its hash is that of the script, as if it were a file that the command names. */
function adapterOf(script: string): Adapter {
  const code = `const fs = require('node:fs');${script}`;
  return { words: [process.execPath, '-e', code], directory: place.directory, hash: script };
}

const COPY = 'process.stdin.pipe(process.stdout)';
const cat = (): Adapter => adapterOf(COPY);

const line = (i: number, fields: object = {}): string =>
  `${JSON.stringify({
    ...{ v: 1, type: 'rollout', run: 'r', step: i >> 3, group: `g${(i >> 2) & 1}`, index: i & 3 },
    ...{ problem: { id: 'p', prompt: 'q' }, text: `answer ${i}`, reward: i % 2, ...fields },
  })}\n`;
const lines = (count: number): string => Array.from({ length: count }, (_, i) => line(i)).join('');

const read = async (path: string, adapter?: Adapter, options: IngestOptions = {}): Promise<FileReport> => {
  const { files } = await ingestHere(place.library, [path], { ...options, adapter });
  const [file] = files;
  if (file === undefined) throw new Error('no file was read');
  return file;
};
const codes = (file: FileReport): readonly string[] => file.issues.map(({ code }) => code);
const rollouts = (): unknown => rows(place.library, 'SELECT count(*) AS n FROM rollout')[0]?.['n'];
const unread = () => rows(place.library, 'SELECT DISTINCT path, has_adapter FROM unread_file');

describe('what an adapter writes', () => {
  it.each(readdirSync(FIXTURES))('of a copy of %s gives the rows of the log itself', async (name) => {
    const [file = ''] = readdirSync(join(FIXTURES, name)).filter((one) => one.endsWith('.jsonl'));
    const text = readFileSync(join(FIXTURES, name, file), 'utf8');
    const path = place.file('log.bin', text);
    await read(path, cat());
    const direct = scratch();
    try {
      await ingestHere(direct.library, [direct.file('log.jsonl', text)]);
      expect(contents(place.library)).toEqual(contents(direct.library));
    } finally {
      direct.remove();
    }
  });

  it('comes from the bytes on stdin or from the path in TURNWISE_FILE', async () => {
    const path = place.file('any.bin', lines(3));
    await read(path, adapterOf('process.stdout.write(fs.readFileSync(process.env.TURNWISE_FILE))'));
    expect(rollouts()).toBe(3);
  });

  it('has issues with the line of the output, which the file says', async () => {
    const path = place.file('log.bin', `${line(0)}no JSON\n${line(1)}`);
    const file = await read(path, cat());
    expect(file).toMatchObject({ isAdapted: true, rollouts: 2, issues: [{ line: 2, code: 'bad_json' }] });
    expect(rows(place.library, 'SELECT line, unit FROM ingest_issue')).toEqual([
      { line: 2, unit: 'output line' },
    ]);
  });

  it('may end without line end, and may be nothing', async () => {
    expect((await read(place.file('1.bin', lines(2).trimEnd()), cat())).rollouts).toBe(2);
    const nothing = await read(place.file('2.bin', 'x'), adapterOf(''));
    expect([nothing.status, codes(nothing)]).toEqual(['read', ['no_records']]);
  });

  it('is not asked of an empty file', async () => {
    const file = await read(place.file('1.bin', ''), adapterOf('throw new Error("asked")'));
    expect(codes(file)).toEqual(['empty_file']);
  });

  it('has no raw record, and the command is not run for one', async () => {
    const path = place.file('log.bin', lines(2));
    await read(path, cat());
    const db = openReader(place.library);
    try {
      const source = recordSource(db, 2);
      if (source === undefined) throw new Error('the rollout has no source');
      await expect(
        readRecordChunk(source, 0, 1000, { library: '', paths: [place.directory] }),
      ).rejects.toMatchObject({
        code: 'source_gone',
        message: expect.stringContaining('line 2 of what an adapter wrote'),
      });
    } finally {
      db.close();
    }
  });
});

describe('a later call', () => {
  it('does nothing for an unchanged file and the same command', async () => {
    const path = place.file('log.bin', lines(4));
    await read(path, cat());
    const before = contents(place.library);
    expect((await read(path, adapterOf(COPY))).status).toBe('unchanged');
    expect(contents(place.library)).toEqual(before);
  });

  it('reads again with another command', async () => {
    const path = place.file('log.bin', lines(4));
    await read(path, cat());
    const file = await read(path, adapterOf(`process.stdout.write(${JSON.stringify(lines(2))})`));
    expect([file.status, file.rollouts, rollouts()]).toEqual(['read', 2, 2]);
  });

  it('continues a file that grew, after the records that were read', async () => {
    const path = place.file('log.bin', lines(4));
    await read(path, cat());
    appendFileSync(path, line(4));
    const { files, added } = await ingestHere(place.library, [path], { adapter: cat() });
    expect([files[0]?.status, added, rollouts()]).toEqual(['appended', 1, 5]);
  });

  it('starts over when the output before the position has changed', async () => {
    const path = place.file('log.bin', 'x');
    const adapter = adapterOf(`process.stdout.write(fs.readFileSync('out'))`);
    place.file('out', lines(4));
    await read(path, adapter);
    place.file('out', line(0, { text: 'other' }) + line(1));
    appendFileSync(path, 'x');
    const file = await read(path, adapter);
    expect([file.status, file.rollouts]).toEqual(['read', 2]);
    expect(rows(place.library, "SELECT text FROM segment WHERE text = 'other'")).toHaveLength(1);
  });

  it('without the adapter loses nothing, and says what to do', async () => {
    const path = place.file('log.bin', `no log\n${lines(4)}`);
    const adapter = adapterOf(`process.stdout.write(fs.readFileSync(0, 'utf8').replace('no log\\n', ''))`);
    await read(path, adapter);
    expect((await read(path)).status).toBe('unchanged');
    appendFileSync(path, line(4));
    for (const attempt of [1, 2]) {
      const file = await read(path);
      expect([attempt, file.status, codes(file)]).toEqual([attempt, 'unchanged', ['needs_adapter']]);
    }
    expect(rollouts()).toBe(4);
    expect(unread()).toEqual([{ path, has_adapter: 1 }]);
    expect((await read(path, adapter)).issues).toEqual([]);
    expect([rollouts(), unread()]).toEqual([5, []]);
  });

  it('keeps signals that an adapter wrote when the file of their rollouts is replaced', async () => {
    const withTokens = (text: string): string =>
      [0, 1, 2].map((i) => line(i, { text, tokens: { text: [...text] } })).join('');
    const log = place.file('1.jsonl', withTokens('ab'));
    const signal = { v: 1, type: 'signal', run: 'r', step: 0, group: 'g0', index: 1 };
    const signals = place.file('2.bin', `${JSON.stringify({ ...signal, tokens: { entropy: [1, 2] } })}\n`);
    const measured = () =>
      rows(
        place.library,
        'SELECT r.ordinal FROM token_row t JOIN rollout_row r USING (rollout_id) WHERE t.entropy IS NOT NULL',
      );
    await read(log);
    await read(signals, cat());
    writeFileSync(log, withTokens('cd'));
    expect((await read(log)).status).toBe('read');
    expect([measured(), unread()]).toEqual([[{ ordinal: 1 }], []]);
  });

  it('reads without its adapter a file that was only joined to the named one', async () => {
    const traces = (name: string): string => {
      const path = `rollouts/step_3/train/${name}/traces.jsonl`;
      const target = join(place.directory, 'run', path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, readFileSync(join(FIXTURES, '..', 'prime-rl', name, path)));
      return target;
    };
    const [all, effective] = [traces('all'), traces('effective')];
    await ingestHere(place.library, [all, effective]);
    const { files } = await ingestHere(place.library, [all], {
      adapter: adapterOf(`process.stdout.write(${JSON.stringify(lines(2))})`),
    });
    expect(files.map(({ path, format, isAdapted }) => [path, format, isAdapted])).toEqual([
      [all, 'turnwise', true],
      [effective, 'prime-rl', undefined],
    ]);
  });

  it('does not forget its files when a run is named', async () => {
    const path = place.file('log.bin', lines(4));
    await read(path, cat());
    const db = openWriter(place.library);
    try {
      expect(new LibraryWriter(db).nameRun(place.directory, 'named').paths).toEqual([]);
    } finally {
      db.close();
    }
    expect(rollouts()).toBe(4);
  });

  it('reads with its adapter a file that was read directly', async () => {
    const path = place.file('log.bin', lines(4));
    await read(path);
    expect((await read(path, cat())).status).toBe('read');
    expect(rollouts()).toBe(4);
  });
});

describe('an adapter that fails', () => {
  const HALF = `
    const text = fs.readFileSync(0, 'utf8').split('\\n');
    process.stdout.write(text.slice(0, 2).join('\\n') + '\\n');
    console.error('first\\n\\u001b[31mno such field: reward');
    process.exitCode = 3;`;

  it('after half of its output leaves what it wrote, and the next call continues', async () => {
    const path = place.file('log.bin', lines(4));
    const adapter = adapterOf(`if (fs.existsSync('fixed')) ${COPY}; else { ${HALF} }`);
    const file = await read(path, adapter);
    expect(file).toMatchObject({ status: 'read', rollouts: 2, isUnread: true });
    expect(file.issues).toMatchObject([{ severity: 'refused', code: 'adapter_failed' }]);
    expect(file.issues[0]?.message).toBe(
      'the adapter failed: it exited with status 3 after 2 lines of output; its last line on stderr: ' +
        '[31mno such field: reward (before it: first). Its output up to there was read, and the next call continues',
    );
    expect(unread()).toEqual([{ path, has_adapter: 1 }]);
    place.file('fixed', '');
    const { files, added } = await ingestHere(place.library, [path], { adapter });
    expect([files[0]?.status, files[0]?.issues, added, unread()]).toEqual(['appended', [], 2, []]);
  });

  it('at once costs its file only, and nothing of what was read before', async () => {
    place.file('1.bin', lines(4));
    place.file('2.bin', lines(4).replaceAll('"r"', '"s"'));
    const adapter = adapterOf(
      `if (process.env.TURNWISE_FILE.endsWith('1.bin')) throw new Error('a bug'); ${COPY}`,
    );
    const { files } = await ingestHere(place.library, [place.directory], { adapter });
    expect(files.slice(0, 2).map((file) => [file.status, codes(file), file.rollouts])).toEqual([
      ['refused', ['adapter_failed'], 0],
      ['read', [], 4],
    ]);
    const broken = await read(join(place.directory, '2.bin'), adapterOf('typing error'));
    expect([broken.status, broken.rollouts, codes(broken)]).toEqual(['unchanged', 4, ['adapter_failed']]);
    expect(rollouts()).toBe(4);
  });

  it.each([
    ['a signal', 'process.kill(process.pid, "SIGKILL"); setInterval(() => 0, 1000)', 'ended by SIGKILL'],
    ['no program', undefined, 'nowhere could not be started: there is no such command'],
  ])('by %s says so', async (_, script, why) => {
    const adapter = script === undefined ? { ...cat(), words: ['nowhere'] as const } : adapterOf(script);
    const file = await read(place.file('log.bin', lines(1)), adapter);
    expect([file.status, file.issues[0]?.message]).toEqual(['refused', expect.stringContaining(why)]);
  });

  it('names a bounded part of a long stderr', async () => {
    const noise = `for (let i = 0; i < 300_000; i++) console.error('noise ' + i); process.exitCode = 1`;
    const file = await read(place.file('log.bin', lines(1)), adapterOf(noise));
    expect(file.issues[0]?.message).toContain('noise 299999');
    expect(file.issues[0]?.message.length).toBeLessThan(2500);
  });
});

/** Fires as soon as the event loop is idle, so that a wait of minutes costs no time. */
const atOnce: After = (_, then) => {
  const timer = setImmediate(then);
  return () => clearImmediate(timer);
};

/** Runs an adapter over 4 MB, which no pipe holds. */
async function consume(script: string, options: { after?: After; most?: number } = {}) {
  const path = place.file('big.bin', 'x'.repeat(4 << 20));
  const source = new AdapterSource(path, adapterOf(script), { bytes: 4 << 20, after: options.after });
  let records = 0;
  let tooLong = 0;
  let failure: string | undefined;
  try {
    for await (const some of source.records()) {
      for (const record of some) {
        records++;
        if ('tooLong' in record) tooLong = record.tooLong;
      }
      if (records >= (options.most ?? Number.POSITIVE_INFINITY)) break;
    }
  } catch (error) {
    if (!(error instanceof CorruptContainerError)) throw error;
    failure = error.message;
  } finally {
    await source.close();
  }
  return { records, tooLong, failure };
}

const WRITES_PID = `fs.writeFileSync('pid', String(process.pid));`;
const pidIn = (name: string): number => Number(readFileSync(join(place.directory, name), 'utf8'));

/** Ended processes whose parent has not collected them count as ended. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc') || !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('an adapter', () => {
  it.each([
    ['reads nothing', 'console.log("{}")'],
    ['closes its input early', 'process.stdin.destroy(); console.log("{}")'],
    ['reads one chunk', 'process.stdin.once("data", () => { console.log("{}"); process.exit() })'],
  ])('that %s and exits with 0 is no failure', async (_, script) => {
    expect(await consume(script)).toEqual({ records: 1, tooLong: 0, failure: undefined });
  });

  it('that writes without end waits for the reader, and ends with it', async () => {
    const endless = `${WRITES_PID} const more = () => { while (process.stdout.write('{}\\n'.repeat(20_000))); }; process.stdout.on('drain', more); more();`;
    const { records, failure } = await consume(endless, { most: 100_000 });
    expect(failure).toBeUndefined();
    // A pipe and a stream buffer, beyond what was asked for.
    expect(records).toBeLessThan(300_000);
    expect(isRunning(pidIn('pid'))).toBe(false);
  });

  it.runIf(process.platform !== 'win32')(
    'that is silent for too long is ended with its children',
    async () => {
      const silent = `${WRITES_PID}
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)']);
      fs.writeFileSync('child', String(child.pid));
      process.on('SIGTERM', () => 0);
      setInterval(() => 0, 1000);
      process.stdout.write('{}\\n');`;
      // The limit is reached once both processes run.
      const after: After = (_, then) => {
        const look = (): void => {
          if (existsSync(join(place.directory, 'child')) && pidIn('child') > 0) then();
          else timer = setImmediate(look);
        };
        let timer = setImmediate(look);
        return () => clearImmediate(timer);
      };
      const { failure } = await consume(silent, { after });
      expect(failure).toMatch(/^it neither read nor wrote for 10 minutes, after \d lines of output/);
      expect(isRunning(pidIn('pid'))).toBe(false);
      await expect.poll(() => isRunning(pidIn('child'))).toBe(false);
    },
  );

  it('that ends its output and not itself is ended', async () => {
    const lingers = `process.stdout.write('{}\\n', () => { fs.closeSync(1); }); setInterval(() => 0, 1000);`;
    const after: After = (milliseconds, then) =>
      milliseconds > 60_000 ? () => undefined : atOnce(milliseconds, then);
    const { records, failure } = await consume(lingers, { after });
    expect([records, failure]).toEqual([
      1,
      expect.stringContaining('it did not exit after its output ended'),
    ]);
  });

  it('that writes no line end is bounded by the longest record', async () => {
    const endless = `const block = Buffer.alloc(1 << 20, 120); let left = 300; const more = () => { while (left > 0 && process.stdout.write(block)) left--; }; process.stdout.on('drain', () => { left--; more(); }); more();`;
    const { records, tooLong } = await consume(endless);
    expect([records, tooLong]).toEqual([1, 300 << 20]);
  });

  it('is ended by a cancellation while it is waited for', async () => {
    const path = place.file('log.bin', lines(4));
    const controller = new AbortController();
    const adapter = adapterOf(`${WRITES_PID} setInterval(() => 0, 1000);`);
    const parser: Parser = {
      identify: () => Promise.reject(new Error('an adapted file is not identified')),
      parse: (request, onBatch) => {
        const outcome = parseFile(
          request,
          async (batch) => onBatch(batch),
          () => controller.signal.aborted,
          controller.signal,
        );
        const waitForProcess = (): void => {
          if (existsSync(join(place.directory, 'pid'))) controller.abort();
          else setImmediate(waitForProcess);
        };
        waitForProcess();
        return outcome;
      },
    };
    const outcome = await ingestHere(place.library, [path], { adapter }, parser);
    expect(outcome).toMatchObject({ isCancelled: true, added: 0 });
    expect(unread()).toEqual([{ path, has_adapter: 1 }]);
    expect(isRunning(pidIn('pid'))).toBe(false);
  });
});

it('killed at any statement and repeated, gives the same library', async () => {
  const path = place.file('log.bin', lines(9000));
  const adapter = cat();
  const child = join(import.meta.dirname, '..', 'support', 'killedIngest.ts');
  const env = { ...process.env, TURNWISE_TEST_ADAPTER: JSON.stringify(adapter) };
  const killedAt = (library: string, point: number) =>
    spawnSync(process.execPath, [child, library, String(point), path], { encoding: 'utf8', env });
  const statements = Number(killedAt(place.library, 0).stdout);
  expect(statements).toBeGreaterThan(9000);
  const state = (library: string) => ({
    ...contents(library),
    files: rows(library, 'SELECT status, bytes, offset_bytes, lines, tail_hash, adapter FROM file_row'),
    unread: rows(library, 'SELECT * FROM unread_row'),
  });
  const expected = state(place.library);
  for (const share of [0.0002, 0.5, 0.95, 0.9998]) {
    const library = join(place.directory, `killed-${share}.sqlite`);
    expect(killedAt(library, Math.ceil(statements * share)).signal).toBe('SIGKILL');
    const { added } = await ingestHere(library, [path], { adapter });
    expect(added).toBeLessThanOrEqual(9000);
    expect(state(library)).toEqual(expected);
  }
}, 120_000);

describe('the checker', () => {
  it('counts what a good adapter writes', async () => {
    const path = place.file('log.bin', `{"v":1,"type":"run","run":"r"}\n${lines(8)}`);
    const check = await checkAdapter(path, cat());
    expect(check).toMatchObject({
      ...{ lines: 9, types: { run: 1, rollout: 8 }, runs: 1, groups: 2, sharedGroups: 2 },
      ...{ refused: 0, warnings: 0, isSame: true, end: { status: 0 } },
      facts: { reward: 8, tokens: 0, entropy: 0 },
    });
    expect(check.failure).toBeUndefined();
  });

  it('finds refused lines, failures and outputs that differ', async () => {
    const path = place.file('log.bin', `no JSON\n${line(0)}`);
    expect(await checkAdapter(path, cat())).toMatchObject({
      refused: 1,
      issues: [{ line: 1, code: 'bad_json' }],
    });
    expect((await checkAdapter(path, adapterOf('process.exit(2)'))).failure).toContain('status 2');
    const counts = adapterOf(
      `fs.appendFileSync('runs', '.'); console.log(fs.readFileSync('runs', 'utf8').length)`,
    );
    expect(await checkAdapter(path, counts)).toMatchObject({ isSame: false });
    rmSync(join(place.directory, 'runs'));
    writeFileSync(join(place.directory, 'once'), '');
    const once = adapterOf(`fs.rmSync('once'); console.log('{}')`);
    expect((await checkAdapter(path, once)).secondFailure).toContain('status 1');
  });
});
