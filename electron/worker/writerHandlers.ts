/** Handlers of the writer except ingest. Each is one transaction, or a series of transactions if it takes long. */
import type { MethodsOn, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ApiError, notFound, refused } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { readMapping } from '../../shared/format/mapped.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { requireGranted } from '../ingest/granted.ts';
import { importAnnotations } from '../ingest/importAnnotations.ts';
import { Mappings } from '../ingest/mappings.ts';
import type { Parser } from '../ingest/readAhead.ts';
import { readTokenizerFile } from '../ingest/tokenizerFile.ts';
import type { Answered } from '../storage/annotations.ts';
import type { LibraryWriter } from '../storage/libraryWriter.ts';
import type { WritableLibrary } from '../storage/open.ts';
import { saveReruns } from '../storage/reruns.ts';
import { rescue, withOwnTables } from '../storage/rescue.ts';
import { removeQuery, saveQuery } from '../storage/savedQueries.ts';
import { removeView, saveView } from '../storage/savedViews.ts';
import { removeMapping, saveMapping } from '../storage/userRules.ts';
import type { Task } from '../threads/task.ts';
import type { InternalMethods } from './messages.ts';

/** Collects the changes of a handler. The thread tells the host after the handler has returned. */
export interface Changes {
  /** Rows of these runs changed. */
  runs(runIds: readonly number[]): void;
  /** Annotations of these rollouts changed. Empty: the taxonomy changed. */
  annotations(rolloutIds: readonly number[]): void;
}

type WriterHandlers = {
  [M in MethodsOn<'writer'>]: (
    params: ParsedParams<M>,
    task: Task,
    changes: Changes,
  ) => ResultOf<M> | Promise<ResultOf<M>>;
} & {
  [M in 'library.known' | 'library.rescue' | 'run.name']: (
    params: InternalMethods[M]['params'],
    task: Task,
    changes: Changes,
  ) => InternalMethods[M]['result'] | Promise<InternalMethods[M]['result']>;
};

