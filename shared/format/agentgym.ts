/**
 * AgentGym on verl (TextCraft): evaluation results, two tables with teacher rollouts and their
 * log-probabilities, and entropies per turn. HappynessI/verl-for-AgentGym f47da642.
 *
 * Evaluation, `…_results.jsonl`; actions are plain text, observations are user messages:
 *   {"item_id":"textcraft_7","session_id":7,"reward":1.0,"success":true,"num_turns":4,
 *    "conversations":[{"role":"user","content":"Crafting commands: …"},{"role":"assistant","content":"get 2 oak"}]}
 * Teacher rollouts, `teacher_normalized.parquet`:
 *   {"sample_uid":"textcraft_7__0","item_id":"textcraft_7","sample_idx":0,"goal":"stick","success":1,"reward":1,
 *    "conversations":[…]}
 * Their log-probabilities, `teacher_old_logprobs_step200.parquet`, joined on `sample_uid`:
 *   {"sample_uid":"textcraft_7__0","token_length":5,"sequence_old_logprobs":[-9.1,-0.2,-0.1,-3.0],
 *    "assistant_mask":[0,0,1,1,0],"assistant_turn_spans":[{"start":2,"end":4,"turn_idx":1}]}
 * Entropies per turn, `processed_trajectories.jsonl`, without text and without a sample number:
 *   {"item_id":"textcraft_7","success":1,"reward":1,"num_assistant_turns":1,"turn_lengths_assistant":[16],
 *    "entropy_A_assistant":[0.01],…}
 *
 * `sequence_old_logprobs[i]` belongs to token i + 1: the first token has no context and no log-probability.
 * The policy of step 200 computed them rather than the teacher that sampled, so they are the trainer's
 * log-probabilities. The log does not define how an entropy per turn was averaged, so those stay extra
 * fields.
 */
import type { Turn } from '../domain/model.ts';
import { bodyOf, type KnownFacts, problemOf } from './body.ts';
import {
  idOf,
  indexOf,
  isUnread,
  type JsonObject,
  rewardOf,
  stringOf,
  whyUnread,
  without,
} from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine, ParsedRollout } from './format.ts';
import { isMessageList, restOfMessages } from './messageShape.ts';
import { leadingMessages } from './messages.ts';
import { found, refused, warned } from './records.ts';
import { bodyOfTask, messagesIn } from './taskBody.ts';
import { firstSampled, logprobsOf, maskOf } from './tokenColumns.ts';

const TEXT_COLUMNS: ReadonlySet<string> = new Set([
  ...['item_id', 'sample_idx', 'success', 'reward', 'conversations'],
]);
const ENTROPY_COLUMNS: ReadonlySet<string> = new Set(['item_id', 'success', 'reward']);

export const agentgym: LogFormat = {
  name: 'agentgym',
  runIs: 'file',
  title: 'AgentGym on verl: evaluation results, teacher rollouts with log-probabilities, entropies per turn',
  source: 'HappynessI/verl-for-AgentGym at f47da642 (compared November 2026)',
  rule: 'a record with "item_id" and messages in "conversations"; or "sample_uid" with "sequence_old_logprobs"; or "item_id" with "turn_lengths_assistant"',
  reads: 'messages, reward, success, item (the group), sample number; log-probabilities joined by sample_uid',
  ignores: 'log-probabilities of the prompt',
  detect: (head: FileHead) =>
    head.records.some((record) => isText(record) || isSignal(record) || isEntropies(record)),
  open: (file: FileContext) => ({ read: (record) => read(record, file) }),
};

function isText(record: JsonObject): boolean {
  return (
    'item_id' in record &&
    ('session_id' in record || 'sample_uid' in record) &&
    isMessageList(record['conversations'])
  );
}

function isSignal(record: JsonObject): boolean {
  return 'sample_uid' in record && Array.isArray(record['sequence_old_logprobs']);
}

function isEntropies(record: JsonObject): boolean {
  return 'item_id' in record && Array.isArray(record['turn_lengths_assistant']);
}

function read(record: JsonObject, file: FileContext): ParsedLine {
  if (Array.isArray(record['conversations'])) return readText(record, record['conversations'], file);
  if ('sequence_old_logprobs' in record) return readSignal(record);
  if (Array.isArray(record['turn_lengths_assistant'])) {
    return readEntropies(record, record['turn_lengths_assistant'], file);
  }
  const message = `an AgentGym record needs "conversations", "sequence_old_logprobs" or "turn_lengths_assistant"; found ${found(record['conversations'])} in "conversations"`;
  return refused('missing_field', message);
}

