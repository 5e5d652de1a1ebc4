/**
 * TRL with `log_completions`: `{output_dir}/completions/completions_{step:05d}.parquet`, one row per
 * completion (JSON Lines of the same rows are read, too).
 *
 *   {"step":10,"prompt":"6·7?","completion":"It is 42.","accuracy_reward":1.0,"format_reward":0.5,"advantage":0.7}
 *
 * Written by `log` in `trl/trainer/grpo_trainer.py` (huggingface/trl; shared/format/FORMATS.md#trl).
 * - Each reward function has a column with its name, beside columns that reward functions add. Only the type
 *   tells them apart: every column with a number that is not in `NO_REWARD` counts as a reward function.
 * - The total reward is not logged. With one reward function it is its value. With several it is their plain
 *   sum, as with the trainer's default weights, and `extra.reward_rule` states that. A reward function that
 *   does not apply to a row wrote null.
 * - Prompt and completion are texts or lists of messages. Equal prompts within a step form the group.
 */

import { readPrompt } from '../domain/prompt.ts';
import { bodyOf, bodyOfAnswer, bodyOfMessages, bodyOfText, problemOf, type RolloutBody } from './body.ts';
import { isObject, type JsonObject, numberOf, stringOf, without } from './fields.ts';
import type {
  FileContext,
  FileHead,
  LineIssue,
  LogFormat,
  ParsedLine,
  ParsedRollout,
  RecordReader,
} from './format.ts';
import { responseOfMessages } from './messages.ts';
import { found, readStep, refused } from './records.ts';

const NO_REWARD: ReadonlySet<string> = new Set([
  ...['step', 'advantage', 'mode', 'prompt', 'completion', 'index', 'id', 'idx', 'epoch', 'seed'],
  ...['prompt_id', 'num_tokens', 'completion_length', 'prompt_length', '__index_level_0__'],
  // Data set columns are copied; their numeric answers are ground truths, not rewards.
  ...[
    'ground_truth',
    'gts',
    'gold',
    'answer',
    'label',
    'labels',
    'target',
    'solution',
    'difficulty',
    'level',
  ],
]);
const COLUMNS: ReadonlySet<string> = new Set([
  'step',
  'advantage',
  'mode',
  'prompt',
  'completion',
  '__index_level_0__',
]);

export const trl: LogFormat = {
  name: 'trl',
  title: 'TRL completions (completions_{step}.parquet)',
  source: 'huggingface/trl, trl/trainer/grpo_trainer.py',
  rule: '"prompt" and "completion" as texts or message lists, a number in "step", and "advantage" or a column with "reward" in its name',
  reads:
    'prompt, completion, step, advantage, mode; every other number as the value of a reward function, the reward as their sum',
  ignores: 'reward weights (not in the file)',
  detect: (head: FileHead) => head.records.some(isCompletion),
  open: (file: FileContext): RecordReader => ({ read: (record) => read(record, file) }),
};

function isCompletion(record: JsonObject): boolean {
  return (
    isSaying(record['prompt']) &&
    isSaying(record['completion']) &&
    isNumeric(record['step']) &&
    ('advantage' in record || Object.keys(record).some((name) => /reward/i.test(name))) &&
    !('example_id' in record)
  );
}

/** Includes invalid steps, which the reader reports. Digits beyond 2^53 are text. */
function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{16,}$/.test(value));
}

function isSaying(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && isObject(value[0]) && 'role' in value[0]);
}

function read(record: JsonObject, file: FileContext): ParsedLine {
  const body = bodyOfRow(record['prompt'], record['completion']);
  if (body === undefined) {
    const message = `a row needs texts or messages in "prompt" and "completion"; found ${found(record['prompt'])} and ${found(record['completion'])}`;
    return refused('missing_field', message);
  }
  const advantage = numberOf(record['advantage']);
  const rewards = Object.entries(record).flatMap(([name, value]) => {
    const number = NO_REWARD.has(name) ? undefined : numberOf(value);
    return number === undefined ? [] : [{ name, number }];
  });
  const warnings: LineIssue[] = [];
  const names = rewards.map(({ name }) => name).join(' + ');
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      kind: kindOf(stringOf(record['mode'])) ?? file.layout.kind ?? 'train',
      step: readStep(record['step'], 'step', file, warnings),
      groupRule: 'prompt',
      reward: rewards.length === 0 ? undefined : rewards.reduce((sum, { number }) => sum + number, 0),
      decision: advantage === undefined ? undefined : { advantage },
      extra: {
        ...without(record, COLUMNS),
        ...(rewards.length > 1 ? { reward_rule: `${names}, weights unknown` } : {}),
      },
    },
  };
}

function bodyOfRow(prompt: unknown, completion: unknown): RolloutBody | undefined {
  const asked = Array.isArray(prompt) ? prompt.filter(isObject) : stringOf(prompt);
  const said = Array.isArray(completion) ? completion.filter(isObject) : stringOf(completion);
  if (asked === undefined || said === undefined) return undefined;
  if (typeof asked === 'string') {
    if (typeof said === 'string') return bodyOfText(asked, said);
    const problem = problemOf(asked, readPrompt(asked).segments, {});
    return bodyOf(problem, responseOfMessages(said), {});
  }
  return typeof said === 'string' ? bodyOfAnswer(asked, said) : bodyOfMessages(said, {}, asked);
}

function kindOf(mode: string | undefined): ParsedRollout['kind'] | undefined {
  return mode === 'train' || mode === 'eval' ? mode : undefined;
}
