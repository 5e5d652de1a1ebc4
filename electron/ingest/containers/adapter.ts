/**
 * Records that a command writes: an adapter reads a file on stdin and writes the Turnwise log on stdout.
 *
 *   file ──► stdin   the adapter, in a process group of its own   stdout ──► lines
 *
 * Both pipes have back-pressure, so neither side is held in memory. A command cannot be entered in the
 * middle. To continue, it is run again; records that were read before are skipped and their hash is compared.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { LineSplitter } from '../../../shared/format/lineSplitter.ts';
import { LONGEST_RECORD } from './bytes.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';
import { streamFile } from './openFile.ts';

/** A command that the user named on the command line. It is never read from a library or a request. */
export interface Adapter {
  /** Program and arguments. No shell is started. */
  readonly words: readonly [string, ...string[]];
  /** The caller's directory. Relative paths in the command are resolved against it. */
  readonly directory: string;
  /** Hash of the words and of the files that they name. If it changes, the file is read again. */
  readonly hash: string;
}

/** The position that an earlier run of the adapter reached. */
interface AdapterPosition {
  readonly records: number;
  /** Absent if nothing was read. */
  readonly hash?: string | undefined;
}

/** Calls `then` after a time. @returns a function that cancels the call; tests inject a clock */
export type After = (milliseconds: number, then: () => void) => () => void;

export interface AdapterOptions {
  /** Bytes of the file that the adapter gets. Data appended later waits for the next call. */
  readonly bytes: number;
  readonly from?: AdapterPosition | undefined;
  /** Stops the adapter when aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly after?: After | undefined;
}

/** How the last run ended, for the checker. */
export interface AdapterEnd {
  readonly status: number | undefined;
  readonly signal: string | undefined;
  /** The last lines that the adapter wrote to stderr. */
  readonly said: string;
}

/** The output differs from the earlier run whose records were read. */
export class AdapterOutputChangedError extends Error {
  constructor() {
    super('the output of the adapter differs from what was read before');
    this.name = 'AdapterOutputChangedError';
  }
}

/** An adapter that reads and writes nothing for this long is stopped. Waiting for the library does not count. */
const SILENCE_MS = 10 * 60_000;
/** Time limit from the end of the output to the exit of the process. */
const EXIT_MS = 10_000;
/** Delay between SIGTERM and SIGKILL. */
const TERM_MS = 2_000;
const KEPT_STDERR_BYTES = 4096;
const SHOWN_STDERR_LINES = 5;
const SHOWN_STDERR_CHARS = 1000;

const systemAfter: After = (milliseconds, then) => {
  const timer = setTimeout(then, milliseconds);
  return () => clearTimeout(timer);
};

export class AdapterSource implements RecordSource {
  private readonly path: string;
  private readonly adapter: Adapter;
  private readonly options: AdapterOptions;
  private readonly hash = createHash('sha256');
  private run: AdapterRun | undefined;
  private seen = 0;
  /** Hash without an unterminated last record, which may not be accepted. */
  private endedHash: string | undefined;

  constructor(path: string, adapter: Adapter, options: AdapterOptions) {
    this.path = path;
    this.adapter = adapter;
    this.options = options;
  }

  /** Ignores its argument: the position is `options.from`. */
  async *records(): AsyncGenerator<Iterable<SourceRecord>> {
    const run = new AdapterRun(this.path, this.adapter, this.options);
    this.run = run;
    const splitter = new LineSplitter(0, LONGEST_RECORD);
    for await (const chunk of run.output()) yield this.unread(splitter.push(chunk));
    const rest = splitter.rest();
    if (rest !== undefined) {
      this.endedHash = this.hashAt(this.seen);
      yield this.unread([{ ...rest, isUnended: true }]);
    } else if (splitter.pending > 0) {
      const nextOffset = splitter.position + splitter.pending;
      yield this.unread([{ tooLong: splitter.pending, nextOffset }]);
    }
    await run.finish(this.seen);
    if (this.options.signal?.aborted === true) return;
    // A run that failed early did not reach the other records, so it does not show whether they changed.
    if (this.seen < this.skipped) throw new AdapterOutputChangedError();
  }

  /** Hash of the first `records` records. They are the last that were yielded. */
  hashAt(records: number): string {
    if (records < this.seen && this.endedHash !== undefined) return this.endedHash;
    return this.hash.copy().digest('hex').slice(0, 32);
  }

  get end(): AdapterEnd | undefined {
    return this.run?.end;
  }

  async close(): Promise<void> {
    await this.run?.stop();
  }

  private get skipped(): number {
    return this.options.from?.records ?? 0;
  }

  /** @throws AdapterOutputChangedError at the position to continue from */
  private *unread(records: Iterable<SourceRecord>): Generator<SourceRecord> {
    for (const record of records) {
      this.seen++;
      if ('bytes' in record) this.hash.update(record.bytes);
      this.hash.update('bytes' in record ? '\n' : `${record.tooLong}\n`);
      if (this.seen > this.skipped) yield record;
      else if (this.seen === this.skipped && this.hashAt(this.seen) !== this.options.from?.hash)
        throw new AdapterOutputChangedError();
    }
  }
}

/** One run of the command over one file. */
class AdapterRun {
  end: AdapterEnd | undefined;
  private readonly adapter: Adapter;
  private readonly child: ChildProcess;
  private readonly input: ReadStream | undefined;
  private readonly closed: Promise<void>;
  private readonly after: After;
  private readonly signal: AbortSignal | undefined;
  private inputError: Error | undefined;
  private startError: NodeJS.ErrnoException | undefined;
  private stopReason: string | undefined;
  private stopping: Promise<void> | undefined;
  private stderr = Buffer.alloc(0);
  private outputBytes = 0;

