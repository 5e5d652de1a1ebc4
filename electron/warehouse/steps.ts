/**
 * Sums and chart values of a run's steps. A step from one log was sent with the sums of its library. All others, and every
 * step under a filter, are counted by the engine. Both equal what `electron/columns/series.ts` and the table `step_row`
 * give for the same rollouts.
 */
import { type ZodType, z } from 'zod';
import type { SeriesName, StepFacts, StepSummary, WarehouseStep } from '../../shared/api/contract.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { TOOL_ERROR_OUTCOMES, TOOL_OUTCOMES } from '../../shared/domain/model.ts';
import { tryParseJson } from '../../shared/domain/parseJson.ts';
import type { OnShare, QueryParams, Warehouse } from './connection.ts';
import { filterCondition, type OwnRollouts } from './filterSql.ts';
import { noRun } from './pull.ts';
import { checkVersion } from './tables.ts';

interface Counted<T> {
  readonly sql: string;
  readonly schema: ZodType<T>;
}
type Columns = Readonly<Record<string, Counted<unknown>>>;
type RowOf<C extends Columns> = { readonly [N in keyof C]: C[N] extends Counted<infer T> ? T : never };

const whole = z.number().int().nonnegative();
const count = (sql: string): Counted<number> => ({ sql, schema: whole });
/** The engine's sum of no rows is NULL if the column may be NULL. */
const sum = (of: string, condition = '1'): Counted<number> => ({
  sql: `ifNull(sumIf(${of}, ${condition}), 0)`,
  schema: z.number(),
});
/** A value that may be unknown. The server writes NaN as a word. */
const known = (sql: string): Counted<number | null> => ({
  sql,
  schema: z.union([z.number(), z.null(), z.string().transform(() => null)]),
});
/** The smallest value that at least this share of the values does not exceed, as an expression. */
export const nearestRank = (of: string, share: number): string =>
  `arraySort(groupArray(${of}))[greatest(1, toUInt32(ceil(${share} * count(${of}))))]`;
const percentile = (of: string, share: number): Counted<number | null> => known(nearestRank(of, share));

const STEP = { step: count('ifNull(step, 0)') };

// These names differ from those of columns, because the engine would take one for the other.
const SUMS = {
  ...STEP,
  rolloutsIn: count('count()'),
  rewardSum: sum('reward'),
  rewardKnown: count('count(reward)'),
  rewardDeviation: known('stddevSampStable(reward)'),
  correct: count('countIf(is_correct)'),
  correctKnown: count('count(is_correct)'),
  callsKnown: count('count(tool_calls)'),
  callsSum: sum('tool_calls'),
  errorsSum: sum('tool_errors'),
  withoutCalls: count('countIf(tool_calls = 0)'),
  withMalformed: count(`countIf(has(outcomes, 'malformed'))`),
  callsOfCorrect: sum('tool_calls', 'is_correct'),
  errorsOfCorrect: sum('tool_errors', 'is_correct'),
  erredKnown: count('countIf(has_erred AND is_correct IS NOT NULL)'),
  erredCorrect: count('countIf(has_erred AND is_correct)'),
  turnsSum: sum('turns'),
  turnsKnown: count('count(turns)'),
  tokensSum: sum('policy_tokens'),
  tokensKnown: count('count(policy_tokens)'),
  tokensP95: percentile('policy_tokens', 0.95),
  charsSum: sum('response_chars'),
  charsKnown: count('count(response_chars)'),
  charsP95: percentile('response_chars', 0.95),
  stopsLogged: count('count(stop_reason_logged)'),
  truncated: count(`countIf(stop_reason_logged IS NOT NULL AND stop_reason = 'length')`),
  entropySum: sum('mean_entropy * entropy_tokens'),
  entropyKnown: sum('entropy_tokens', 'mean_entropy IS NOT NULL'),
  decided: count('count(kept)'),
  keptIn: count('countIf(kept)'),
  decidedCorrect: count('countIf(kept IS NOT NULL AND is_correct)'),
  keptCorrect: count('countIf(kept AND is_correct)'),
  decidedWrong: count('countIf(kept IS NOT NULL AND NOT is_correct)'),
  keptWrong: count('countIf(kept AND NOT is_correct)'),
  timedAsLogged: count('sum(logged_latencies)'),
};
const GROUPS = {
  ...STEP,
  groups: count('count()'),
  allWrong: count('countIf(known = size AND right = 0)'),
  mixed: count('countIf(known = size AND right > 0 AND right < size)'),
  allRight: count('countIf(known = size AND right = size)'),
  answersSum: count('sum(answers)'),
  answered: count('countIf(answers > 0)'),
};
const CALLS = {
  ...STEP,
  byOutcome: {
    sql: 'sumMap([outcome], [toUInt64(1)])',
    schema: z.tuple([z.array(z.enum(TOOL_OUTCOMES)), z.array(whole)]),
  },
  retried: count(`countIf(erred AND next NOT IN ('', 'missing', 'malformed'))`),
  succeeded: count(`countIf(erred AND next NOT IN ('', 'missing', 'malformed') AND NOT next_erred)`),
};
const LATENCIES = {
  ...STEP,
  timed: count('count()'),
  meanMs: known('avg(toFloat64(latency))'),
  p50Ms: percentile('latency', 0.5),
  p95Ms: percentile('latency', 0.95),
  maxMs: percentile('latency', 1),
};

