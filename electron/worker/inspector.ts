/** Worker thread: looks at files for the host, without a library. */
import { parentPort } from 'node:worker_threads';
import type { Result } from '../../shared/api/errors.ts';
import { reasonOf } from '../ingest/discover.ts';
import { inspectFile, previewMapping } from '../ingest/inspectFile.ts';
import type { InspectorRequest, InspectorResponse } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');

port.on('message', async (request: InspectorRequest) => {
  const response: InspectorResponse = { id: request.id, result: await answer(request) };
  port.postMessage(response);
});

async function answer(request: InspectorRequest): Promise<InspectorResponse['result']> {
  try {
    const value =
      request.kind === 'inspect'
        ? await inspectFile(request.path, request.mappings)
        : await previewMapping(request.path, request.mapping);
    return { ok: true, value };
  } catch (error) {
    return failed(request.path, error);
  }
}

function failed(path: string, error: unknown): Result<never> {
  const { code, message } = reasonOf(error);
  const isKnown = code === 'not_found' || code === 'no_permission' || code === 'is_directory';
  return { ok: false, failure: { code: isKnown ? 'not_found' : 'internal', message: `${path}: ${message}` } };
}
