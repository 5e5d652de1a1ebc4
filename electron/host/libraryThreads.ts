/** The worker threads of one library, and the thread of each method. */
import { fileURLToPath } from 'node:url';
import {
  CONTRACT,
  definitionOf,
  type MethodsOn,
  type ParsedParams,
  type ResultOf,
  type RunsOn,
} from '../../shared/api/contract.ts';
import { ApiError, type ApiFailure } from '../../shared/api/errors.ts';
import { textNodesOf } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { forkProcess, type StartProcess } from '../threads/childProcess.ts';
import { ANALYSIS_LIMITS, PARSER_HEAP } from '../threads/heapLimits.ts';
import {
  type RequestOptions,
  type WorkerAnswer,
  WorkerClient,
  type WorkerClientOptions,
} from '../threads/workerClient.ts';
import { entryOf, type WorkerEntry } from '../worker/entry.ts';
import type {
  ColumnNews,
  InternalMethods,
  LibraryThreadData,
  ParserRelayed,
  WriterNews,
} from '../worker/messages.ts';
import type { AppLog } from './appLog.ts';
import { ThreadBug } from './dispatch.ts';
import { ParserRelay } from './parserRelay.ts';

type ThreadName = Exclude<RunsOn, 'host' | 'libraries'>;
export type ThreadMethod = MethodsOn<ThreadName>;
/** `patterns`: lists and charts with a regular expression, which may read all texts. */
type LibraryThread = ThreadName | 'patterns';

/** A preview reads ten records. The longest possible line takes seconds. */
const INSPECTION_LIMIT_MS = 30_000;
/** Column threads of the process. More threads share a slot, which makes the limit slightly too high. */
const MEMORY_SLOTS = 500;
const columnMemory = new Int32Array(new SharedArrayBuffer(MEMORY_SLOTS * Int32Array.BYTES_PER_ELEMENT));
const freeSlots = Array.from({ length: MEMORY_SLOTS }, (_, slot) => slot);
/** Memory slot of each client's thread. When a thread exceeds the limit, all others are asked to make room. */
const columnClients = new Map<WorkerClient, number>();

type ThreadedInternal = Exclude<keyof InternalMethods, 'adapter.check'>;
/** The thread of each internal request. */
const INTERNAL: Readonly<
  Record<ThreadedInternal, { readonly thread: 'writer' | 'reader' | 'analysis'; readonly isAtOnce?: true }>
> = {
  'ingest.run': { thread: 'writer' },
  'library.known': { thread: 'writer', isAtOnce: true },
  'library.rescue': { thread: 'writer' },
  'run.name': { thread: 'writer' },
  'record.source': { thread: 'reader' },
  'roc.run': { thread: 'analysis' },
  'roc.decisions': { thread: 'analysis' },
};

export interface LibraryThreadsOptions {
  readonly libraryPath: string;
  readonly version: string;
  readonly log: AppLog;
  readonly onNews: (news: Exclude<WriterNews, ParserRelayed>) => void;
  /** Default: Node's fork. */
  readonly startProcess?: StartProcess | undefined;
}

export class LibraryThreads {
  private readonly clients: Readonly<Record<LibraryThread, WorkerClient>>;
  private readonly parser: ParserRelay;

  constructor({ libraryPath, version, log, onNews, startProcess = forkProcess }: LibraryThreadsOptions) {
    const workerData: LibraryThreadData = { libraryPath, version };
    const client = (
      name: string,
      entry: WorkerEntry,
      options: Partial<WorkerClientOptions> = {},
    ): WorkerClient =>
      new WorkerClient({
        name,
        entry: entryOf(entry),
        workerData,
        reportCrash: (message, error) => log.report(message, error),
        ...options,
      });
    const withColumns = (name: string, entry: WorkerEntry): WorkerClient => {
      const slot = freeSlots.pop() ?? 0;
      const data: LibraryThreadData = {
        ...workerData,
        memory: { shared: columnMemory.buffer as SharedArrayBuffer, slot },
      };
      const onColumnNews = (_news: ColumnNews): void => {
        for (const other of columnClients.keys()) if (other !== made) other.notify('make-room');
      };
      const made = client(name, entry, { workerData: data, onNews: onColumnNews });
      columnClients.set(made, slot);
      return made;
    };
    this.parser = new ParserRelay(startProcess, (notice, transfer) =>
      this.clients.writer.notify(notice, transfer),
    );
    this.clients = {
      reader: client('reader', 'reader', { size: 2 }),
      lists: withColumns('lists', 'columns'),
      charts: withColumns('charts', 'columns'),
      patterns: withColumns('patterns', 'columns'),
      search: withColumns('search', 'columns'),
      analysis: client('analysis', 'analysis', { resourceLimits: ANALYSIS_LIMITS }),
      comparison: client('comparison', 'analysis'),
      exporting: withColumns('exporting', 'analysis'),
      inspector: client('file inspector', 'inspector', {
        ...inspectorProcess(startProcess),
        longestMs: INSPECTION_LIMIT_MS,
      }),
      writer: client('writer', 'writer', {
        onNews: (news: WriterNews) => (news.kind === 'parser' ? this.parser.receive(news) : onNews(news)),
        // Wait for a running job, which ends after the current batch.
        closeTimeoutMs: Number.POSITIVE_INFINITY,
      }),
    };
  }

