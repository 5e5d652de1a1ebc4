/**
 * Checks the JSON that is stored beside the columns of a step. A library may come from somebody else, so JSON of
 * a wrong shape is ignored and computed again from the rows.
 */
import type { LatencySummary, ScheduleFacts, StepFacts } from '../../shared/api/contract.ts';
import { tryParseJson } from '../../shared/domain/parseJson.ts';
import { isObject } from '../../shared/format/fields.ts';
import type { DictionaryName } from './columnNames.ts';

const LATENCY: readonly (keyof LatencySummary)[] = [
  ...(['calls', 'meanMs', 'p50Ms', 'p95Ms', 'maxMs', 'logged', 'derived'] as const),
];
const SCHEDULE: readonly (keyof ScheduleFacts)[] = [
  ...([
    'placed',
    'startedAt',
    'wallSeconds',
    'tailSeconds',
    'medianSeconds',
    'stragglers',
    'peakRollouts',
  ] as const),
];

/** @returns undefined unless it is a list of texts, and of lists of tools for `tools` */
export function parseDictionary(json: string, name: DictionaryName): readonly string[] | undefined {
  const stored = tryParseJson(json);
  if (!isTexts(stored)) return undefined;
  return name !== 'tools' || stored.every((tools) => isTexts(tryParseJson(tools))) ? stored : undefined;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** @returns undefined unless it has the shape of facts of this step */
export function parseFacts(json: string, step: number): StepFacts | undefined {
  const stored = tryParseJson(json);
  return isFacts(stored) && stored.step === step ? stored : undefined;
}

function isFacts(stored: unknown): stored is StepFacts {
  if (!isObject(stored)) return false;
  const { values, outcomes, latency, retries, recovery, reward, schedule, ...counts } = stored;
  return (
    hasNumbers(counts, ['step', 'rollouts', 'groups', 'repeats']) &&
    hasNumbers(values, []) &&
    hasNumbers(outcomes, []) &&
    hasNumbers(retries, ['calls', 'succeeded']) &&
    hasNumbers(recovery, ['rollouts', 'correct']) &&
    (hasNumbers(values, ['meanReward']) ? hasNumbers(reward, ['known']) : reward === undefined) &&
    (latency === undefined || hasNumbers(latency, LATENCY)) &&
    (schedule === undefined || hasNumbers(schedule, SCHEDULE))
  );
}

/** Whether it is an object of numbers with these keys. */
function hasNumbers(value: unknown, keys: readonly string[]): boolean {
  return (
    isObject(value) &&
    keys.every((key) => Object.hasOwn(value, key)) &&
    Object.values(value).every((each) => typeof each === 'number')
  );
}
