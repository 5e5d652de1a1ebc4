/** Handlers about where rollouts come from: formats, files, mappings, rules of a run, following. */
import type { Method, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { FORMATS } from '../../shared/format/index.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import type { WriterTask } from '../worker/messages.ts';
import type { Follower } from './follower.ts';
import type { InspectorThread } from './inspectorThread.ts';

const SOURCE_METHODS = [
  'format.list',
  'file.inspect',
  'mapping.preview',
  'mapping.save',
  'mapping.remove',
  'run.setGroupRule',
  'run.setName',
  'run.joinPool',
  'run.leavePool',
  'run.setTokenizer',
  'run.removeTokenizer',
  'run.remove',
  'follow.start',
  'follow.stop',
  'follow.list',
] as const satisfies readonly Method[];
type SourceMethod = (typeof SOURCE_METHODS)[number];
type SourceHandlers = { [M in SourceMethod]: (params: ParsedParams<M>) => Promise<Result<ResultOf<M>>> };

export interface SourceServices {
  readonly inspector: InspectorThread;
  readonly follower: Follower;
  task(task: WriterTask, onProgress?: (done: number, total: number) => void): Promise<Result<unknown>>;
  /** Says how far a long task has come to whoever gave it this key. */
  progressed(progressKey: string | undefined, done: number, total: number): void;
  mappings(): Promise<readonly Mapping[]>;
  directoryOf(runKey: string): Promise<string | undefined>;
  /** @returns why the path may not be read, when it may not */
  refusalOf(path: string): { readonly ok: false; readonly failure: ApiFailure } | undefined;
  startJob(paths: readonly string[]): { readonly jobId: number };
}

export function sourceHandlers(host: SourceServices): SourceHandlers {
  const ok = <T>(value: T): Result<T> => ({ ok: true, value });
  return {
    'format.list': async () =>
      ok(
        FORMATS.map(({ name, title, source, rule, reads, ignores }) => ({
          name,
          title,
          source,
          rule,
          reads,
          ignores,
        })),
      ),
    'file.inspect': async ({ path }) =>
      host.refusalOf(path) ?? host.inspector.inspect(path, await host.mappings()),
    'mapping.preview': async ({ path, mapping }) =>
      host.refusalOf(path) ?? host.inspector.preview(path, withoutUndefined(mapping)),
    // The writer answers with what the contract says for the task.
    'mapping.save': ({ mapping }) =>
      as(host.task({ kind: 'saveMapping', mapping: withoutUndefined(mapping) })),
    'mapping.remove': ({ name }) => as(host.task({ kind: 'removeMapping', name })),
    'run.setGroupRule': ({ runKey, rule, size }) =>
      as(host.task({ kind: 'setGroupRule', runKey, rule, ...(size === undefined ? {} : { size }) })),
    'run.setName': async ({ directory, name }) => {
      const named = await host.task({ kind: 'nameRun', directory, name });
      if (!named.ok) return named;
      const { paths } = named.value as { paths: readonly string[] };
      return ok(host.startJob(paths));
    },
    'run.joinPool': (join) => as(host.task({ kind: 'joinPool', ...join })),
    'run.leavePool': (join) => as(host.task({ kind: 'leavePool', ...join })),
    'run.setTokenizer': async ({ runKey, path, progressKey }) =>
      host.refusalOf(path) ??
      as(
        host.task({ kind: 'setTokenizer', runKey, path }, (done, total) =>
          host.progressed(progressKey, done, total),
        ),
      ),
    'run.removeTokenizer': ({ runKey }) => as(host.task({ kind: 'removeTokenizer', runKey })),
    'run.remove': async ({ runKey }) => {
      const directory = await host.directoryOf(runKey);
      const removed = await as<ResultOf<'run.remove'>>(host.task({ kind: 'removeRun', runKey }));
      // Else the next line that is logged would bring it back.
      if (removed.ok && directory !== undefined) host.follower.stopBelow(directory);
      return removed;
    },
    'follow.start': async ({ paths }) => {
      for (const path of paths) {
        const refusal = host.refusalOf(path);
        if (refusal !== undefined) return refusal;
      }
      for (const path of paths) host.follower.start(path);
      return ok(host.follower.list());
    },
    'follow.stop': async ({ path }) => {
      host.follower.stop(path);
      return ok(host.follower.list());
    },
    'follow.list': async () => ok(host.follower.list()),
  };
}

function as<T>(answer: Promise<Result<unknown>>): Promise<Result<T>> {
  return answer as Promise<Result<T>>;
}

/** The wire's optional fields are absent or undefined; a mapping's are absent. */
function withoutUndefined(mapping: ParsedParams<'mapping.save'>['mapping']): Mapping {
  const { rollouts, ...rest } = mapping;
  const fields = Object.fromEntries(Object.entries(mapping.fields).filter(([, path]) => path !== undefined));
  return { ...rest, fields, ...(rollouts === undefined ? {} : { rollouts }) };
}
