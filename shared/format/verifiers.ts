import { scoresOf } from '../domain/scores.ts';
import { bodyOfMessages, bodyOfText, type KnownFacts, type RolloutBody } from './body.ts';
import {
  dateOf,
  idOf,
  isObject,
  isUnread,
  type JsonObject,
  rewardOf,
  stringOf,
  textOf,
  without,
} from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine, ParsedTokens } from './format.ts';
import {
  type Generation,
  requestsOfGenerations,
  tokensOfGenerations,
  turnsOfGenerations,
} from './generations.ts';
import { contextWith } from './loggedContext.ts';
import { isMessageList } from './messageShape.ts';
import { found, refused, warned } from './records.ts';
import { type Stop, stopOf } from './stop.ts';
import { messagesIn } from './taskBody.ts';
import { timingOf } from './timing.ts';
import { UNALIGNED } from './tokenColumns.ts';

const COLUMNS: ReadonlySet<string> = new Set([
  ...['example_id', 'prompt', 'completion', 'answer', 'reward', 'trajectory'],
]);
const TOKEN_COLUMNS: ReadonlySet<string> = new Set([
  ...['prompt_ids', 'prompt_mask', 'completion_ids', 'completion_mask', 'completion_logprobs'],
]);
/** Numbers that are not parts of the reward. All others are results of reward functions and metrics, by their names. */
const NO_SCORES: ReadonlySet<string> = new Set([
  ...['id', 'example_id', 'reward', 'generation_ms', 'scoring_ms', 'total_ms'],
]);
/** Copies: a step repeats its messages, and the model's whole response repeats the last one. */
const STEP_COLUMNS: ReadonlySet<string> = new Set(['prompt', 'completion', 'response', 'tokens']);

export const verifiers: LogFormat = {
  name: 'verifiers',
  title: 'verifiers results (results.jsonl, metadata.json)',
  source: 'willccbb/verifiers, verifiers/utils/eval_utils.py at 39f0675a (compared November 2026)',
  rule: 'a record with "prompt", "completion", "reward" and "example_id", or "id" with "task" or "info"; or "num_examples" with "rollouts_per_example"',
  reads:
    'messages, tool calls, answer as the ground truth, reward, results of reward functions as scores, stop condition, tokens of the trajectory column; metadata.json as the run',
  ignores: 'the copies of messages in the steps of the trajectory column',
  detect: (head: FileHead) => head.records.some((record) => isResult(record) || isMetadata(record)),
  open: (file: FileContext) => ({ read: (record) => read(record, file) }),
};

function isResult(record: JsonObject): boolean {
  const isNamed = 'example_id' in record || ('id' in record && ('task' in record || 'info' in record));
  return isNamed && 'reward' in record && isSaid(record['prompt']) && isSaid(record['completion']);
}

function isMetadata(record: JsonObject): boolean {
  return 'num_examples' in record && 'rollouts_per_example' in record && !('completion' in record);
}

const isSaid = (value: unknown): boolean => typeof value === 'string' || isMessageList(value);

function read(record: JsonObject, file: FileContext): ParsedLine {
  if (isMetadata(record)) return { kind: 'run', run: { config: record }, warnings: [] };
  const warnings: LineIssue[] = [];
  const groundTruth = textOf(record['answer']);
  const facts: KnownFacts = {
    problemId: idOf(record['example_id']),
    groundTruth: groundTruth === '' ? undefined : groundTruth,
    source: stringOf(record['task']),
    stop: stopOfResult(record),
    isUnmarked: true,
  };
  const body = bodyOfResult(record, facts, warnings);
  if (body === undefined) {
    const message = `a verifiers result needs "completion", a text or messages; found ${found(record['completion'])}`;
    return refused('missing_field', message);
  }
  const reward = rewardOf(record['reward']);
  if (isUnread(record['reward'], reward)) {
    warnings.push(warned('unread_value', `"reward" is ${found(record['reward'])}; the reward is unknown`));
  }
  const timing = isObject(record['timing']) ? record['timing'] : {};
  const scores = scoresOf(
    Object.entries(record).filter(([name, value]) => typeof value === 'number' && !NO_SCORES.has(name)),
  );
  const trajectory = readTrajectory(record['trajectory'], warnings);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      turns: turnsOfGenerations(body.turns, trajectory.generations),
      context: contextWith(
        body.context,
        requestsOfGenerations(body.turns, trajectory.generations, 'trajectory[].tokens.prompt_ids'),
      ),
      kind: file.layout.kind ?? 'eval',
      step: file.layout.step,
      groupKey: facts.problemId,
      groupRule: facts.problemId === undefined ? 'prompt' : 'logged',
      reward,
      ...(scores === undefined ? {} : { scores }),
      tokens: trajectory.tokens,
      startedAt: dateOf(timing['start_time']),
      // `generation_ms` is the rollout itself; `total_ms` includes the scoring after it.
      ...timingOf({ durationMs: timing['generation_ms'] ?? timing['total_ms'] }),
      extra: {
        ...without(record, COLUMNS),
        ...(trajectory.steps === undefined ? {} : { trajectory: trajectory.steps }),
      },
    },
  };
}

function bodyOfResult(record: JsonObject, facts: KnownFacts, warnings: LineIssue[]): RolloutBody | undefined {
  const { prompt, completion } = record;
  if (typeof completion === 'string' && (typeof prompt === 'string' || !Array.isArray(prompt))) {
    return bodyOfText(textOf(prompt) ?? '', completion, facts);
  }
  const said: unknown =
    typeof completion === 'string' ? [{ role: 'assistant', content: completion }] : completion;
  if (!Array.isArray(said)) return undefined;
  const asked = Array.isArray(prompt)
    ? messagesIn(prompt, warnings)
    : prompt === undefined || prompt === null
      ? []
      : [{ role: 'user', content: textOf(prompt) }];
  return bodyOfMessages(messagesIn(said, warnings), facts, asked);
}

function stopOfResult(record: JsonObject): Stop {
  const { error } = record;
  if (isObject(error) || (typeof error === 'string' && error !== '')) return stopOf('error');
  const condition = stopOf(record['stop_condition']);
  return condition.stopReason === undefined && record['is_truncated'] === true
    ? stopOf('truncated')
    : condition;
}

interface Trajectory {
  readonly tokens?: ParsedTokens;
  readonly generations: readonly Generation[];
  /** Other fields of the steps besides messages and tokens. */
  readonly steps?: readonly unknown[];
}

/** One generation per step. Steps of branched or rewritten conversations do not continue each other. */
function readTrajectory(value: unknown, warnings: LineIssue[]): Trajectory {
  if (value === undefined || value === null) return { generations: [] };
  if (!Array.isArray(value)) {
    warnings.push(warned('bad_tokens', `"trajectory" is ${found(value)}, not a list of steps; not read`));
    return { steps: [value], generations: [] };
  }
  const generations: Generation[] = [];
  const steps = value.map((step: unknown) => {
    if (!isObject(step)) return step;
    const tokens = step['tokens'];
    if (!isObject(tokens)) return without(step, STEP_COLUMNS);
    generations.push({
      prompt: tokens['prompt_ids'],
      ids: tokens['completion_ids'],
      logprobs: tokens['completion_logprobs'],
      mask: tokens['completion_mask'],
    });
    return { ...without(step, STEP_COLUMNS), tokens: without(tokens, TOKEN_COLUMNS) };
  });
  const tokens = tokensOfGenerations(generations, warnings);
  if (tokens !== undefined) warnings.push(UNALIGNED);
  return { tokens, steps, generations };
}
