/**
 * A process that inspects files. A damaged file can make a decoder exhaust the memory or loop for good, so the process
 * can be killed. A command that checks an adapter runs it as a thread.
 */
import { isMainThread } from 'node:worker_threads';
import type { MethodsOn, ResultOf } from '../../shared/api/contract.ts';
import { ApiError } from '../../shared/api/errors.ts';
import { checkAdapter } from '../ingest/checkAdapter.ts';
import { reasonOf } from '../ingest/discover.ts';
import { inspectFile, previewMapping } from '../ingest/inspectFile.ts';
import { readRecordChunk } from '../ingest/recordChunk.ts';
import { watchProcess } from '../threads/parentProcess.ts';
import { serve } from '../threads/serve.ts';
import { entryOf } from './entry.ts';
import { type InternalMethods, MOST_PARSER_MEMORY, type SentParams } from './messages.ts';

type InspectorHandlers = {
  [M in MethodsOn<'inspector'>]: (params: SentParams<M>) => Promise<ResultOf<M>>;
};

const handlers: InspectorHandlers = {
  'file.inspect': ({ path, mappings }) => naming(path, () => inspectFile(path, mappings)),
  'rollout.record': ({ source, offset, limit, granted }) => readRecordChunk(source, offset, limit, granted),
  'mapping.preview': ({ path, mapping }) => naming(path, () => previewMapping(path, mapping)),
};

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

/** Available only on the command line. What serves pages must never run a command. */
const checks = {
  'adapter.check': ({ path, adapter }: InternalMethods['adapter.check']['params']) =>
    naming(path, () => checkAdapter(path, adapter)),
};

if (isMainThread) void watchProcess(entryOf('watchdog'), { mostMemory: MOST_PARSER_MEMORY });
serve({ handlers: isMainThread ? handlers : checks });
