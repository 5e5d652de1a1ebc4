import type {
  LoggedMetric,
  RunDate,
  RunDetail,
  RunSummary,
  RunTrends,
  Stage,
  StepSummary,
} from '../../../shared/api/contract.ts';
import { PROVENANCES, type Provenance, RUN_KINDS, type RunKind } from '../../../shared/domain/model.ts';
import { countValues, tryParseJson } from '../../../shared/domain/parseJson.ts';
import { gradeOfReward, parseScores } from '../../../shared/domain/scores.ts';
import { isObject } from '../../../shared/format/fields.ts';
import { evaluationStatus } from '../../../shared/format/loggedEvaluation.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, oneOf, optional, query, queryValue, type RowSpec, text } from '../rows.ts';
import { damaged } from '../storageFailure.ts';
import { configOf, runName, shownName } from '../views.sql.ts';
import { duplicateFiles } from './sources.ts';

/** Plausible dates in seconds since 1970: 2000 to 2100. A log may have zeros, or times since its run's start. */
const [FIRST_DATE, LAST_DATE] = [946_684_800, 4_102_444_800];
const IS_DATE = `BETWEEN ${FIRST_DATE} AND ${LAST_DATE}`;
const ENDED = 'coalesce(ended_at, started_at)';

const issuesOfRun = (severity: 'refused' | 'warning'): string =>
  `(SELECT count(*) FROM run_file_row rf JOIN issue_row i USING (file_id)
      WHERE rf.run_id = r.run_id AND severity = '${severity}' AND rf.file_id NOT IN (SELECT file_id FROM shared))`;
const sharedIssuesOfRun = (count: 'refused' | 'warned'): string =>
  `(SELECT coalesce(sum(${count}), 0) FROM run_file_row rf JOIN shared USING (file_id) WHERE rf.run_id = r.run_id)`;

/**
 * An issue of a file with several runs belongs to no single run. It counts for each of them, but is counted once,
 * because a file may have thousands of both.
 */
const RUN = `
  WITH shared AS MATERIALIZED (SELECT file_id,
      (SELECT count(*) FROM issue_row i WHERE i.file_id = rf.file_id AND severity = 'refused') AS refused,
      (SELECT count(*) FROM issue_row i WHERE i.file_id = rf.file_id AND severity = 'warning') AS warned
    FROM run_file_row rf GROUP BY file_id HAVING count(*) > 1)
  SELECT run_id AS runId, run_key AS runKey, ${runName('r')} AS name, kind,
    key_source AS keySource, format, directory, has_steps AS hasSteps, coalesce(c.config, '{}') AS config,
    ${issuesOfRun('refused')} AS issues,
    ${sharedIssuesOfRun('refused')} AS sharedIssues,
    ${issuesOfRun('warning')} + ${sharedIssuesOfRun('warned')} AS caveats,
    (SELECT max(${ENDED}) * 1000 FROM rollout_row o
      WHERE o.run_id = r.run_id AND ${ENDED} ${IS_DATE} AND ${ENDED} IS NOT NULL) AS loggedMs,
    (SELECT max(mtime_ms) FROM run_file_row rf JOIN file_row f USING (file_id)
      WHERE rf.run_id = r.run_id AND mtime_ms / 1000 ${IS_DATE}) AS fileMs,
    (SELECT correct_source FROM rollout_row o WHERE o.run_id = r.run_id AND is_correct IS NOT NULL AND step =
      (SELECT min(step) FROM step_row s WHERE s.run_id = r.run_id AND correct_known > 0) LIMIT 1) AS correctSource,
    (SELECT json_array(reward, scores) FROM rollout_row o WHERE o.run_id = r.run_id AND reward IS NOT NULL AND step =
      (SELECT min(step) FROM step_row s WHERE s.run_id = r.run_id AND reward_known > 0) LIMIT 1) AS firstReward
  FROM run_row r ${configOf('r')}`;
/** Searches the index of steps for one run after the other, because a run can have many steps. */
const RUN_WITHOUT_ROW = `
  WITH RECURSIVE run(run_id) AS (SELECT min(run_id) FROM step_row
    UNION ALL SELECT (SELECT min(run_id) FROM step_row s WHERE s.run_id > run.run_id) FROM run WHERE run_id IS NOT NULL)
  SELECT CAST(run_id AS TEXT) FROM run WHERE run_id IS NOT NULL AND run_id NOT IN (SELECT run_id FROM run_row) LIMIT 1`;
const RUNS = `${RUN} ORDER BY run_id DESC`;
export const RUN_BY_KEY = `${RUN} WHERE run_key = ?`;

