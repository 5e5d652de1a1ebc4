/** Worker thread for short queries over stored rows. */
import { workerData } from 'node:worker_threads';
import type { MethodsOn, ResultOf } from '../../shared/api/contract.ts';
import { found } from '../../shared/api/errors.ts';
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
import { problemChanges } from '../storage/queries/changes.ts';
import { storedContinuations } from '../storage/queries/continuations.ts';
import { filesChangedLast, listFiles, listIssues, unreadFiles } from '../storage/queries/issues.ts';
import { groupRows, rolloutRows } from '../storage/queries/lists.ts';
import { problemPlaces, recordSource } from '../storage/queries/places.ts';
import { problemHistory } from '../storage/queries/problems.ts';
import { getRollout } from '../storage/queries/rollout.ts';
import { getRun, listMetrics, listRuns, listSteps } from '../storage/queries/runs.ts';
import { indexState } from '../storage/queries/search.ts';
import { solvedProblems } from '../storage/queries/solved.ts';
import { getSources, listMappings } from '../storage/queries/sources.ts';
import { sqlSchema, sqlTarget } from '../storage/queries/sqlSchema.ts';
import { getAlternatives, getSignal, getTokens } from '../storage/queries/tokens.ts';
import { rerunsOf } from '../storage/reruns.ts';
import { listQueries } from '../storage/savedQueries.ts';
import { listViews } from '../storage/savedViews.ts';
import { storageFailure } from '../storage/storageFailure.ts';
import { serve } from '../threads/serve.ts';
import type { InternalMethods, LibraryThreadData, SentParams } from './messages.ts';
import { openPage } from './openPage.ts';

const { libraryPath } = workerData as LibraryThreadData;
const db: ReadableLibrary = openReader(libraryPath);

type ReaderMethod = MethodsOn<'reader'>;
type ReaderHandlers = {
  [M in ReaderMethod]: (params: SentParams<M>) => ResultOf<M> | Promise<ResultOf<M>>;
};

const handlers: ReaderHandlers = {
  'run.list': () => listRuns(db),
  'rerun.list': ({ rolloutIds }) => rerunsOf(db, rolloutIds),
  'sampling.stored': ({ rolloutIds }) => storedContinuations(db, rolloutIds),
  'run.get': ({ runKey }) => found(getRun(db, runKey), `run ${runKey}`),
  'step.list': ({ runId }) => listSteps(db, runId),
  'metric.list': ({ runId }) => ({ metrics: listMetrics(db, runId) }),
  'problem.solved': ({ runId, step }) => solvedProblems(db, runId, step),
  'group.rows': ({ groupIds }) => groupRows(db, groupIds),
  'problem.history': ({ groupId }) => found(problemHistory(db, groupId), `group ${groupId}`),
  'problem.changes': ({ from, to }) => problemChanges(db, from, to),
  'view.list': () => listViews(db),
  'query.examples': () => EXAMPLE_QUERIES,
  'query.list': () => listQueries(db),
  'taxonomy.get': () => taxonomyState(db),
  'annotation.list': ({ rolloutId }) => annotationsOfRollout(db, rolloutId),
  'annotation.rows': ({ annotationNos }) => annotationRows(db, annotationNos),
  'annotation.history': ({ author }) => historyState(db, author),
  'annotation.conflicts': () => listConflicts(db),
  'annotation.authors': () => listAuthors(db),
  'sql.schema': () => sqlSchema(db),
  'sql.target': ({ of, id }) => found(sqlTarget(db, of, id), `${of} ${id}`),
  'ingest.unread': () => [...unreadFiles(db), ...filesChangedLast(db)],
  'search.state': () => {
    const { rollouts, indexed } = indexState(db);
    return { rollouts, indexed };
  },
  'rollout.rows': ({ rolloutIds }) => rolloutRows(db, rolloutIds),
  'page.open': (params) => openPage(db, params),
  'rollout.get': ({ rolloutId }) => found(getRollout(db, rolloutId), `rollout ${rolloutId}`),
  'rollout.tokens': ({ rolloutId }) =>
    found(getTokens(db, rolloutId), `per-token signals of rollout ${rolloutId}`),
  'rollout.signal': ({ rolloutId, signal, vocabulary }) =>
    found(getSignal(db, rolloutId, signal, vocabulary), `per-token signals of rollout ${rolloutId}`),
  'rollout.alternatives': ({ rolloutId, from, limit }) =>
    found(getAlternatives(db, rolloutId, from, limit), `per-token signals of rollout ${rolloutId}`),
  'token.signals': (scope) => availableSignals(db, scope),
  'issue.list': (params) => listIssues(db, params),
  'file.list': (params) => listFiles(db, params),
  'problem.occurrences': (params) => problemPlaces(db, params),
  'run.sources': ({ runKey }) => found(getSources(db, runKey), `run ${runKey}`),
  'mapping.list': () => listMappings(db),
  'roc.group': (params) => found(getLedger(db, params), `group ${params.groupId}`),
};

const sourceOf = ({
  rolloutId,
}: InternalMethods['record.source']['params']): InternalMethods['record.source']['result'] =>
  found(recordSource(db, rolloutId), `rollout ${rolloutId}`);

serve({
  handlers: { ...handlers, 'record.source': sourceOf },
  transfersArrays: true,
  failureOf: (error) => storageFailure(error, libraryPath),
  close: () => void db.close(),
});
