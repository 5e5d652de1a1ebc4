/**
 * TRL with `log_completions`: `{output_dir}/completions/completions_{step:05d}.parquet`, one row per
 * completion (JSON Lines of the same rows are read, too).
 *
 *   {"step":10,"prompt":"6·7?","completion":"It is 42.","accuracy_reward":1.0,"parsed":"42","advantage":0.7}
 *
 * Written by `log` in `trl/trainer/grpo_trainer.py` (huggingface/trl 1.13.0; shared/format/FORMATS.md#trl).
 * - Reward functions have the first columns after `completion`, then come the columns of `log_extra`. Both may
 *   hold floats and have free names.
 * - The total reward is not logged. It is the value of the only reward function, where only one column can
 *   be one. Otherwise it is unknown, because neither functions nor their weights can be told.
 * - Equal prompts within a step form the group.
 * - The rows of one generation may be written again under later steps. Such a file differs in `step` only, and
 *   its rows join those of the first file.
 */

import type { LineNumber } from '../domain/model.ts';
import { bodyOfText } from './body.ts';
import { isObject, type JsonObject, jsonText, numberOf, stringOf, without } from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine, RecordReader } from './format.ts';
import { found, readStep, refused, warned } from './records.ts';

const COLUMNS: ReadonlySet<string> = new Set([
  ...['step', 'prompt', 'completion', 'advantage', '__index_level_0__'],
]);

const STEP: ReadonlySet<string> = new Set(['step']);

export const trl: LogFormat = {
  name: 'trl',
  title: 'TRL completions (completions_{step}.parquet)',
  source: 'huggingface/trl, trl/trainer/grpo_trainer.py at 1.13.0 (November 2026)',
  rule: 'texts in "prompt" and "completion", a number in "step", and "advantage" or a column with "reward" in its name',
  reads:
    'prompt, completion, step, advantage; the value of the only reward function as the reward; every other column as an extra field',
  ignores:
    'reward weights and names of reward functions (not in the file); of several reward functions, the total',
  detect: (head: FileHead) => head.records.some(isCompletion),
  open: (file: FileContext): RecordReader => {
    const columns = isObject(file.header?.['columns']) ? file.header['columns'] : undefined;
    return { read: (record, number) => read(record, number, file, columns) };
  },
};

function isCompletion(record: JsonObject): boolean {
  return (
    typeof record['prompt'] === 'string' &&
    typeof record['completion'] === 'string' &&
    isNumeric(record['step']) &&
    ('advantage' in record || Object.keys(record).some((name) => /reward/i.test(name))) &&
    !('example_id' in record)
  );
}

/** Includes invalid steps, which the reader reports. Digits beyond 2^53 are text. */
function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{16,}$/.test(value));
}

function read(
  record: JsonObject,
  number: LineNumber,
  file: FileContext,
  parquet: JsonObject | undefined,
): ParsedLine {
  const prompt = stringOf(record['prompt']);
  const completion = stringOf(record['completion']);
  if (prompt === undefined || completion === undefined) {
    const message = `a row needs texts in "prompt" and "completion"; found ${found(record['prompt'])} and ${found(record['completion'])}`;
    return refused('missing_field', message);
  }
  const warnings: LineIssue[] = [];
  const advantage = numberOf(record['advantage']);
  const columns = rewardColumns(record, parquet);
  const [only, ...others] = columns;
  const step = readStep(record['step'], 'step', file, warnings);
  const isKnown = only !== undefined && others.length === 0;
  if (others.length > 0 && number === 1) {
    const names = columns.map((name) => `"${name}"`).join(', ');
    const message = `the reward is unknown: each of ${names} may be a reward function or a column of log_extra, and weights are not logged; all are extra fields`;
    warnings.push(warned('unknown_reward', message));
  }
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...bodyOfText(prompt, completion),
      kind: file.layout.kind ?? 'train',
      step,
      groupRule: 'prompt',
      reward: isKnown ? numberOf(record[only]) : undefined,
      decision: advantage === undefined ? undefined : { advantage },
      ...(parquet === undefined ? {} : { joinKeys: [joinKeyOf(record, number, parquet)], mayRepeat: true }),
      extra: without(record, COLUMNS),
    },
  };
}

/**
 * Equal for a row of a file that was written again under a later step. Rows of other generations may be equal
 * by chance, but not all of them, so that their columns have other sizes.
 */
function joinKeyOf(record: JsonObject, number: LineNumber, parquet: JsonObject): string {
  return `trl:${number}:${jsonText([without(parquet, STEP), without(record, STEP)])}`;
}

/**
 * The columns that may be reward functions. Their values are floats, so the first column of another type is
 * one of `log_extra`, as is everything after it. JSON Lines have no types, so any column may be one.
 *
 * @param parquet `ParquetColumn` by name
 */
function rewardColumns(record: JsonObject, parquet: JsonObject | undefined): readonly string[] {
  const names = Object.keys(record).filter((name) => !COLUMNS.has(name));
  if (parquet === undefined) return names;
  const isFloat = (name: string): boolean => isObject(parquet[name]) && parquet[name]['type'] === 'DOUBLE';
  const end = names.findIndex((name) => !isFloat(name));
  return end < 0 ? names : names.slice(0, end);
}