export function writerHandlers(db: WritableLibrary, writer: LibraryWriter, parser: Parser): WriterHandlers {
  const { annotations, rules } = writer;
  const annotated = <T>(changes: Changes, { value, rolloutIds }: Answered<T>): T => {
    changes.annotations(rolloutIds);
    return value;
  };
  return {
    'library.known': (change) => writer.whole.known(change),
    'library.rescue': ({ path }, _task, changes) => {
      changes.annotations([]);
      return withOwnTables(db, path, (own) => db.transaction(() => rescue(db, own, path)).immediate());
    },
    'library.compact': () => {
      const startedAt = performance.now();
      const compacted = writer.whole.compact();
      if ('refusal' in compacted) throw refused(compacted.refusal);
      return { ...compacted, elapsedMs: Math.round(performance.now() - startedAt) };
    },
    'run.name': ({ directory, name, granted }, _task, changes) => {
      const { paths, runIds } = writer.nameRun(directory, name, (path) => requireGranted(path, granted));
      changes.runs(runIds);
      return { paths };
    },
    'run.remove': ({ runKey }, _task, changes) => {
      const { runId, ...removed } = inLibrary(writer.removal.remove(runKey), runKey);
      changes.runs([runId]);
      return removed;
    },
    'run.move': (params, task, changes) => {
      const done = writer.removal.move(params.runKey, params.path, {
        isCancelled: task.isCancelled,
        onProgress: (rollouts, total) => task.progress(rollouts, total, rollouts / Math.max(1, total)),
      });
      if (done === 'missing') throw noRun(params.runKey);
      if (done === 'cancelled') throw new ApiError(CANCELLED);
      if ('refusal' in done) throw refused(done.refusal);
      changes.runs([done.runId]);
      return done.moved;
    },
    'run.setGroupRule': ({ runKey, rule, size }, _task, changes) => {
      if (rule === 'order' && size === undefined)
        throw refused('grouping by order needs the number of rollouts per group');
      const chosen = rule === 'log' ? undefined : { rule, size: size ?? 1 };
      const { groups, runId } = inLibrary(writer.setGroupRule(runKey, chosen), runKey);
      changes.runs([runId]);
      return { groups };
    },
    'run.joinPool': (join, _task, changes) => {
      if (join.poolKey === join.keptKey) throw refused('a run cannot be joined with itself');
      const done = rules.poolJoins.join(join);
      if ('missing' in done) throw noRun(done.missing);
      if ('refusal' in done) throw refused(done.refusal);
      changes.runs([done.poolId]);
      return done.report;
    },
    'run.leavePool': (join, _task, changes) => {
      const poolId = rules.poolJoins.leave(join);
      if (poolId !== undefined) changes.runs([poolId]);
      return { left: poolId !== undefined };
    },
    'run.setTokenizer': ({ runKey, path }, task, changes) => {
      const file = readTokenizerFile(path);
      if (!file.ok) throw refused(file.message);
      const report = rules.setTokenizer(runKey, file.name, file.tokenizer, (done, total) =>
        task.progress(done, total, done / Math.max(1, total)),
      );
      changes.runs([inLibrary(writer.runIdOf(runKey), runKey)]);
      return inLibrary(report, runKey);
    },
    'run.removeTokenizer': ({ runKey }, _task, changes) => {
      const removed = rules.removeTokenizer(runKey);
      const runId = writer.runIdOf(runKey);
      if (runId !== undefined) changes.runs([runId]);
      return { removed };
    },
    'rerun.save': ({ rolloutId, calls }, _task, changes) => {
      const saved = saveReruns(db, rolloutId, calls);
      // Lists under a filter by class are read again as after an annotation.
      if (saved) changes.annotations([rolloutId]);
      return { saved };
    },
    'view.save': (view) => {
      saveView(db, view);
      return { saved: true };
    },
    'view.remove': ({ name }) => ({ removed: removeView(db, name) }),
    'query.save': (query) => {
      const saved = saveQuery(db, query, Date.now());
      if ('refusal' in saved) throw refused(saved.refusal);
      return saved;
    },
    'query.remove': ({ name }) => ({ removed: removeQuery(db, name) }),
    'mapping.save': ({ mapping }) => {
      const reading = readMapping(mapping);
      if (!('mapping' in reading)) throw refused(reading.message);
      saveMapping(db, reading.mapping);
      return { saved: true };
    },
    'mapping.remove': ({ name }) => ({ removed: removeMapping(db, name) }),
    'taxonomy.set': ({ taxonomy }, _task, changes) => {
      changes.annotations([]);
      return annotations.setTaxonomy(taxonomy);
    },
    'annotation.apply': (params, _task, changes) => annotated(changes, annotations.apply(params, Date.now())),
    'annotation.undo': (params, _task, changes) => annotated(changes, annotations.undo(params)),
    'annotation.redo': (params, _task, changes) => annotated(changes, annotations.redo(params)),
    'annotation.resolve': (decision, _task, changes) =>
      annotated(changes, annotations.resolve(decision, Date.now())),
    'annotation.import': async ({ path }, _task, changes) => {
      const { report, rolloutIds } = await importAnnotations(writer, parser, path);
      changes.annotations(rolloutIds);
      return report;
    },
  };
}

/** @throws ApiError `refused` when no mapping of that name is saved */
export function mappingsFor(writer: LibraryWriter, forced: string | Mapping | undefined): Mappings {
  const saved = writer.mappings();
  if (typeof forced !== 'string') return new Mappings(saved, forced);
  const named = saved.find((mapping) => mapping.name === forced);
  if (named === undefined) throw refused(`there is no mapping ${JSON.stringify(forced)}`);
  return new Mappings(saved, named);
}

function inLibrary<T>(value: T | undefined, runKey: string): T {
  if (value === undefined) throw noRun(runKey);
  return value;
}

function noRun(runKey: string): ApiError {
  return notFound(`the library has no run ${runKey}`);
}
