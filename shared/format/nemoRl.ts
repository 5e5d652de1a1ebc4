/**
 * NeMo-RL: `train_data_step{N}.jsonl` and `val_data_step{N}.jsonl` of its log directory.
 *
 *   {"content":[["What is 6·7?","It is 42."]],"rewards":[1.0],"input_lengths":[5],"token_ids":[[1,2,3,4,5,0]],
 *    "token_loss_mask":[[0,0,0,1,1,0]],"sample_loss_mask":[1.0],"advantages":[[0,0,0,0.7,0.7,0]],
 *    "generation_logprobs":[[0,0,0,-0.2,-1.1,0]],"prev_logprobs":[[0,0,0,-0.2,-1.0,0]],"idx":0}
 *   {"content":[[{"role":"user","content":"What is 6·7?"},{"role":"assistant","content":"42"}]],"rewards":[1.0],"idx":0}
 *
 * Written by `log_batched_dict_as_jsonl` in `nemo_rl/utils/logger.py` (NVIDIA-NeMo/RL 7ea279a;
 * shared/format/FORMATS.md#nemo-rl).
 * - Every row is a batch of one, so each value is a list of one. Bare values are read, too.
 * - In training `content` has the messages without their roles (`messagesOf`), in validation with them. Math
 *   environments add a last one, "Environment: correct".
 * - Under dynamic sampling `rewards` belongs to the unfiltered batch, and `filtered_rewards` is the row's.
 * - Arrays are padded to the longest of the batch; `input_lengths` is the real length.
 * - `sample_loss_mask` 0: the rollout did not enter the update.
 * - There is no group id: equal prompts form the group.
 */
import { bodyOfMessages, type KnownFacts, type RolloutBody } from './body.ts';
import {
  indexOf,
  isObject,
  isUnread,
  type JsonObject,
  numberOf,
  rewardOf,
  textOf,
  whyUnread,
  without,
} from './fields.ts';
import type {
  FileContext,
  FileHead,
  LineIssue,
  LogFormat,
  ParsedDecision,
  ParsedLine,
  ParsedTokens,
  RecordReader,
} from './format.ts';
import { found, readStep, refused, warned } from './records.ts';
import {
  firstSampled,
  readColumns,
  sharedAdvantage,
  turnsWithTokens,
  UNALIGNED,
  unbatched,
} from './tokenColumns.ts';

const COLUMNS: ReadonlySet<string> = new Set([
  ...[
    'content',
    'rewards',
    'filtered_rewards',
    'input_lengths',
    'token_ids',
    'token_loss_mask',
    'sample_loss_mask',
  ],
  ...['advantages', 'generation_logprobs', 'prev_logprobs', 'step'],
]);
const NAMES = {
  ids: 'token_ids',
  mask: 'token_loss_mask',
  logprob: 'generation_logprobs',
  trainerLogprob: 'prev_logprobs',
  advantage: 'advantages',
} as const;

export const nemoRl: LogFormat = {
  name: 'nemo-rl',
  title: 'NeMo-RL train_data_step{N}.jsonl and val_data_step{N}.jsonl',
  source:
    'NVIDIA-NeMo/RL, nemo_rl/algorithms/grpo.py and nemo_rl/utils/logger.py at 7ea279a (0.7.0+, August 2026)',
  rule: 'a list of strings or of messages with a role in "content", and "rewards" beside it',
  reads:
    'messages, reward (filtered_rewards under dynamic sampling), token ids, loss masks, advantages, generation and previous log-probabilities, sample_loss_mask as kept or discarded',
  ignores: 'padding',
  detect: (head: FileHead) =>
    head.records.some(
      (record) => contentOf(record) !== undefined && 'rewards' in record && !('role' in record),
    ),
  open: (file: FileContext): RecordReader => ({ read: (record) => read(record, file) }),
};

function contentOf(record: JsonObject): readonly string[] | readonly JsonObject[] | undefined {
  const content = unbatched(record['content']);
  if (!Array.isArray(content) || content.length === 0) return undefined;
  if (content.every((text) => typeof text === 'string')) return content;
  return content.every((message) => isObject(message) && typeof message['role'] === 'string')
    ? content
    : undefined;
}

const isTexts = (content: readonly string[] | readonly JsonObject[]): content is readonly string[] =>
  typeof content[0] === 'string';

