/** Handlers about what readers say: changes go to the writer, questions under a filter to the threads that have the columns. */
import type { Method, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { WriterTask } from '../worker/messages.ts';
import type { OnProgress } from './analysisThread.ts';
import type { Browses } from './browseThreads.ts';

const ANNOTATION_METHODS = [
  'taxonomy.set',
  'annotation.order',
  'annotation.apply',
  'annotation.undo',
  'annotation.redo',
  'annotation.resolve',
  'annotation.import',
  'annotation.agreement',
  'annotation.report',
  'label.queue',
] as const satisfies readonly Method[];
type AnnotationMethod = (typeof ANNOTATION_METHODS)[number];
type AnnotationHandlers = {
  [M in AnnotationMethod]: (params: ParsedParams<M>, signal?: AbortSignal) => Promise<Result<ResultOf<M>>>;
};

export interface AnnotationServices {
  readonly listing: Browses;
  readonly charting: Browses;
  task(task: WriterTask): Promise<Result<unknown>>;
  progressFor(progressKey: string | undefined): OnProgress;
  refusalOf(path: string): { readonly ok: false; readonly failure: ApiFailure } | undefined;
}

export function annotationHandlers(host: AnnotationServices): AnnotationHandlers {
  /** The writer answers with what was asked of it. */
  const task = <M extends AnnotationMethod>(asked: WriterTask): Promise<Result<ResultOf<M>>> =>
    host.task(asked) as Promise<Result<ResultOf<M>>>;
  return {
    'taxonomy.set': ({ taxonomy }) =>
      task<'taxonomy.set'>({ kind: 'setTaxonomy', taxonomy: plain(taxonomy) }),
    'annotation.apply': (changes) => task<'annotation.apply'>({ kind: 'annotate', changes }),
    'annotation.undo': ({ author }) => task<'annotation.undo'>({ kind: 'undo', author }),
    'annotation.redo': ({ author }) => task<'annotation.redo'>({ kind: 'redo', author }),
    'annotation.resolve': (decision) => task<'annotation.resolve'>({ kind: 'resolveConflict', decision }),
    'annotation.import': async ({ path }) =>
      host.refusalOf(path) ?? (await task<'annotation.import'>({ kind: 'importAnnotations', path })),
    'annotation.order': ({ progressKey, ...question }, signal) =>
      host.listing.browse({ about: 'annotations', ...question }, host.progressFor(progressKey), signal),
    'label.queue': ({ progressKey, ...question }, signal) =>
      host.listing.browse({ about: 'queue', ...question }, host.progressFor(progressKey), signal),
    'annotation.agreement': ({ progressKey, ...question }, signal) =>
      host.charting.browse({ about: 'agreement', ...question }, host.progressFor(progressKey), signal),
    'annotation.report': ({ progressKey, ...question }, signal) =>
      host.charting.browse({ about: 'labels', ...question }, host.progressFor(progressKey), signal),
  };
}

/** A key that is undefined is none. */
function plain({ labels, ...rest }: ParsedParams<'taxonomy.set'>['taxonomy']) {
  return {
    ...rest,
    labels: labels.map(({ key, ...label }) => (key === undefined ? label : { ...label, key })),
  };
}
