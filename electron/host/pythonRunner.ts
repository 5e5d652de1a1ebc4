/**
 * Runs Python in a process that is contained and can be killed. One request at a time; the process prepares
 * its next interpreter between them, and a killed one is replaced at once.
 */

import { realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError, type ApiFailure } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import { messageOfError } from '../../shared/domain/fileProblem.ts';
import type { PythonAnswer, PythonReport } from '../../shared/domain/pythonAnswer.ts';
import {
  MOST_OUTPUT,
  type PythonReceived,
  type PythonRequest,
  type PythonSent,
  type PythonSnapshot,
} from '../python/messages.ts';
import { type ChildProcess, forkProcess, type StartProcess } from '../threads/childProcess.ts';
import { entryOf } from '../worker/entry.ts';

export interface PythonOptions {
  /** Default: Node's fork. */
  readonly start?: StartProcess | undefined;
  /** Folder of wheels that code may import, if it exists. */
  readonly packages?: string | undefined;
}

/** A process that has no interpreter ready after this time never will. */
const START_MS = 60_000;
/**
 * A process that does not even receive a request after this time runs code of an earlier one, which went on after its
 * answer. Between requests it starts an interpreter, in 0.1 s.
 */
const TAKEN_MS = 10_000;
const HUNG: ApiFailure = { code: 'internal', message: 'the Python process does not answer' };
const UNPREPARED: ApiFailure = { code: 'internal', message: 'the Python process has no such packages' };
const LOST: ApiFailure = { code: 'internal', message: 'the Python process has ended' };
/** Earlier code may have caused these, so the request is run once again, in a process that has run none. */
const REPEATED: ReadonlySet<string> = new Set([HUNG, UNPREPARED, LOST].map(({ message }) => message));
/** Each holds 300 MB. */
const MOST_PROCESSES = 4;
/** A process that is not used is ended, because it holds 300 MB. */
const IDLE_MS = 120_000;

/** Memory of interpreters that have imported packages, by these: 30 MB and more that save seconds per process. */
const snapshots = new Map<string, PythonSnapshot>();
/** Every process gets them all. */
const MOST_SNAPSHOTS = 4;

function keepSnapshot(snapshot: PythonSnapshot): void {
  snapshots.set(snapshot.of, snapshot);
  for (const of of [...snapshots.keys()].slice(0, -MOST_SNAPSHOTS)) snapshots.delete(of);
}

interface Running {
  readonly child: ChildProcess<PythonSent, PythonReceived>;
  readonly ready: Promise<void>;
  /** State of the first request of the process. Its code may change what the process sends, and use up its memory. */
  firstRun: 'ahead' | 'now' | 'over';
  /** Set while a request waits to be received. */
  onTaken: () => void;
  /** Set while a request waits for its start. */
  onRunning: () => void;
  /** Set while a request waits for its end. */
  onEnd: (end: PythonAnswer | ApiFailure) => void;
}

export class PythonRunner {
  private readonly start: StartProcess;
  private readonly packages: string | undefined;
  private running: Running | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private idle: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;

  constructor({ start = forkProcess, packages }: PythonOptions = {}) {
    this.start = start;
    this.packages = packages;
  }