  /** @returns a failure when the library cannot be opened */
  open(): Promise<ApiFailure | undefined> {
    return this.clients.writer.open();
  }

  /** Starts the threads that a page needs first. */
  warm(): void {
    void this.clients.reader.open().then(() => this.clients.lists.open());
  }

  /** @throws ApiError, ThreadBug */
  async ask<M extends ThreadMethod>(
    method: M,
    params: ParsedParams<M>,
    options: RequestOptions = {},
  ): Promise<ResultOf<M>> {
    const client = this.clients[threadFor(method, params)];
    const { isAtOnce } = definitionOf(method);
    const answer = await client.request(method, params, { ...options, ...(isAtOnce && { isAtOnce }) });
    return valueIn(answer) as ResultOf<M>;
  }

  /** Sends an internal request. @throws ApiError, ThreadBug */
  async askInternally<M extends ThreadedInternal>(
    method: M,
    params: InternalMethods[M]['params'],
    options: RequestOptions = {},
  ): Promise<InternalMethods[M]['result']> {
    const { thread, isAtOnce } = INTERNAL[method];
    const client = this.clients[thread];
    const answer = await client.request(method, params, { ...options, ...(isAtOnce && { isAtOnce }) });
    return valueIn(answer) as InternalMethods[M]['result'];
  }

  async close(): Promise<void> {
    const { writer, ...others } = this.clients;
    await Promise.all(Object.values(others).map((client) => client.close()));
    for (const each of Object.values(others)) {
      const slot = columnClients.get(each);
      if (slot === undefined) continue;
      Atomics.store(columnMemory, slot, 0);
      freeSlots.push(slot);
      columnClients.delete(each);
    }
    await writer.close();
    this.parser.close();
  }
}

function threadFor(method: ThreadMethod, params: object): LibraryThread {
  const { runsOn } = CONTRACT[method];
  const readsColumns = runsOn === 'lists' || runsOn === 'charts';
  return readsColumns && 'filter' in params && hasRegex(String(params.filter)) ? 'patterns' : runsOn;
}

function hasRegex(filter: string): boolean {
  const read = readFilter(filter);
  return read.ok && textNodesOf(read.node).some(({ form }) => form === 'regex');
}

function valueIn({ result, stack }: WorkerAnswer): unknown {
  if (result.ok) return result.value;
  throw stack === undefined ? new ApiError(result.failure) : new ThreadBug(result.failure.message, stack);
}

/** Starts a process that reads files from elsewhere. */
const inspectorProcess = (start: StartProcess): Pick<WorkerClientOptions, 'startProcess'> => ({
  startProcess: (entry) =>
    start(fileURLToPath(entry), { name: 'Turnwise file inspector', execArgv: PARSER_HEAP }),
});

/** Inspects one file without a library, for the command line. @throws ApiError */
export function inspectFileOnce(path: string): Promise<ResultOf<'file.inspect'>> {
  return askInspectorOnce(
    'file.inspect',
    { path, mappings: [] },
    { ...inspectorProcess(forkProcess), longestMs: INSPECTION_LIMIT_MS },
  );
}

/** Runs an adapter over one file without a library, for the command line. @throws ApiError */
export function checkAdapterOnce(
  params: InternalMethods['adapter.check']['params'],
): Promise<InternalMethods['adapter.check']['result']> {
  return askInspectorOnce('adapter.check', params);
}

async function askInspectorOnce<T>(
  method: string,
  params: object,
  options: Partial<WorkerClientOptions> = {},
): Promise<T> {
  const inspector = new WorkerClient({ name: 'file inspector', entry: entryOf('inspector'), ...options });
  try {
    return valueIn(await inspector.request(method, params)) as T;
  } finally {
    await inspector.close();
  }
}
