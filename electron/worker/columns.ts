/** Worker thread: column queries, and the search, which reads the texts of matching rollouts. */
import { workerData } from 'node:worker_threads';
import type { MethodsOn, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ColumnMemory } from '../columns/columnMemory.ts';
import { ColumnQueryEngine } from '../columns/queryEngine.ts';
import { Searcher } from '../search/searcher.ts';
import { openReader } from '../storage/open.ts';
import { storageFailure } from '../storage/storageFailure.ts';
import { type Handlers, post, serve } from '../threads/serve.ts';
import type { Task } from '../threads/task.ts';
import type { ColumnNews, ColumnNotice, LibraryThreadData } from './messages.ts';

const { libraryPath, memory: slot } = workerData as LibraryThreadData;
const db = openReader(libraryPath);
const memory = new ColumnMemory(slot, () => post<ColumnNews>({ kind: 'news', news: 'memory-full' }));
const engine = new ColumnQueryEngine(db, memory);
const searcher = new Searcher(db, engine.store);

type SearchHandlers = {
  [M in MethodsOn<'search'>]: (params: ParsedParams<M>, task: Task) => ResultOf<M>;
};
/** Runs each handler in a separate transaction. */
function columnHandlers(of: ColumnQueryEngine): Handlers {
  const methods = Object.keys(of.handlers) as (keyof typeof of.handlers)[];
  return Object.fromEntries(
    methods.map((method) => [method, (params: never, task: Task) => of.answer(method, params, task)]),
  );
}

const search: SearchHandlers = {
  'search.page': (params, task) => searcher.page(params, task),
  'search.count': (params, task) => searcher.count(params, task),
  'search.hits': (params) => searcher.hits(params),
};

serve<ColumnNotice>({
  handlers: { ...columnHandlers(engine), ...search },
  failureOf: (error) => storageFailure(error, libraryPath),
  onNotice: () => engine.store.makeRoom(),
  close: () => void db.close(),
});