const ERRORS = `(${[...TOOL_ERROR_OUTCOMES].map((outcome) => `'${outcome}'`).join(', ')})`;
const SOURCES = {
  sums: (of: string) =>
    `(SELECT *, arrayExists(each -> each IN ${ERRORS}, outcomes) AS has_erred FROM ${of})`,
  groups: (
    of: string,
  ) => `(SELECT step, count() AS size, count(is_correct) AS known, countIf(is_correct) AS right,
      uniqExact(answer) AS answers FROM ${of} GROUP BY step, \`group\`)`,
  calls: (
    of: string,
  ) => `(SELECT step, outcome, next, outcome IN ${ERRORS} AS erred, next IN ${ERRORS} AS next_erred
    FROM (SELECT step, outcomes, arrayShiftLeft(outcomes, 1) AS nexts FROM ${of})
    ARRAY JOIN outcomes AS outcome, nexts AS next)`,
  // A library has latencies in single precision.
  latencies: (of: string) =>
    `(SELECT step, toFloat32(each) AS latency FROM (SELECT step, latencies FROM ${of}) ARRAY JOIN latencies AS each)`,
};

interface Asking {
  readonly signal?: AbortSignal | undefined;
  /** Share of all that has to be read. */
  readonly onShare?: OnShare | undefined;
}

/**
 * @param filter the rollouts that are counted; steps without any are left out
 * @throws ApiError `refused` when the run does not exist, `bad_request` when the filter needs a library
 */
export async function warehouseSteps(
  warehouse: Warehouse,
  run: string,
  filter: FilterNode,
  { own, ...asking }: Asking & { readonly own?: OwnRollouts } = {},
): Promise<readonly WarehouseStep[]> {
  const { sql, params } = filterCondition(filter, own);
  await checkVersion(warehouse, asking.signal);
  const sent = await sentSteps(warehouse, run, asking.signal);
  if (sent.size === 0) throw noRun(run);
  if (filter.kind !== 'all') return countSteps(warehouse, sql, { run, ...params }, asking);
  const known = [...sent.values()].filter((step) => step !== undefined);
  const steps = [...sent].flatMap(([step, sums]) => (sums === undefined ? [step] : []));
  if (steps.length === 0) return known;
  const others = await countSteps(
    warehouse,
    'ifNull(step, 0) IN {steps:Array(Int32)}',
    { run, steps },
    asking,
  );
  return [...known, ...others].sort((a, b) => a.summary.step - b.summary.step);
}

const value = z.union([z.number(), z.record(z.string(), z.number())]);
const FACTS = z
  .object({
    ...{ step: whole, rollouts: whole, groups: whole },
    ...{ values: z.record(z.string(), z.number()), outcomes: z.record(z.string(), whole) },
    retries: z.object({ calls: whole, succeeded: whole }),
    recovery: z.object({ rollouts: whole, correct: whole }),
  })
  .catchall(value);
const SUMMARY = z
  .object({
    ...{ step: whole, groups: whole, rollouts: whole, correct: whole, correctKnown: whole },
    ...{ withText: whole, withoutToolCalls: whole, toolCalls: whole, toolErrors: whole },
    ...{ stopsLogged: whole, decided: whole, kept: whole },
    ...{ groupsAllWrong: whole, groupsMixed: whole, groupsAllRight: whole },
  })
  .catchall(z.number());