  /**
   * @param limitMs of the code, without the start of the process
   * @throws ApiError when cancelled, closed, or when no process can be started
   */
  async run(request: PythonRequest, limitMs: number, signal?: AbortSignal): Promise<PythonAnswer> {
    const runNow = (): Promise<PythonAnswer> => this.runNow(request, limitMs, signal);
    const answer = this.last.then(runNow).catch((error: unknown) => {
      if (error instanceof ApiError && REPEATED.has(error.message)) return runNow();
      throw error;
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }

  close(): void {
    this.isClosed = true;
    this.stop({ code: 'closed', message: 'the host has been closed' });
  }

  private async runNow(request: PythonRequest, limitMs: number, signal?: AbortSignal): Promise<PythonAnswer> {
    if (signal?.aborted === true) throw new ApiError(CANCELLED);
    if (this.isClosed) throw new ApiError({ code: 'closed', message: 'the host has been closed' });
    clearTimeout(this.idle);
    this.running ??= this.startProcess();
    const { running } = this;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let takenTimer: ReturnType<typeof setTimeout> | undefined;
    const cancel = (): void => this.stop(CANCELLED);
    signal?.addEventListener('abort', cancel);
    const onProcessExit = (): void => running.child.kill();
    process.once('exit', onProcessExit);
    try {
      const end = await new Promise<PythonAnswer | ApiFailure>((resolve) => {
        running.onEnd = resolve;
        timer = setTimeout(
          () => this.stop({ code: 'internal', message: 'Python did not start within a minute' }),
          START_MS,
        );
        running.onTaken = () => clearTimeout(takenTimer);
        running.onRunning = () => {
          clearTimeout(timer);
          timer = setTimeout(() => this.stop({ kind: 'timed_out', limitMs }), limitMs);
        };
        void running.ready.then(() => {
          if (this.running !== running) return;
          takenTimer = setTimeout(() => this.stop(HUNG), TAKEN_MS);
          running.child.send({ kind: 'run', ...request });
        });
      });
      if ('code' in end) throw new ApiError(end);
      return end;
    } finally {
      clearTimeout(timer);
      clearTimeout(takenTimer);
      signal?.removeEventListener('abort', cancel);
      process.off('exit', onProcessExit);
      this.prepareNext();
    }
  }

  /** Replaces a killed process at once, and ends one that is not used for long. */
  private prepareNext(): void {
    if (this.isClosed) return;
    this.running ??= this.startProcess();
    this.idle = setTimeout(() => this.stop(CANCELLED), IDLE_MS);
    this.idle.unref();
  }

  private stop(end: PythonAnswer | ApiFailure): void {
    clearTimeout(this.idle);
    const { running } = this;
    this.running = undefined;
    running?.child.kill();
    running?.onEnd(end);
  }

  private startProcess(): Running {
    const entry = fileURLToPath(entryOf('python'));
    const pyodide = pyodideDirectory();
    const snapshot = snapshotFile(entry);
    const packages = existing(this.packages);
    let child: ChildProcess<PythonSent, PythonReceived>;
    try {
      child = this.start(entry, {
        name: 'Turnwise Python',
        execArgv: containment(entry, pyodide, snapshot, packages),
        isWithoutEnvironment: true,
      });
    } catch (error) {
      throw new ApiError(notStarted(error));
    }
    let markReady: () => void = () => undefined;
    let isReady = false;
    const running: Running = {
      child,
      ready: new Promise((resolve) => {
        markReady = resolve;
      }),
      firstRun: 'ahead',
      onTaken: () => undefined,
      onRunning: () => undefined,
      onEnd: () => undefined,
    };
    const ended = (end: PythonAnswer | ApiFailure): void => {
      if (this.running === running) this.stop(end);
    };
    child.onMessage((message) => {
      switch (message.kind) {
        case 'snapshot':
          // Every other process would start from it.
          if (running.firstRun === 'ahead') keepSnapshot(message.snapshot);
          break;
        case 'taken':
          running.onTaken();
          break;
        case 'ready':
          isReady = true;
          markReady();
          break;
        case 'unprepared':
          ended(UNPREPARED);
          break;
        case 'running':
          if (running.firstRun === 'ahead') running.firstRun = 'now';
          running.onRunning();
          break;
        case 'done':
          running.firstRun = 'over';
          running.onEnd(withOutputCut(message));
          break;
        case 'broken':
          ended(isReady ? { kind: 'crashed', message: message.message } : notStarted(message.message));
          break;
      }
    });
    child.onExit((why) => {
      if (why instanceof Error || !isReady)
        ended(notStarted(why instanceof Error ? why : `exit code ${why}`));
      else if (running.firstRun === 'over') ended(LOST);
      else
        ended({
          kind: 'crashed',
          message: 'the interpreter was stopped; it used too much memory, or ended itself',
        });
    });
    child.send({
      kind: 'start',
      pyodide,
      snapshot,
      ...(packages === undefined ? {} : { packages, snapshots: [...snapshots.values()] }),
    });
    return running;
  }
}

/** Code may have got around the limit of its process. */
function withOutputCut(report: PythonReport): PythonReport {
  const stdout = report.stdout.slice(0, MOST_OUTPUT);
  const stderr = report.stderr.slice(0, MOST_OUTPUT - stdout.length);
  const isCut = report.isCut || stdout !== report.stdout || stderr !== report.stderr;
  return { ...report, stdout, stderr, isCut };
}

/** As many runners as requests at a time, up to one per core. A page asks for one run at a time. */
export class PythonPool {
  private readonly options: PythonOptions;
  /** Requests that each runner has not answered. */
  private readonly pending = new Map<PythonRunner, number>();
  private isClosed = false;

  constructor(options: PythonOptions = {}) {
    this.options = options;
  }

  /** Like `PythonRunner.run`. */
  async run(request: PythonRequest, limitMs: number, signal?: AbortSignal): Promise<PythonAnswer> {
    const runner = this.leastBusy();
    this.pending.set(runner, (this.pending.get(runner) ?? 0) + 1);
    try {
      return await runner.run(request, limitMs, signal);
    } finally {
      this.pending.set(runner, (this.pending.get(runner) ?? 1) - 1);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const runner of this.pending.keys()) runner.close();
  }

  private leastBusy(): PythonRunner {
    const [least] = [...this.pending].sort(([, a], [, b]) => a - b);
    const isFull = this.pending.size >= Math.min(availableParallelism(), MOST_PROCESSES);
    if (least !== undefined && (least[1] === 0 || isFull || this.isClosed)) return least[0];
    const runner = new PythonRunner(this.options);
    if (this.isClosed) runner.close();
    return runner;
  }
}

/** Beside the code in a checkout and a package. A process cannot read archives, so the package is unpacked. */
function pyodideDirectory(): string {
  const file = createRequire(import.meta.url).resolve('pyodide');
  return dirname(file)
    .replace('app.asar/', 'app.asar.unpacked/')
    .replace('app.asar\\', 'app.asar.unpacked\\');
}

/** The build makes it, also for a process that runs from the sources. */
function snapshotFile(entry: string): string {
  const parent = dirname(dirname(entry));
  return join(entry.endsWith('.ts') ? join(dirname(parent), 'dist') : parent, 'python', 'python.snapshot');
}

/**
 * Node's permission model: the process reads its own code, Pyodide, its snapshot and the given packages, writes nothing, starts nothing. The one
 * worker watches its memory (`electron/worker/python.ts`).
 */
function containment(
  entry: string,
  pyodide: string,
  snapshot: string,
  packages: string | undefined,
): readonly string[] {
  const electron = dirname(dirname(entry));
  const readable = entry.endsWith('.ts') ? join(electron) : dirname(entry);
  return [
    '--permission',
    ...[
      join(readable, '/'),
      join(pyodide, '/'),
      snapshot,
      ...(packages === undefined ? [] : [join(packages, '/')]),
      join(electron, 'package.json'),
      join(dirname(electron), 'package.json'),
    ].map((path) => `--allow-fs-read=${path}`),
    '--allow-worker',
    '--disallow-code-generation-from-strings',
    '--no-warnings',
  ];
}

/** Permissions are judged on real paths. */
function existing(directory: string | undefined): string | undefined {
  if (directory === undefined || statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    return undefined;
  return realpathSync.native(directory);
}

function notStarted(error: unknown): ApiFailure {
  return { code: 'internal', message: `Python could not be started: ${messageOfError(error)}` };
}
