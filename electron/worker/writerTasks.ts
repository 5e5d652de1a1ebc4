/** What the writer does besides ingest. Failures are values, as on the wire. */
import type { Result } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { readMapping } from '../../shared/format/mapped.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { importAnnotations, NoPackError } from '../ingest/importAnnotations.ts';
import { Mappings } from '../ingest/mappings.ts';
import { readTokenizerFile } from '../ingest/tokenizerFile.ts';
import { ChangeRefusal } from '../storage/annotationChanges.ts';
import type { Answered } from '../storage/annotations.ts';
import type { LibraryWriter } from '../storage/libraryWriter.ts';
import type { WriterTask } from './messages.ts';

export interface TaskOutcome {
  readonly result: Result<unknown>;
  /** Runs whose rows changed. */
  readonly runIds: readonly number[];
  /** Set where annotations, readings or labels have changed: the rollouts they are about. */
  readonly annotated?: readonly number[];
}

export type OnTaskProgress = (done: number, total: number) => void;

/** What a person does while reading: one short transaction, which need not wait for the jobs before it. */
export function isAtOnce({ kind }: WriterTask): boolean {
  return AT_ONCE.has(kind);
}

const AT_ONCE: ReadonlySet<WriterTask['kind']> = new Set([
  'annotate',
  'undo',
  'redo',
  'resolveConflict',
  'setTaxonomy',
]);

export async function runTask(
  writer: LibraryWriter,
  task: WriterTask,
  onProgress: OnTaskProgress,
): Promise<TaskOutcome> {
  try {
    return await perform(writer, task, onProgress);
  } catch (error) {
    if (error instanceof ChangeRefusal || error instanceof NoPackError) return refused(error.message);
    const message = error instanceof Error ? error.message : String(error);
    return {
      result: { ok: false, failure: { code: 'internal', message: `${task.kind}: ${message}` } },
      runIds: [],
    };
  }
}

function perform(
  writer: LibraryWriter,
  task: WriterTask,
  onProgress: OnTaskProgress,
): TaskOutcome | Promise<TaskOutcome> {
  switch (task.kind) {
    case 'removeRun': {
      const removed = writer.removeRun(task.runKey);
      if (removed === undefined) return noRun(task.runKey);
      const { runId, ...value } = removed;
      return { result: { ok: true, value }, runIds: [runId] };
    }
    case 'setGroupRule': {
      if (task.rule === 'order' && task.size === undefined) {
        return refused('groups by order need the number of rollouts in a group');
      }
      const rule = task.rule === 'log' ? undefined : { rule: task.rule, size: task.size ?? 1 };
      const done = writer.setGroupRule(task.runKey, rule);
      if (done === undefined) return noRun(task.runKey);
      return { result: { ok: true, value: { groups: done.groups } }, runIds: [done.runId] };
    }
    case 'joinPool': {
      if (task.poolKey === task.keptKey) return refused('a run is not joined with itself');
      const done = writer.rules.poolJoins.join(task);
      if ('missing' in done) return noRun(done.missing);
      if ('refusal' in done) return refused(done.refusal);
      return { result: { ok: true, value: done.report }, runIds: [done.poolId] };
    }
    case 'leavePool': {
      const poolId = writer.rules.poolJoins.leave(task);
      return {
        result: { ok: true, value: { left: poolId !== undefined } },
        runIds: poolId === undefined ? [] : [poolId],
      };
    }
    case 'setTokenizer': {
      const file = readTokenizerFile(task.path);
      if (!file.ok) return refused(file.message);
      const report = writer.rules.setTokenizer(task.runKey, file.name, file.tokenizer, onProgress);
      return report === undefined ? noRun(task.runKey) : changed(writer, task.runKey, report);
    }
    case 'removeTokenizer':
      return changed(writer, task.runKey, { removed: writer.rules.removeTokenizer(task.runKey) });
    case 'nameRun': {
      const { paths, runIds } = writer.nameRun(task.directory, task.name);
      return { result: { ok: true, value: { paths } }, runIds };
    }
    case 'saveView':
      writer.saveView(task.view);
      return { result: { ok: true, value: { saved: true } }, runIds: [] };
    case 'removeView':
      return { result: { ok: true, value: { removed: writer.removeView(task.name) } }, runIds: [] };
    case 'saveQuery': {
      const saved = writer.saveQuery(task.query, Date.now());
      return 'refusal' in saved ? refused(saved.refusal) : { result: { ok: true, value: saved }, runIds: [] };
    }
    case 'removeQuery':
      return { result: { ok: true, value: { removed: writer.removeQuery(task.name) } }, runIds: [] };
    case 'knownLibraries':
      return { result: { ok: true, value: writer.whole.known(task.change) }, runIds: [] };
    case 'compact': {
      const compacted = writer.whole.compact();
      if ('refusal' in compacted) return refused(compacted.refusal);
      return { result: { ok: true, value: compacted }, runIds: [] };
    }
    case 'setTaxonomy':
      return annotated({ value: writer.annotations.setTaxonomy(task.taxonomy), rolloutIds: [] });
    case 'annotate':
      return annotated(writer.annotations.apply(task.changes, Date.now()));
    case 'undo':
      return annotated(writer.annotations.undo(task));
    case 'redo':
      return annotated(writer.annotations.redo(task));
    case 'resolveConflict':
      return annotated(writer.annotations.resolve(task.decision, Date.now()));
    case 'importAnnotations':
      return importAnnotations(writer, task.path).then(({ report, rolloutIds }) =>
        annotated({ value: report, rolloutIds }),
      );
    case 'moveRun':
      return moveRun(writer, task, onProgress);
    case 'saveMapping': {
      const reading = readMapping(task.mapping);
      if (!('mapping' in reading)) return refused(reading.message);
      writer.saveMapping(reading.mapping);
      return { result: { ok: true, value: { saved: true } }, runIds: [] };
    }
    case 'removeMapping':
      return { result: { ok: true, value: { removed: writer.removeMapping(task.name) } }, runIds: [] };
  }
}

