/** Worker thread: answers read requests from the library. A dispatcher and nothing else. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import type { ApiFailure, Result } from '../../shared/api/errors.ts';
import { SettingError } from '../../shared/domain/downSampling.ts';
import { readRecordChunk } from '../ingest/recordChunk.ts';
import { getLedger } from '../roc/ledger.ts';
import { historyState } from '../storage/annotationHistory.ts';
import { EXAMPLE_QUERIES } from '../storage/exampleQueries.ts';
import { openReader, type ReadableLibrary } from '../storage/open.ts';
import {
  annotationRows,
  annotationsOfRollout,
  listAuthors,
  listConflicts,
  taxonomyState,
} from '../storage/queries/annotations.ts';
import { availableSignals } from '../storage/queries/available.ts';
import { listFiles, listIssues } from '../storage/queries/issues.ts';
import { groupRows, orderGroups, orderRollouts, rolloutRows } from '../storage/queries/lists.ts';
import { listMetrics } from '../storage/queries/metrics.ts';
import { grantedRoots, problemPlaces, recordSource, resolvePlace } from '../storage/queries/places.ts';
import { problemHistory } from '../storage/queries/problems.ts';
import { getRollout } from '../storage/queries/rollout.ts';
import { getRun, listRuns, listSteps } from '../storage/queries/runs.ts';
import { indexState } from '../storage/queries/search.ts';
import { solvedProblems } from '../storage/queries/solved.ts';
import { getSources, listMappings } from '../storage/queries/sources.ts';
import { sqlSchema, sqlTarget } from '../storage/queries/sqlSchema.ts';
import { getAlternatives, getSignal, getTokens } from '../storage/queries/tokens.ts';
import { listQueries } from '../storage/savedQueries.ts';
import { listViews } from '../storage/savedViews.ts';
import type { ReaderRequest, ReaderResponse, ReadMethod, WorkerOptions } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const { libraryPath } = workerData as WorkerOptions;
const db: ReadableLibrary = openReader(libraryPath);

type Answer<M extends ReadMethod> = Result<ResultOf<M>>;
type Readers = { [M in ReadMethod]: (params: ParsedParams<M>) => Answer<M> | Promise<Answer<M>> };

const ok = <T>(value: T): Result<T> => ({ ok: true, value });
const fail = (code: ApiFailure['code'], message: string): { ok: false; failure: ApiFailure } => ({
  ok: false,
  failure: { code, message },
});
const found = <T>(value: T | undefined, what: string): Result<T> =>
  value === undefined ? fail('not_found', `the library has no ${what}`) : ok(value);

const readers: Readers = {
  'run.list': () => ok(listRuns(db)),
  'run.get': ({ runKey }) => found(getRun(db, runKey), `run ${runKey}`),
  'step.list': ({ runId }) => ok(listSteps(db, runId)),
  'metric.list': ({ runId }) => ok({ metrics: listMetrics(db, runId) }),
  'problem.solved': ({ runId, step }) => ok(solvedProblems(db, runId, step)),
  'group.order': (params) => ok(orderGroups(db, params)),
  'group.rows': ({ groupIds }) => ok(groupRows(db, groupIds)),
  'problem.history': ({ groupId }) => found(problemHistory(db, groupId), `group ${groupId}`),
  'view.list': () => ok(listViews(db)),
  'query.examples': () => ok(EXAMPLE_QUERIES),
  'query.list': () => ok(listQueries(db)),
  'taxonomy.get': () => ok(taxonomyState(db)),
  'annotation.list': ({ rolloutId }) => ok(annotationsOfRollout(db, rolloutId)),
  'annotation.rows': ({ annotationNos }) => ok(annotationRows(db, annotationNos)),
  'annotation.history': ({ author }) => ok(historyState(db, author)),
  'annotation.conflicts': () => ok(listConflicts(db)),
  'annotation.authors': () => ok(listAuthors(db)),
  'sql.schema': () => ok(sqlSchema(db)),
  'sql.target': ({ of, id }) => found(sqlTarget(db, of, id), `${of} ${id}`),
  'search.state': () => {
    const { rollouts, indexed } = indexState(db);
    return ok({ rollouts, indexed });
  },
  'rollout.order': (params) => ok(orderRollouts(db, params)),
  'rollout.rows': ({ rolloutIds }) => ok(rolloutRows(db, rolloutIds)),
  'place.resolve': (params) => {
    const place = resolvePlace(db, params);
    return 'missing' in place ? fail('not_found', `the library has no ${place.missing}`) : ok(place);
  },
  'rollout.get': ({ rolloutId }) => found(getRollout(db, rolloutId), `rollout ${rolloutId}`),
  'rollout.tokens': ({ rolloutId }) =>
    found(getTokens(db, rolloutId), `per-token signals of rollout ${rolloutId}`),
  'rollout.signal': ({ rolloutId, signal, vocabulary }) =>
    found(getSignal(db, rolloutId, signal, vocabulary), `per-token signals of rollout ${rolloutId}`),
  'rollout.alternatives': ({ rolloutId, from, limit }) =>
    found(getAlternatives(db, rolloutId, from, limit), `per-token signals of rollout ${rolloutId}`),
  'token.signals': (scope) => ok(availableSignals(db, scope)),
  'rollout.record': ({ rolloutId, offset, limit }) => {
    const source = recordSource(db, rolloutId);
    if (source === undefined) return fail('not_found', `the library has no rollout ${rolloutId}`);
    return readRecordChunk(source, offset, limit, grantedRoots(db));
  },
  'issue.list': (params) => ok(listIssues(db, params)),
  'file.list': (params) => ok(listFiles(db, params)),
  'problem.places': (params) => ok(problemPlaces(db, params)),
  'run.sources': ({ runKey }) => found(getSources(db, runKey), `run ${runKey}`),
  'mapping.list': () => ok(listMappings(db)),
  'roc.group': (params) => {
    try {
      return found(getLedger(db, params), `group ${params.groupId}`);
    } catch (error) {
      if (error instanceof SettingError) return fail('refused', error.message);
      throw error;
    }
  },
};

port.on('message', async ({ id, method, params }: ReaderRequest) => {
  let result: Result<unknown>;
  try {
    // The host has validated `params` against the contract for exactly this method.
    result = await (readers[method] as (params: unknown) => Result<unknown> | Promise<Result<unknown>>)(
      params,
    );
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    result = fail('internal', `${method}: ${message}`);
  }
  const response: ReaderResponse = { id, result };
  port.postMessage(response, transferable(result));
});
port.postMessage('ready');

/** Typed arrays made for this answer are handed over, not copied. */
function transferable(result: Result<unknown>): ArrayBuffer[] {
  if (!result.ok || typeof result.value !== 'object' || result.value === null) return [];
  const buffers = new Set<ArrayBuffer>();
  for (const value of Object.values(result.value)) {
    if (ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer) buffers.add(value.buffer);
  }
  return [...buffers];
}
