import type { Identified } from '../ingest/identify.ts';
import type { Mappings } from '../ingest/mappings.ts';
import type { ParseOutcome, ParseRequest } from '../ingest/parseFile.ts';
import type { Parser } from '../ingest/readAhead.ts';
import type { PackedBatch } from '../storage/batch.ts';
import { ParserThread } from './parserThread.ts';

/** One for the file being written, one for the next: parsing costs three times what writing does. */
const THREADS = 2;

/** Parser threads as the writer sees them. The second is started when a second file is asked about. */
export class ParserPool implements Parser {
  /** The first is started at once: it loads while the user is still choosing what to read. */
  private readonly threads: ParserThread[] = [new ParserThread()];

  identify(path: string, name: string, mappings: Mappings | undefined): Promise<Identified> {
    return this.free().identify(path, name, mappings);
  }

  parse(
    request: ParseRequest,
    onBatch: (batch: PackedBatch) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<ParseOutcome> {
    return this.free().parse(request, onBatch, signal);
  }

  cancel(): void {
    for (const thread of this.threads) thread.cancel();
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private free(): ParserThread {
    const idle = this.threads.find((thread) => thread.load === 0);
    if (idle !== undefined) return idle;
    if (this.threads.length < THREADS) {
      const added = new ParserThread();
      this.threads.push(added);
      return added;
    }
    return this.threads.reduce((least, thread) => (thread.load < least.load ? thread : least));
  }
}
