/**
 * A process that parses files for the writer, at most `AHEAD` batches ahead. A file is not trusted: it may make a
 * decoder exhaust the memory, which ends a process and not only a thread, or loop for good.
 */
import { stat } from 'node:fs/promises';
import { serialize } from 'node:v8';
import { TookTooLongError, tooMuchComputing } from '../ingest/computingTime.ts';
import { identify } from '../ingest/identify.ts';
import { Mappings } from '../ingest/mappings.ts';
import { type ParseRequest, parseFile } from '../ingest/parseFile.ts';
import { packList } from '../threads/packedList.ts';
import { connectToParent, cpuMs, watchProcess } from '../threads/parentProcess.ts';
import { entryOf } from './entry.ts';
import {
  MOST_PARSER_MEMORY,
  type ParserFrame,
  type ParserMessage,
  type ParserNews,
  type ParserRequest,
} from './messages.ts';

/** One batch is written while another waits. More would only use memory. */
const AHEAD = 2;

/** CPU time of one record. The longest one that is read takes a few seconds. */
const LONGEST_TURN_MS = 8_000;
/** CPU time until the format of a file is known. It reads the first records only. */
const LONGEST_LOOK_MS = 8_000;
const LOOK_EVERY_MS = 100;

const parent = connectToParent<ParserFrame, ParserRequest>();
const watched = watchProcess(entryOf('watchdog'), {
  mostMemory: MOST_PARSER_MEMORY,
  longestTurnMs: LONGEST_TURN_MS,
});

/** The state of one parse. The next parse has its own, while a cancelled one may still be ending. */
class Parse {
  readonly request: ParseRequest;
  private readonly controller = new AbortController();
  private credit = AHEAD;
  private wake: (() => void) | undefined;
  private isAlone = true;
  private startedAt = 0;

  constructor(request: ParseRequest) {
    this.request = request;
  }

  /** Called when the parse begins, and when it is no longer the only one or is so again: CPU time is of the process. */
  startClock(isAlone: boolean): void {
    this.isAlone = isAlone;
    this.startedAt = cpuMs();
  }

