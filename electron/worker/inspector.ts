/**
 * Worker thread that inspects files. A damaged file can send a decoder into an endless loop, so the thread
 * is separate and can be terminated.
 */
import { workerData } from 'node:worker_threads';
import type { MethodsOn, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { checkAdapter } from '../ingest/checkAdapter.ts';
import { reasonOf } from '../ingest/discover.ts';
import { inspectFile, previewMapping } from '../ingest/inspectFile.ts';
import { openReader } from '../storage/open.ts';
import { listMappings } from '../storage/queries/sources.ts';
import { serve } from '../threads/serve.ts';
import type { InternalMethods, LibraryThreadData } from './messages.ts';

/** Absent on the command line, which inspects a file without a library. */
const data = workerData as LibraryThreadData | undefined;

type InspectorHandlers = {
  [M in MethodsOn<'inspector'>]: (params: ParsedParams<M>) => Promise<ResultOf<M>>;
};

const handlers: InspectorHandlers = {
  'file.inspect': ({ path }) => naming(path, () => inspectFile(path, mappings())),
  'mapping.preview': ({ path, mapping }) => naming(path, () => previewMapping(path, mapping)),
};

function mappings() {
  if (data === undefined) return [];
  const db = openReader(data.libraryPath);
  try {
    return listMappings(db);
  } finally {
    db.close();
  }
}

/** Adds the path to the error. @throws ApiError when the file cannot be read */
async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = reasonOf(error);
    const isKnown = code === 'not_found' || code === 'no_permission' || code === 'is_directory';
    throw new ApiError({ code: isKnown ? 'not_found' : 'internal', message: `${path}: ${message}` });
  }
}

/** Available only on the command line. A thread that serves pages must never run a command. */
const checks = {
  'adapter.check': ({ path, adapter }: InternalMethods['adapter.check']['params']) =>
    naming(path, () => checkAdapter(path, adapter)),
};

serve({ handlers: data === undefined ? { ...handlers, ...checks } : handlers });
