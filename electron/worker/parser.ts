/** Worker thread: parses files for the writer, at most `AHEAD` batches ahead of it. */
import { parentPort } from 'node:worker_threads';
import { type ParseRequest, parseFile } from '../ingest/parseFile.ts';
import type { ParserMessage, ParserNews, ParserRequest } from './messages.ts';

/** Two: one being written, one waiting. More would only hold memory. */
const AHEAD = 2;

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');

let credit = AHEAD;
let isCancelled = false;
let waiting: (() => void) | undefined;

port.on('message', (message: ParserRequest) => {
  switch (message.kind) {
    case 'credit':
      credit++;
      waiting?.();
      break;
    case 'cancel':
      isCancelled = true;
      waiting?.();
      break;
    case 'parse':
      void parse(message.parseId, message.request);
      break;
  }
});

async function parse(parseId: number, request: ParseRequest): Promise<void> {
  credit = AHEAD;
  isCancelled = false;
  try {
    const outcome = await parseFile(
      request,
      async (batch) => {
        while (credit === 0 && !isCancelled) {
          await new Promise<void>((resolve) => {
            waiting = resolve;
          });
        }
        credit--;
        post({ parseId, kind: 'batch', batch }, [
          batch.bytes.buffer as ArrayBuffer,
          batch.segments.buffer as ArrayBuffer,
          batch.turns.buffer as ArrayBuffer,
        ]);
        // Lets `cancel` and `credit` in: a file that never blocks would never hear them.
        await new Promise((resolve) => setImmediate(resolve));
      },
      () => isCancelled,
    );
    post({ parseId, kind: 'done', outcome });
  } catch (error) {
    post({ parseId, kind: 'error', ...describe(error) });
  }
}

function describe(error: unknown): Omit<Extract<ParserNews, { kind: 'error' }>, 'kind'> {
  if (!(error instanceof Error)) return { message: String(error) };
  if ('syscall' in error && 'code' in error) {
    return { message: error.message, system: { code: String(error.code), syscall: String(error.syscall) } };
  }
  return { message: error.stack ?? error.message };
}

function post(message: ParserMessage, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}