function read(record: JsonObject, file: FileContext): ParsedLine {
  const content = contentOf(record);
  if (content === undefined) {
    return refused(
      'missing_field',
      `a record needs a list of texts or messages in "content"; found ${found(record['content'])}`,
    );
  }
  const warnings: LineIssue[] = [];
  const rewardName = 'filtered_rewards' in record ? 'filtered_rewards' : 'rewards';
  const rewards = only(record[rewardName]);
  const reward = rewardOf(rewards);
  if (isUnread(rewards, reward)) {
    const message = `"${rewardName}" is ${found(rewards)}, ${whyUnread(rewards)}`;
    warnings.push(warned('unread_value', message));
  }
  const facts = { groundTruth: textOf(record['ground_truth']) };
  const body = isTexts(content) ? bodyOfTexts(content, record, facts) : bodyOfMessages(content, facts);
  const tokens = tokensOf(record, warnings);
  if (tokens !== undefined) warnings.push(UNALIGNED);
  const step = readStep(only(record['step']), 'step', file, warnings);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      kind: file.layout.kind ?? ('token_ids' in record ? 'train' : 'eval'),
      step,
      groupRule: 'prompt',
      reward,
      tokens,
      turns: turnsWithTokens(body, tokens),
      decision: decisionOf(record, tokens),
      extra: {
        ...without(record, COLUMNS),
        // Another rollout's reward, kept as logged.
        ...(rewardName === 'rewards' ? {} : { rewards: only(record['rewards']) }),
      },
    },
  };
}

/**
 * Minimum length of the environment's closing message, if the policy wrote nothing after it. Fewer tokens are
 * a template's line break.
 */
const CLOSING_LENGTH = 3;

function bodyOfTexts(content: readonly string[], record: JsonObject, facts: KnownFacts): RolloutBody {
  const { asked, said } = messagesOf(content, record);
  return bodyOfMessages(said, facts, asked);
}

/**
 * Roles are not logged, but the policy and the environment alternate. The spans of sampled tokens count the
 * policy's messages, and the messages before them are the prompt. Without marked tokens two messages are a
 * question and its answer, and an odd number begins with a system prompt.
 */
function messagesOf(
  content: readonly string[],
  record: JsonObject,
): { asked: readonly JsonObject[]; said: readonly JsonObject[] } {
  const mask = unbatched(record['token_loss_mask']);
  const marked = Array.isArray(mask) ? stretchesOf(mask, indexOf(only(record['input_lengths']))) : undefined;
  // If no token is marked, the mask does not tell authors apart.
  const stretches = marked?.sampled === 0 ? undefined : marked;
  const endsWithPolicy =
    (stretches === undefined || stretches.closing < CLOSING_LENGTH) &&
    content.at(-1)?.startsWith('Environment:') !== true;
  const trailing = endsWithPolicy ? 0 : 1;
  const turns = stretches?.sampled ?? Math.floor((content.length - trailing) / 2);
  const before = content.length - trailing - (2 * turns - 1);
  const prompts = Math.min(Math.max(turns === 0 ? content.length : before, 1), content.length);
  return {
    asked: content
      .slice(0, prompts)
      .map((text, i) => ({ role: i === 0 && prompts > 1 ? 'system' : 'user', content: text })),
    said: content
      .slice(prompts)
      .map((text, i) => ({ role: i % 2 === 0 ? 'assistant' : 'environment', content: text })),
  };
}

/** The number of spans of sampled tokens, and the number of tokens after the last one. */
function stretchesOf(
  mask: readonly unknown[],
  length: number | undefined,
): { sampled: number; closing: number } {
  let sampled = 0;
  let closing = 0;
  let wasSampled = false;
  for (let i = 0; i < Math.min(length ?? mask.length, mask.length); i++) {
    const isSampled = mask[i] === 1 || mask[i] === true;
    if (isSampled && !wasSampled) sampled++;
    closing = isSampled ? 0 : closing + 1;
    wasSampled = isSampled;
  }
  return { sampled, closing };
}

function tokensOf(record: JsonObject, warnings: LineIssue[]): ParsedTokens | undefined {
  const ids = unbatched(record['token_ids']);
  if (!Array.isArray(ids)) return undefined;
  const logged = indexOf(only(record['input_lengths']));
  const end = logged === undefined ? ids.length : Math.min(logged, ids.length);
  const start = firstSampled(record['token_loss_mask']);
  if (start === undefined || start >= end) {
    warnings.push(
      warned('no_policy_tokens', '"token_loss_mask" marks no token as sampled; no tokens are read'),
    );
    return undefined;
  }
  return readColumns(record, NAMES, ids.length, { start, end }, warnings);
}

function decisionOf(record: JsonObject, tokens: ParsedTokens | undefined): ParsedDecision | undefined {
  const mask = numberOf(only(record['sample_loss_mask']));
  const logged = numberOf(only(record['advantages']));
  const advantage = logged ?? (tokens === undefined ? undefined : sharedAdvantage(tokens));
  if (mask === undefined) return advantage === undefined ? undefined : { advantage };
  return mask === 0 ? { kept: false, reason: 'sample_loss_mask', advantage } : { kept: true, advantage };
}

/** A number, or the only entry of a list. */
function only(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
