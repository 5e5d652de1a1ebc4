import { Worker } from 'node:worker_threads';
import type { Parser } from '../ingest/ingest.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { PackedBatch } from '../storage/batch.ts';
import { entryOf } from './entry.ts';
import type { ParserMessage, ParserRequest } from './messages.ts';

/** The parser thread as the writer sees it: one file at a time, batches handed over one by one. */
export class ParserThread implements Parser {
  private readonly worker = new Worker(entryOf('parser'));
  private parses = 0;

  parse(request: ParseRequest, onBatch: (batch: PackedBatch) => void): Promise<ParseOutcome> {
    const parseId = ++this.parses;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        this.worker.off('message', onMessage);
        this.worker.off('error', onError);
        finish();
      };
      const onError = (error: Error): void => settle(() => reject(error));
      // Once writing has failed, what is still in flight is passed over; the thread is free when it says so.
      let failure: Error | undefined;
      const onMessage = (message: ParserMessage): void => {
        if (message.parseId !== parseId) return;
        switch (message.kind) {
          case 'batch':
            if (failure !== undefined) return;
            try {
              onBatch(message.batch);
              this.send({ kind: 'credit', parseId });
            } catch (error) {
              failure = error instanceof Error ? error : new Error(String(error));
              this.send({ kind: 'cancel', parseId });
            }
            break;
          case 'done':
            settle(() => (failure === undefined ? resolve(message.outcome) : reject(failure)));
            break;
          case 'error':
            settle(() => reject(failure ?? Object.assign(new Error(message.message), message.system ?? {})));
            break;
        }
      };
      this.worker.on('message', onMessage);
      this.worker.on('error', onError);
      this.send({ kind: 'parse', parseId, request });
    });
  }

  /** Ends the parse that is running, if one is. */
  cancel(): void {
    this.send({ kind: 'cancel', parseId: this.parses });
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private send(message: ParserRequest): void {
    this.worker.postMessage(message);
  }
}