/** Rollouts are copied by the thousand, and each piece would be news. */
const NEWS_MS = 100;

function moveRun(
  writer: LibraryWriter,
  { runKey, path, stop }: Extract<WriterTask, { kind: 'moveRun' }>,
  onProgress: OnTaskProgress,
): TaskOutcome {
  const flag = new Int32Array(stop);
  let toldAt = Number.NEGATIVE_INFINITY;
  const done = writer.leaving.move(runKey, path, {
    isCancelled: () => Atomics.load(flag, 0) !== 0,
    onProgress: (rollouts, total) => {
      // The last news is that the copy is whole: from here on it can no longer be cancelled.
      if (rollouts < total && performance.now() - toldAt < NEWS_MS) return;
      toldAt = performance.now();
      onProgress(rollouts, total);
    },
  });
  if (done === 'missing') return noRun(runKey);
  if (done === 'cancelled') return { result: { ok: false, failure: CANCELLED }, runIds: [] };
  if ('refusal' in done) return refused(done.refusal);
  return { result: { ok: true, value: done.moved }, runIds: [done.runId] };
}

/** @throws Error when no mapping of that name is saved */
export function mappingsFor(writer: LibraryWriter, forced: string | Mapping | undefined): Mappings {
  const saved = writer.mappings();
  if (typeof forced !== 'string') return new Mappings(saved, forced);
  const named = saved.find((mapping) => mapping.name === forced);
  if (named === undefined) throw new Error(`no mapping is named ${JSON.stringify(forced)}`);
  return new Mappings(saved, named);
}

function annotated({ value, rolloutIds }: Answered<unknown>): TaskOutcome {
  return { result: { ok: true, value }, runIds: [], annotated: rolloutIds };
}

function changed(writer: LibraryWriter, runKey: string, value: unknown): TaskOutcome {
  const runId = writer.runIdOf(runKey);
  return { result: { ok: true, value }, runIds: runId === undefined ? [] : [runId] };
}

function noRun(runKey: string): TaskOutcome {
  return {
    result: { ok: false, failure: { code: 'not_found', message: `the library has no run ${runKey}` } },
    runIds: [],
  };
}

function refused(message: string): TaskOutcome {
  return { result: { ok: false, failure: { code: 'refused', message } }, runIds: [] };
}