export const STEPS_OF_RUN = `
  SELECT step, group_count AS groups, rollouts, correct, correct_known AS correctKnown,
    iif(reward_known > 0, reward_sum / reward_known, NULL) AS meanReward,
    with_text AS withText, without_calls AS withoutToolCalls, tool_calls AS toolCalls, tool_errors AS toolErrors,
    CAST(turns AS REAL) / nullif(turns_known, 0) AS meanTurns,
    CAST(response_chars AS REAL) / nullif(with_text, 0) AS meanResponseChars,
    iif(tokens_known > 0, CAST(tokens AS REAL) / tokens_known, NULL) AS meanPolicyTokens,
    iif(entropy_tokens > 0, entropy_sum / entropy_tokens, NULL) AS meanEntropy,
    stops_logged AS stopsLogged, iif(stops_logged > 0, truncated, NULL) AS truncated, decided, kept, groups_all_wrong AS groupsAllWrong, groups_mixed AS groupsMixed,
    groups_all_right AS groupsAllRight
  FROM step_row WHERE run_id = ? ORDER BY step`;

/** Characters of the changes of a stage, or of one setting of a configuration, that a page gets. */
const LONGEST_SETTING = 1 << 20;
/** The same limit for all settings together, and for all stages together. */
const LONGEST_CONFIG = 8 * LONGEST_SETTING;
const MOST_STAGES = 1000;
const STAGES_OF_RUN = `SELECT from_step AS fromStep, ${shownName('name')} AS name,
    iif(sum(octet_length(changes)) OVER (ORDER BY from_step) <= ${LONGEST_CONFIG}, changes, json_object('changes', length(changes) || ' characters, too long to show')) AS changes
  FROM stage WHERE run_id = ? ORDER BY from_step LIMIT ${MOST_STAGES}`;

interface RunRecord {
  runId: number;
  runKey: string;
  name: string;
  kind: RunKind;
  keySource: 'logged' | 'derived';
  format: string;
  directory: string;
  hasSteps: number;
  config: string;
  issues: number;
  sharedIssues: number;
  caveats: number;
  loggedMs: number | undefined;
  fileMs: number | undefined;
  correctSource: Provenance | undefined;
  firstReward: string | undefined;
}

const RUN_ROW: RowSpec<RunRecord> = {
  runId: number,
  runKey: text,
  name: text,
  kind: oneOf(RUN_KINDS),
  keySource: oneOf(PROVENANCES),
  format: text,
  directory: text,
  hasSteps: number,
  config: text,
  issues: number,
  sharedIssues: number,
  caveats: number,
  loggedMs: optional(number),
  fileMs: optional(number),
  correctSource: optional(oneOf(PROVENANCES)),
  firstReward: optional(text),
};

const STEP_ROW: RowSpec<StepSummary> = {
  step: number,
  groups: number,
  rollouts: number,
  correct: number,
  correctKnown: number,
  meanReward: optional(number),
  withText: number,
  withoutToolCalls: number,
  toolCalls: number,
  toolErrors: number,
  meanTurns: optional(number),
  meanResponseChars: optional(number),
  meanPolicyTokens: optional(number),
  meanEntropy: optional(number),
  stopsLogged: number,
  truncated: optional(number),
  decided: number,
  kept: number,
  groupsAllWrong: number,
  groupsMixed: number,
  groupsAllRight: number,
};

/** @throws Error `damaged` when a run has steps, but is not listed */
export function listRuns(db: ReadableLibrary): readonly RunSummary[] {
  // A damaged page can hold anything where a number belongs.
  const lost = queryValue(db, RUN_WITHOUT_ROW, text).get();
  if (lost !== undefined) throw damaged(`run_row lacks run ${lost}, which has steps`);
  const rows = query(db, RUNS, RUN_ROW).all();
  return rows.map((row) => summaryOf(row, listSteps(db, row.runId)));
}

export function getRun(db: ReadableLibrary, runKey: string): RunDetail | undefined {
  const row = query(db, RUN_BY_KEY, RUN_ROW).get(runKey);
  if (row === undefined) return undefined;
  const stages = query(db, STAGES_OF_RUN, { fromStep: number, name: text, changes: text }).all(row.runId);
  return {
    ...summaryOf(row, listSteps(db, row.runId)),
    stages: stages.map((stage): Stage => ({ ...stage, changes: objectOf(stage.changes) })),
    config: shownConfig(objectOf(row.config)),
    filesNotRead: duplicateFiles(db, row).length,
  };
}

export function listSteps(db: ReadableLibrary, runId: number): readonly StepSummary[] {
  return query(db, STEPS_OF_RUN, STEP_ROW).all(runId);
}

/** Every list of runs parses the configurations of all runs. An Inspect log has 28,000 ids in a megabyte. */
const isListed = (config: string): boolean =>
  config.length < 1 << 20 || countValues(config).values < MOST_LISTED_VALUES;