  /** @throws TookTooLongError if the file has taken too long, or an error for which it is read again alone */
  checkTime(otherBytes: number): void {
    // The output of an adapter may be larger than the file.
    if (this.request.container === 'adapter') return;
    const why = tooMuchComputing(
      cpuMs() - this.startedAt,
      this.request.bytes + otherBytes,
      this.request.unit,
    );
    if (why === undefined) return;
    if (this.isAlone) throw new TookTooLongError(why);
    throw Object.assign(new Error(why), { code: 'PARSER_ENDED', syscall: 'parse' });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isCancelled(): boolean {
    return this.controller.signal.aborted;
  }

  give(): void {
    this.credit++;
    this.wake?.();
  }

  cancel(): void {
    this.controller.abort();
    this.wake?.();
  }

  async take(): Promise<void> {
    while (this.credit === 0 && !this.isCancelled) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.credit--;
  }
}

const parses = new Map<number, Parse>();

// If the system has no threads left, the first use of Node's thread pool ends the process. The pool is used here before
// any file is read, so that this failure is not reported as damage of a file.
const started = Promise.all([watched, stat(process.execPath)]).then(() => post({ kind: 'started' }));
parent.receive(async (message) => {
  await started;
  switch (message.kind) {
    case 'credit':
      parses.get(message.parseId)?.give();
      break;
    case 'cancel':
      parses.get(message.parseId)?.cancel();
      break;
    case 'identify':
      void look(message);
      break;
    case 'parse':
      begin(message.parseId, message.request);
      break;
  }
});

/**
 * Bytes. Below this size two files are parsed at once: one is parsed while the texts of the other are
 * compressed. Larger files are parsed one after another.
 */
const SMALL_BYTES = 8 << 20;
/** Compressed files count as this many times their size. */
const UNPACKED = 64;
interface Waiting {
  readonly isSmall: boolean;
  readonly parse: Parse;
  readonly run: () => Promise<void>;
}
const waiting: Waiting[] = [];
let running: readonly Waiting[] = [];

function begin(parseId: number, request: ParseRequest): void {
  const parse = new Parse(request);
  parses.set(parseId, parse);
  const bytes = request.bytes * (request.container === 'plain' ? 1 : UNPACKED);
  waiting.push({ isSmall: bytes <= SMALL_BYTES, parse, run: () => run(parseId, parse) });
  startNext();
}

function startNext(): void {
  const [next] = waiting;
  if (next === undefined) return;
  const fits = running.length === 0 || (running.length === 1 && next.isSmall && running[0]?.isSmall === true);
  if (!fits) return;
  waiting.shift();
  running = [...running, next];
  startClocks();
  void next.run().then(() => {
    running = running.filter((other) => other !== next);
    startClocks();
    startNext();
  });
  startNext();
}

/** Files that are being identified. */
let looks = 0;

function startClocks(): void {
  for (const { parse } of running) parse.startClock(running.length === 1 && looks === 0);
}

/** Ends the process if it has taken too long, because nothing can be stopped within a record. */
async function endLook(parseId: number): Promise<void> {
  const message = `its first records take more than ${LONGEST_LOOK_MS / 1000} s of computing`;
  await post(
    running.length === 0 && looks === 1
      ? {
          parseId,
          kind: 'identified',
          identified: { kind: 'refused', issue: { severity: 'refused', code: 'damaged', message } },
        }
      : { parseId, kind: 'error', message, system: { code: 'PARSER_ENDED', syscall: 'parse' } },
  );
  process.exit(1);
}

async function look(message: Extract<ParserRequest, { kind: 'identify' }>): Promise<void> {
  const { parseId, path, name, mappings, forced } = message;
  looks++;
  startClocks();
  const startedAt = cpuMs();
  const timer = setInterval(() => {
    if (cpuMs() - startedAt < LONGEST_LOOK_MS) return;
    clearInterval(timer);
    void endLook(parseId);
  }, LOOK_EVERY_MS);
  try {
    const identified = await identify(path, name, new Mappings(mappings, forced).detect);
    // Drop the records of a refused file: they may be nested too deeply to be copied, and ingest does not need them.
    if (identified.kind === 'refused')
      post({ parseId, kind: 'identified', identified: { kind: 'refused', issue: identified.issue } });
    else post({ parseId, kind: 'identified', identified });
  } catch (error) {
    post({ parseId, kind: 'error', ...describe(error) });
  } finally {
    clearInterval(timer);
    looks--;
    startClocks();
  }
}

async function run(parseId: number, parse: Parse): Promise<void> {
  try {
    const outcome = await parseFile(
      parse.request,
      async (batch) => {
        await parse.take();
        if (parse.isCancelled) return;
        const { items, problems } = batch;
        const sent = { ...batch, items: packList([...items]), problems: packList(problems) };
        // The next record may end the process.
        await post({ parseId, kind: 'batch', batch: sent });
        // Lets `cancel` and `credit` messages in, which a synchronous parse would block.
        await new Promise((resolve) => setImmediate(resolve));
      },
      () => parse.isCancelled,
      parse.signal,
      (otherBytes) => parse.checkTime(otherBytes),
    );
    post({ parseId, kind: 'done', outcome });
  } catch (error) {
    post({ parseId, kind: 'error', ...describe(error) });
  } finally {
    parses.delete(parseId);
  }
}

function describe(error: unknown): Omit<Extract<ParserNews, { kind: 'error' }>, 'kind'> {
  if (!(error instanceof Error)) return { message: String(error) };
  if ('syscall' in error && 'code' in error) {
    return { message: error.message, system: { code: String(error.code), syscall: String(error.syscall) } };
  }
  return { message: error.message };
}

/** The host passes a frame on without reading it. */
function post(message: ParserMessage): Promise<void> {
  return parent.send(serialize(message));
}
