/**
 * Facts that an Inspect log states of one sample, read from the extra fields of its rollout (`EvalSample` of inspect_ai
 * 0.3.208): scores with their explanations, the error and the limit that ended it, retries, usage and times.
 */
import { isObject, type JsonObject, jsonText, numberOf, textField } from './fields.ts';
import { eventTotalsIn } from './inspectEvents.ts';
import { type LoggedError, loggedError, type ModelUsage, usageByModel } from './loggedEvaluation.ts';
import { durationOf } from './timing.ts';

export interface LoggedScorerValue {
  readonly scorer: string;
  /** One value, or one per key of a dictionary. A value that is no number, word or boolean is JSON. */
  readonly values: readonly { readonly key?: string; readonly value: number | string | boolean }[];
  readonly explanation?: string;
  /** Short values only. The raw record has all. */
  readonly metadata: readonly (readonly [name: string, value: string])[];
}

export interface LoggedSample {
  readonly epoch?: number;
  readonly scores: readonly LoggedScorerValue[];
  readonly error?: LoggedError;
  /** Errors of earlier attempts, which were retried. */
  readonly retries: readonly LoggedError[];
  /** `value`: absent if not logged. */
  readonly limit?: { readonly type: string; readonly value?: number };
  /** Failed attempts of calls of models, from all events. Absent: unknown. */
  readonly callRetries?: number;
  readonly usage: readonly ModelUsage[];
  readonly workingSeconds?: number;
}

/** Counts of tokens by turn, which the reader takes from the events of a sample. */
export const TURN_USAGE = 'turn_usage';

/** The extra fields that `loggedSample` reads. */
export const SAMPLE_FIELDS: ReadonlySet<string> = new Set([
  ...[
    'epoch',
    'scores',
    'error',
    'error_retries',
    'limit',
    'model_usage',
    'working_time',
    'events',
    'event_totals',
  ],
]);

const LONGEST_METADATA = 200;

/** @returns undefined if the extra fields are not those of an Inspect sample */
export function loggedSample(extra: JsonObject): LoggedSample | undefined {
  const { epoch, scores, error, error_retries: retries, limit, model_usage: usage } = extra;
  const isSample = numberOf(epoch) !== undefined && (isObject(usage) || hasScores(scores));
  if (!isSample) return undefined;
  const failed = loggedError(error);
  const working = durationOf(extra['working_time']);
  const callRetries = eventTotalsIn(extra)?.retries;
  const type = isObject(limit) ? textField(limit, 'type') : undefined;
  const most = isObject(limit) ? numberOf(limit['limit']) : undefined;
  return {
    epoch: numberOf(epoch),
    scores: Object.entries(isObject(scores) ? scores : {}).flatMap(([scorer, score]) =>
      isObject(score) ? [scoreOf(scorer, score)] : [],
    ),
    ...(failed === undefined ? {} : { error: failed }),
    retries: (Array.isArray(retries) ? retries : []).flatMap((each) => loggedError(each) ?? []),
    ...(type === undefined ? {} : { limit: { type, ...(most === undefined ? {} : { value: most }) } }),
    ...(callRetries === undefined ? {} : { callRetries }),
    usage: usageByModel(usage),
    ...(working === undefined ? {} : { workingSeconds: working }),
  };
}

const hasScores = (scores: unknown): boolean =>
  isObject(scores) && Object.values(scores).every((score) => isObject(score) && 'value' in score);

function scoreOf(scorer: string, score: JsonObject): LoggedScorerValue {
  const { value, metadata } = score;
  const explanation = textField(score, 'explanation');
  return {
    scorer,
    values: isObject(value)
      ? Object.entries(value).map(([key, part]) => ({ key, value: plain(part) }))
      : [{ value: plain(value) }],
    ...(explanation === undefined || explanation === '' ? {} : { explanation }),
    metadata: Object.entries(isObject(metadata) ? metadata : {})
      .map(([name, part]) => [name, String(plain(part))] as const)
      .filter(([, text]) => text.length <= LONGEST_METADATA),
  };
}

function plain(value: unknown): number | string | boolean {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    ? value
    : jsonText(value);
}
