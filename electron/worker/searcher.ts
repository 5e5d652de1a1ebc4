/** Worker thread: searches texts, one page at a time. The host ends it where a regular expression does not come to an end. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Result } from '../../shared/api/errors.ts';
import { Searcher, type SearchOptions } from '../search/searcher.ts';
import { openReader } from '../storage/open.ts';
import type { WorkerOptions } from './messages.ts';
import { BEAT, type SearcherMessage, type SearcherRequest } from './searcherMessages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const { libraryPath } = workerData as WorkerOptions;
const searcher = new Searcher(openReader(libraryPath));

const post = (message: SearcherMessage): void => port.postMessage(message);

port.on('message', (request: SearcherRequest) => {
  const beat = new Float64Array(request.beat);
  const result = answer(request, {
    isCancelled: () => beat[BEAT.stop] !== 0,
    beat: (rolloutId) => {
      beat[BEAT.since] = Date.now();
      beat[BEAT.rolloutId] = rolloutId;
    },
    skipped: new Set(request.skipped),
    now: () => performance.now(),
  });
  beat[BEAT.rolloutId] = 0;
  post({ kind: 'result', id: request.id, result });
});

function answer(request: SearcherRequest, options: SearchOptions): Result<unknown> {
  try {
    return request.kind === 'page'
      ? searcher.page(request.params, options)
      : searcher.hits(request.params, options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { code: 'internal', message } };
  }
}

post({ kind: 'ready' });