function readText(record: JsonObject, list: readonly unknown[], file: FileContext): ParsedLine {
  const warnings: LineIssue[] = [];
  const messages = messagesIn(list, warnings);
  const facts = { problemId: idOf(record['item_id']), source: stringOf(record['task_name']) };
  const body = bodyOfTask(...asAsked(messages, stringOf(record['goal']), facts));
  const sample = stringOf(record['sample_uid']);
  const rest = restOfMessages(messages);
  return {
    kind: 'rollout',
    warnings: [...warnings, ...unreadReward(record)],
    rollout: {
      ...body,
      ...shared(record, file),
      ordinal: indexOf(record['sample_idx']),
      joinKeys: sample === undefined ? undefined : [joinKeyOf(sample)],
      extra: { ...without(record, TEXT_COLUMNS), ...(rest === undefined ? {} : { messages: rest }) },
    },
  };
}

/**
 * Teacher conversations begin with the rules of the game, the same for every item. The task follows only
 * after the first answer, but `goal` names it.
 */
function asAsked(
  messages: readonly JsonObject[],
  goal: string | undefined,
  facts: KnownFacts,
): Parameters<typeof bodyOfTask> {
  if (goal === undefined) return [messages, facts];
  const leading = leadingMessages(messages);
  return [messages.slice(leading.length), facts, [...leading, { role: 'user', content: `goal: ${goal}` }]];
}

function shared(
  record: JsonObject,
  file: FileContext,
): Pick<ParsedRollout, 'kind' | 'step' | 'groupKey' | 'groupRule' | 'reward' | 'isCorrect'> {
  const item = idOf(record['item_id']);
  const { success } = record;
  return {
    kind: file.layout.kind ?? 'eval',
    step: file.layout.step,
    groupKey: item,
    groupRule: item === undefined ? 'prompt' : 'logged',
    reward: rewardOf(record['reward']),
    isCorrect:
      success === true || success === 1 ? true : success === false || success === 0 ? false : undefined,
  };
}

function unreadReward(record: JsonObject): readonly LineIssue[] {
  const { reward } = record;
  if (!isUnread(reward, rewardOf(reward))) return [];
  return [warned('unread_value', `"reward" is ${found(reward)}, ${whyUnread(reward)}`)];
}

const joinKeyOf = (sample: string): string => `sample_uid:${sample}`;

function readSignal(record: JsonObject): ParsedLine {
  const sample = stringOf(record['sample_uid']);
  const logprobs = record['sequence_old_logprobs'];
  const mask = record['assistant_mask'];
  if (sample === undefined || !Array.isArray(logprobs)) {
    const [name, value] =
      sample === undefined ? ['sample_uid', record['sample_uid']] : ['sequence_old_logprobs', logprobs];
    return refused('missing_field', `log-probabilities need "${name}"; found ${found(value)}`);
  }
  if (!Array.isArray(mask) || mask.length !== logprobs.length + 1) {
    const entries = Array.isArray(mask) ? `${mask.length} entries` : found(mask);
    const message = `"assistant_mask" has ${entries}; ${logprobs.length} log-probabilities belong to ${logprobs.length + 1} tokens`;
    return refused('token_length', message);
  }
  const start = firstSampled(mask);
  if (start === undefined) {
    return refused(
      'no_policy_tokens',
      '"assistant_mask" marks no token, so the start of the response is unknown',
    );
  }
  // Token i has the log-probability i - 1; token 0 has none.
  const ofTokens: unknown[] = start === 0 ? [null, ...logprobs] : logprobs.slice(start - 1);
  const message = 'the log-probabilities have no token text, so they cannot be aligned with the text';
  return {
    kind: 'signal',
    warnings: [warned('unaligned_tokens', message)],
    signal: {
      address: { joinKey: joinKeyOf(sample) },
      tokens: {
        count: mask.length - start,
        mask: maskOf(mask.slice(start)),
        trainerLogprob: logprobsOf(ofTokens),
      },
    },
  };
}

/** The lengths of the turns are known, but not their text. */
function readEntropies(record: JsonObject, lengths: readonly unknown[], file: FileContext): ParsedLine {
  const facts: KnownFacts = { problemId: idOf(record['item_id']) };
  const nothing = { text: '', segments: [], toolCalls: [], turns: 1 };
  const problem = problemOf('', [], facts);
  const body = bodyOf(problem, nothing, facts);
  const turns: readonly Turn[] = lengths.slice(0, MOST_TURNS).map((length, i) => ({
    turn: i + 1,
    policyTokens: indexOf(length),
  }));
  const message = 'the record has lengths and entropies of turns, but no text';
  return {
    kind: 'rollout',
    warnings: [warned('no_text', message), ...unreadReward(record)],
    rollout: {
      ...body,
      turns,
      ...shared(record, file),
      extra: without(record, ENTROPY_COLUMNS),
    },
  };
}

/** A list longer than any environment's maximum of turns does not hold turn lengths. */
const MOST_TURNS = 10_000;