  constructor(path: string, adapter: Adapter, { bytes, signal, after = systemAfter }: AdapterOptions) {
    this.adapter = adapter;
    this.after = after;
    this.signal = signal;
    const [program, ...args] = adapter.words;
    this.child = spawn(program, args, {
      cwd: adapter.directory,
      env: { ...process.env, TURNWISE_FILE: path },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Use a separate process group, so that all child processes can be ended with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.closed = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.child.once('error', (error) => {
      this.startError ??= error;
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = Buffer.concat([this.stderr, chunk]).subarray(-KEPT_STDERR_BYTES);
    });
    this.input = this.feed(path, bytes);
    signal?.addEventListener('abort', this.onAbort);
    if (signal?.aborted === true) this.onAbort();
  }

  /** @throws CorruptContainerError when the adapter is silent for too long */
  async *output(): AsyncGenerator<Uint8Array> {
    const chunks = this.child.stdout?.[Symbol.asyncIterator]() as AsyncIterator<Buffer> | undefined;
    for (;;) {
      const unwatch = this.watch();
      let next: IteratorResult<Buffer> | undefined;
      try {
        next = await chunks?.next();
      } catch {
        // A command that was not started, or was stopped, closes its output early. `finish` reports it.
        return;
      } finally {
        unwatch();
      }
      if (next === undefined || next.done === true) return;
      this.outputBytes += next.value.byteLength;
      yield next.value;
    }
  }

  /**
   * Waits for the end of the process.
   *
   * @param lines written so far, for the message
   * @throws CorruptContainerError when the adapter failed; the system's error when the file cannot be read
   */
  async finish(lines: number): Promise<void> {
    let isLate = false;
    const cancel = this.after(EXIT_MS, () => {
      isLate = true;
      void this.stop();
    });
    await this.closed;
    cancel();
    const { exitCode, signalCode } = this.child;
    const said = shownText(this.stderr);
    this.end = { status: exitCode ?? undefined, signal: signalCode ?? undefined, said };
    this.forget();
    if (this.signal?.aborted === true) return;
    if (this.inputError !== undefined) throw this.inputError;
    const where = `after ${lines} lines of output`;
    const tail = said === '' ? '; it wrote nothing to stderr' : `; its last line on stderr: ${said}`;
    const { startError, stopReason } = this;
    if (startError !== undefined) {
      const why = startErrorText(startError);
      throw new CorruptContainerError(`${this.adapter.words[0]} could not be started: ${why}`);
    }
    if (stopReason !== undefined) throw new CorruptContainerError(`${stopReason}, ${where}${tail}`);
    // A process with exit code 0 succeeded, even if its children kept its pipes open.
    if (isLate && exitCode !== 0)
      throw new CorruptContainerError(`it did not exit after its output ended, ${where}${tail}`);
    if (signalCode !== null) throw new CorruptContainerError(`it was ended by ${signalCode} ${where}${tail}`);
    if (exitCode !== 0) throw new CorruptContainerError(`it exited with status ${exitCode} ${where}${tail}`);
  }

  /** Ends the process group, if it runs. Resolves when the process has ended. */
  stop(): Promise<void> {
    this.stopping ??= this.end === undefined ? this.kill() : Promise.resolve();
    return this.stopping;
  }

  private async kill(): Promise<void> {
    this.forget();
    this.input?.destroy();
    // Unblocks a process that writes.
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
    this.send('SIGTERM');
    const cancel = this.after(TERM_MS, () => this.send('SIGKILL'));
    await this.closed;
    cancel();
    // The leader has ended; its children may ignore SIGTERM.
    this.send('SIGKILL');
  }

  private send(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The group has ended.
    }
  }

  private readonly onAbort = (): void => void this.stop();

  private forget(): void {
    this.signal?.removeEventListener('abort', this.onAbort);
  }

  private feed(path: string, bytes: number): ReadStream | undefined {
    const { stdin } = this.child;
    // An adapter may read a part of the file, or open it itself.
    stdin?.on('error', () => this.input?.destroy());
    if (stdin === null || bytes === 0) {
      stdin?.end();
      return undefined;
    }
    let input: ReadStream;
    try {
      input = streamFile(path, bytes);
    } catch (error) {
      this.inputError = error instanceof Error ? error : new Error(String(error));
      void this.stop();
      return undefined;
    }
    input.on('error', (error) => {
      this.inputError ??= error;
      void this.stop();
    });
    input.pipe(stdin);
    stdin.once('close', () => input.destroy());
    return input;
  }

  /** Stops an adapter that neither reads nor writes. @returns a function that ends the watch */
  private watch(): () => void {
    const moved = (): number => (this.input?.bytesRead ?? 0) + this.outputBytes;
    let before = moved();
    let cancel: () => void;
    const look = (): void => {
      if (moved() === before) {
        this.stopReason ??= `it neither read nor wrote for ${SILENCE_MS / 60_000} minutes`;
        void this.stop();
        return;
      }
      before = moved();
      cancel = this.after(SILENCE_MS, look);
    };
    cancel = this.after(SILENCE_MS, look);
    return () => cancel();
  }
}

function startErrorText({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such command';
  return code === 'EACCES' ? 'it is not an executable file' : message;
}

/** The last line, which usually is the error, and some before it. Without characters that could control a terminal. */
function shownText(bytes: Buffer): string {
  const lines = bytes
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.replace(/[^\P{C}]+/gu, ' ').trim())
    .filter((line) => line !== '');
  const [last = '', ...before] = lines.slice(-SHOWN_STDERR_LINES).toReversed();
  const context = before.length === 0 ? '' : ` (before it: ${before.toReversed().join(' | ')})`;
  return `${last.slice(-SHOWN_STDERR_CHARS)}${context.slice(0, SHOWN_STDERR_CHARS)}`;
}
