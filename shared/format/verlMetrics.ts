/**
 * Step metrics of verl's file logger (`trainer.logger=[file]`; `FileLogger` in `verl/utils/tracking.py`,
 * verl-project/verl): `{"step": 3, "data": {"critic/score/mean": 0.41, …}}`. An additional key
 * `elapsed_seconds` is accepted (shared/format/FORMATS.md#verl-metrics).
 *
 * No record names its run: the location of the file identifies it (`electron/storage/metricRuns.ts`).
 */
import { indexOf, insteadOfIndex, isObject, type JsonObject, numberOf } from './fields.ts';
import type { FileHead, LogFormat, ParsedLine } from './format.ts';

const FIELDS: ReadonlySet<string> = new Set(['step', 'data', 'elapsed_seconds']);

export const verlMetrics: LogFormat = {
  name: 'verl-metrics',
  title: "verl's file logger (numbers per step, JSON Lines)",
  source: 'verl-project/verl, verl/utils/tracking.py, v0.6 to v0.9.0 (August 2026)',
  rule: 'a record with a whole number in "step" and an object of numbers in "data", and at most "elapsed_seconds" beside them',
  reads: 'every number, under its name, for its step; the run is named by the directory of the file',
  ignores: 'values that are no finite numbers (texts, lists, NaN), elapsed_seconds',
  runIs: 'file',
  detect: ({ records }: FileHead) => records.some(isMetrics),
  open: () => ({ read }),
};

function isMetrics(record: JsonObject): boolean {
  return (
    indexOf(record['step']) !== undefined &&
    Object.keys(record).every((key) => FIELDS.has(key)) &&
    isObject(record['data']) &&
    Object.entries(record['data']).some(isNumber)
  );
}

function read(record: JsonObject): ParsedLine {
  const step = indexOf(record['step']);
  const { data } = record;
  if (step === undefined || !isObject(data)) {
    const found = step === undefined ? insteadOfIndex(record['step']).replace('it is', '"step" is') : '';
    const message = `numbers of a step need a whole number in "step" and an object in "data"${found}`;
    return { kind: 'issue', issue: { severity: 'refused', code: 'missing_field', message } };
  }
  const metrics = Object.fromEntries(Object.entries(data).filter(isNumber));
  return Object.keys(metrics).length === 0 ? { kind: 'skip' } : { kind: 'metric', metric: { step, metrics } };
}

function isNumber(entry: [string, unknown]): entry is [string, number] {
  return numberOf(entry[1]) !== undefined;
}