const MOST_LISTED_VALUES = 100_000;

function summaryOf(row: RunRecord, steps: readonly StepSummary[]): RunSummary {
  const config = isListed(row.config) ? objectOf(row.config) : {};
  const sum = (of: (step: StepSummary) => number): number =>
    steps.reduce((total, step) => total + of(step), 0);
  const { config: _config, sharedIssues, caveats, loggedMs, fileMs, firstReward, ...columns } = row;
  const startedAt = loggedTime(config['started_at']);
  const completedAt = loggedTime(config['completed_at']);
  const evaluation = evaluationStatus(config);
  const rewardGrade = gradeOfFirst(firstReward);
  const lastWritten = dateOf({ completed: completedAt, rollout: loggedMs, started: startedAt, file: fileMs });
  return {
    ...columns,
    hasSteps: row.hasSteps === 1,
    ...(typeof config['model'] === 'string' ? { model: config['model'] } : {}),
    ...(typeof config['dataset'] === 'string' ? { dataset: config['dataset'] } : {}),
    ...(sharedIssues > 0 ? { sharedIssues } : {}),
    ...(caveats > 0 ? { caveats } : {}),
    ...(lastWritten === undefined ? {} : { lastWritten }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(evaluation === undefined ? {} : { evaluation }),
    ...(rewardGrade === undefined ? {} : { rewardGrade }),
    isSynthetic: config['synthetic'] === true,
    steps: steps.length,
    ...(row.hasSteps === 1 ? { firstStep: steps.at(0)?.step, lastStep: steps.at(-1)?.step } : {}),
    groups: sum((step) => step.groups),
    rollouts: sum((step) => step.rollouts),
    correct: sum((step) => step.correct),
    correctKnown: sum((step) => step.correctKnown),
    trends: trendsOf(steps),
  };
}

/** @param firstReward JSON of a rollout's reward and of its stored scores */
function gradeOfFirst(firstReward: string | undefined): string | undefined {
  const value = firstReward === undefined ? undefined : tryParseJson(firstReward);
  const [reward, scores]: readonly unknown[] = Array.isArray(value) ? value : [];
  if (typeof reward !== 'number' || typeof scores !== 'string') return undefined;
  return gradeOfReward(parseScores(scores), reward);
}

/** Milliseconds since 1970. @param value a date with its time as ISO 8601, or seconds since 1970 */
function loggedTime(value: unknown): number | undefined {
  const at =
    typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? 1000 * value : Number.NaN;
  return at >= 1000 * FIRST_DATE && at <= 1000 * LAST_DATE ? at : undefined;
}

/** The first known date, in the order of `RunDate`. */
function dateOf(dates: Readonly<Record<RunDate['of'], number | undefined>>): RunDate | undefined {
  for (const kind of ['completed', 'rollout', 'started', 'file'] as const) {
    const at = dates[kind];
    if (at !== undefined) return { at, of: kind };
  }
  return undefined;
}

function trendsOf(steps: readonly StepSummary[]): RunTrends {
  return {
    steps: steps.map((step) => step.step),
    meanReward: steps.map((step) => step.meanReward ?? null),
    toolErrorRate: steps.map((step) => (step.toolCalls === 0 ? null : step.toolErrors / step.toolCalls)),
    noToolShare: steps.map((step) => (step.withText === 0 ? null : step.withoutToolCalls / step.withText)),
    meanResponseChars: steps.map((step) => step.meanResponseChars ?? null),
  };
}

/** Bounds the whole answer, since a configuration may be a record of 64 MB. Its logs have the rest. */
function shownConfig(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let left = LONGEST_CONFIG;
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      const { length } = JSON.stringify(value) ?? '';
      if (length > Math.min(left, LONGEST_SETTING)) return [name, `${length} characters, too long to show`];
      left -= length;
      return [name, value];
    }),
  );
}

/** @returns an empty object for text in a form that Turnwise does not write */
export function objectOf(json: string | null): Readonly<Record<string, unknown>> {
  const value = json === null ? undefined : tryParseJson(json);
  return isObject(value) ? value : {};
}

export const METRICS_OF_RUN = 'SELECT name, step, value FROM metric WHERE run_id = ? ORDER BY name, step';

export function listMetrics(db: ReadableLibrary, runId: number): readonly LoggedMetric[] {
  const rows = query(db, METRICS_OF_RUN, { name: text, step: number, value: number }).all(runId);
  const metrics = new Map<string, { name: string; steps: number[]; values: number[] }>();
  for (const { name, step, value } of rows) {
    let metric = metrics.get(name);
    if (metric === undefined) {
      metric = { name, steps: [], values: [] };
      metrics.set(name, metric);
    }
    metric.steps.push(step);
    metric.values.push(value);
  }
  return [...metrics.values()];
}