/** The sums that were sent with each step of the run. Undefined: the step has several logs, so it must be counted. */
async function sentSteps(
  warehouse: Warehouse,
  run: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, WarehouseStep | undefined>> {
  const rows = await warehouse.parsed(
    z.object({ at: whole, logs: whole, sent: whole, one_summary: z.string(), one_facts: z.string() }),
    `SELECT ifNull(step, 0) AS at, count() AS logs, sum(rollouts) AS sent, any(summary) AS one_summary, any(facts) AS one_facts
    FROM load WHERE run = {run:String} GROUP BY step ORDER BY at`,
    { run },
    signal,
  );
  return new Map(
    rows.map(({ at, logs, sent, one_summary, one_facts }) => {
      if (logs > 1 || one_summary === '' || one_facts === '') return [at, undefined];
      const summary = SUMMARY.safeParse(tryParseJson(one_summary));
      const facts = FACTS.safeParse(tryParseJson(one_facts));
      if (!summary.success || !facts.success || summary.data.step !== at || facts.data.step !== at)
        throw warehouse.otherForm(`the sums of step ${at} have another form`);
      if (summary.data.rollouts !== sent || facts.data.rollouts !== sent) return [at, undefined];
      // A library has written them. The schemas leave the optional numbers open.
      return [at, { summary: summary.data, facts: facts.data as unknown as StepFacts }];
    }),
  );
}

async function countSteps(
  warehouse: Warehouse,
  condition: string,
  params: QueryParams,
  { signal, onShare }: Asking,
): Promise<readonly WarehouseStep[]> {
  const of = `rollout WHERE run = {run:String} AND (${condition})`;
  const questions = Object.keys(SOURCES).length;
  let answered = 0;
  const byStep = async <C extends Columns & typeof STEP>(columns: C, source: string) => {
    const asking = { signal, onShare: (share: number) => onShare?.((answered + share) / questions) };
    const rows = await counted(warehouse, columns, source, params, asking);
    answered += 1;
    return new Map(rows.map((row) => [row.step, row]));
  };
  const sums = await byStep(SUMS, SOURCES.sums(of));
  const groups = await byStep(GROUPS, SOURCES.groups(of));
  const calls = await byStep(CALLS, SOURCES.calls(of));
  const latencies = await byStep(LATENCIES, SOURCES.latencies(of));
  return [...sums.values()].map((row) => {
    const ofGroups = groups.get(row.step);
    // A step was removed between the two questions.
    if (ofGroups === undefined) throw warehouse.otherForm(`step ${row.step} has rollouts and no group`);
    return {
      summary: summaryOf(row, ofGroups),
      facts: factsOf(row, ofGroups, calls.get(row.step), latencies.get(row.step)),
    };
  });
}

function counted<C extends Columns>(
  warehouse: Warehouse,
  columns: C,
  source: string,
  params: QueryParams,
  { signal, onShare }: Asking,
): Promise<readonly RowOf<C>[]> {
  const list = Object.entries(columns);
  const schema = z.object(Object.fromEntries(list.map(([name, { schema }]) => [name, schema])));
  return warehouse.parsed(
    // The shape above has the names and types of the columns, which a list of entries hides from the compiler.
    schema as unknown as ZodType<RowOf<C>>,
    `SELECT ${list.map(([name, { sql }]) => `${sql} AS ${name}`).join(', ')} FROM ${source} GROUP BY step ORDER BY step`,
    params,
    signal,
    onShare,
  );
}

type Sums = RowOf<typeof SUMS>;
type Groups = RowOf<typeof GROUPS>;
type Calls = RowOf<typeof CALLS>;
type Latencies = RowOf<typeof LATENCIES>;

const hasJudged = ({ allWrong, mixed, allRight }: Groups): boolean => allWrong + mixed + allRight > 0;

function summaryOf(sums: Sums, groups: Groups): StepSummary {
  const { correct, correctKnown, withoutCalls, stopsLogged, decided } = sums;
  return {
    ...{ step: sums.step, groups: groups.groups, rollouts: sums.rolloutsIn },
    ...{ correct, correctKnown, stopsLogged, decided, kept: sums.keptIn },
    ...{ withText: sums.callsKnown, withoutToolCalls: withoutCalls },
    ...{ toolCalls: sums.callsSum, toolErrors: sums.errorsSum },
    ...withKnown({
      meanReward: sums.rewardSum / sums.rewardKnown,
      meanTurns: sums.turnsSum / sums.turnsKnown,
      meanResponseChars: sums.charsSum / sums.charsKnown,
      meanPolicyTokens: sums.tokensSum / sums.tokensKnown,
      meanEntropy: sums.entropySum / sums.entropyKnown,
    }),
    ...(stopsLogged > 0 ? { truncated: sums.truncated } : {}),
    ...{ groupsAllWrong: groups.allWrong, groupsMixed: groups.mixed, groupsAllRight: groups.allRight },
  };
}

function factsOf(
  sums: Sums,
  groups: Groups,
  calls: Calls | undefined,
  latencies: Latencies | undefined,
): StepFacts {
  const values: { readonly [Name in SeriesName]?: number } = withKnown({
    meanReward: sums.rewardSum / sums.rewardKnown,
    passRate: sums.correct / sums.correctKnown,
    ...(hasJudged(groups)
      ? { groupsAllWrong: groups.allWrong, groupsMixed: groups.mixed, groupsAllRight: groups.allRight }
      : {}),
    answersPerGroup: groups.answersSum / groups.answered,
    ...(sums.callsKnown > 0 ? { toolCalls: sums.callsSum } : {}),
    toolCallsPerRollout: sums.callsSum / sums.callsKnown,
    noToolShare: sums.withoutCalls / sums.callsKnown,
    malformedCallShare: sums.withMalformed / sums.callsKnown,
    toolErrorRate: sums.errorsSum / sums.callsSum,
    toolErrorRateCorrect: sums.errorsOfCorrect / sums.callsOfCorrect,
    correctWithErrorShare: sums.erredCorrect / sums.correct,
    meanTurns: sums.turnsSum / sums.turnsKnown,
    meanTokens: sums.tokensSum / sums.tokensKnown,
    p95Tokens: sums.tokensKnown === 0 ? null : sums.tokensP95,
    meanChars: sums.charsSum / sums.charsKnown,
    p95Chars: sums.charsKnown === 0 ? null : sums.charsP95,
    truncatedShare: sums.truncated / sums.stopsLogged,
    meanEntropy: sums.entropySum / sums.entropyKnown,
    keptShare: sums.keptIn / sums.decided,
    keptShareCorrect: sums.keptCorrect / sums.decidedCorrect,
    keptShareWrong: sums.keptWrong / sums.decidedWrong,
  });
  return {
    ...{ step: sums.step, rollouts: sums.rolloutsIn, groups: groups.groups, values },
    ...callFacts(calls),
    ...latencyFacts(latencies, sums.timedAsLogged),
    recovery: { rollouts: sums.erredKnown, correct: sums.erredCorrect },
    ...(sums.rewardKnown === 0
      ? {}
      : {
          reward: {
            known: sums.rewardKnown,
            ...(sums.rewardKnown < 2 ? {} : withKnown({ deviation: sums.rewardDeviation })),
          },
        }),
  };
}

function callFacts(calls: Calls | undefined): Pick<StepFacts, 'outcomes' | 'retries'> {
  if (calls === undefined) return { outcomes: {}, retries: { calls: 0, succeeded: 0 } };
  const [names, counts] = calls.byOutcome;
  return {
    outcomes: Object.fromEntries(names.map((name, i) => [name, counts[i] ?? 0])),
    retries: { calls: calls.retried, succeeded: calls.succeeded },
  };
}

function latencyFacts(latencies: Latencies | undefined, logged: number): Pick<StepFacts, 'latency'> {
  if (latencies === undefined) return {};
  const { timed, meanMs, p50Ms, p95Ms, maxMs } = latencies;
  if (meanMs === null || p50Ms === null || p95Ms === null || maxMs === null) return {};
  return { latency: { calls: timed, meanMs, p50Ms, p95Ms, maxMs, logged, derived: timed - logged } };
}

/** A share of nothing is not known. */
function withKnown<N extends string>(
  values: { readonly [M in N]?: number | null },
): { readonly [M in N]?: number } {
  const list = Object.entries<number | null | undefined>(values);
  return Object.fromEntries(list.filter(([, value]) => Number.isFinite(value))) as { [M in N]?: number };
}
