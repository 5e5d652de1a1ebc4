/**
 * verl rollout and validation dumps: `{step}.jsonl`, one line per rollout.
 *
 * Written by `_dump_generations` in `verl/trainer/ppo/ray_trainer.py` and, by the default trainer of v0.9,
 * `verl/trainer/ppo/v1/trainer_base.py` (verl-project/verl; shared/format/FORMATS.md#verl). A line:
 *
 *   {"input": "system\n…assistant\n<reason>", "output": "…", "gts": "42", "score": 1.0, "step": 17}
 *
 * - Older dumps lack `gts`. Validation adds `reward` before every other key (`kindOf`).
 * - Special tokens are stripped (`shared/domain/transcript.ts` recovers the turns).
 * - Trainers without `DataProto` log `uid` = `{uid}_{session}_{output}`: group, ordinal, and the number of an
 *   output of the session. The outputs of a session are neighbours and parts of one rollout. Otherwise equal
 *   `input` and `gts` within a step form the group.
 * - The default trainer of v0.9 pads the batch with rows that are no rollouts (`PADDING`).
 * - Under rStar2-Agent only kept rows are dumped. The file does not state that, so `kept` stays unknown.
 * - Every other key is a `reward_extra_info` list and stays in `extra`.
 */
import { extractAnswer } from '../domain/answer.ts';
import type { RunKind } from '../domain/model.ts';
import { type ParsedPrompt, readPrompt } from '../domain/prompt.ts';
import { segmentResponse } from '../domain/segment.ts';
import { summariseTurns } from '../domain/turns.ts';
import {
  booleanOf,
  indexOf,
  insteadOfIndex,
  isUnread,
  type JsonObject,
  numberOf,
  rewardOf,
  stringOf,
  textOf,
  whyUnread,
  without,
} from './fields.ts';
import type {
  FileContext,
  FileHead,
  LineIssue,
  LogFormat,
  ParsedLine,
  ParsedProblem,
  RecordReader,
} from './format.ts';
import type { Layout } from './layout.ts';
import { stopWithEnding } from './stop.ts';

const COLUMNS: ReadonlySet<string> = new Set(['input', 'output', 'gts', 'score', 'step']);
const PADDING = /^pad[0-9a-f]{32}_\d+_0$/;
const UID = /^(.+)_(\d+)_(\d+)$/;

export const verl: LogFormat = {
  name: 'verl',
  title: 'verl rollout or validation dump ({step}.jsonl)',
  source:
    'verl-project/verl, verl/trainer/ppo/ray_trainer.py and v1/trainer_base.py, v0.4.1 to v0.9.0 (August 2026)',
  rule: 'a record with strings in "input" and "output", and "score" or "reward"',
  reads:
    'prompt, response, ground truth, reward, step, acc, uid (group, ordinal; outputs of a session as one rollout), every other key as an extra field',
  ignores: 'padding rows; log-probabilities, kept flags and most group ids are not in it',
  detect: (head: FileHead) => head.records.some(isVerlRecord),
  open: (file: FileContext) => new VerlReader(file.layout),
};

function isVerlRecord(record: JsonObject): boolean {
  return (
    typeof record['input'] === 'string' &&
    typeof record['output'] === 'string' &&
    ('score' in record || 'reward' in record) &&
    !('type' in record && 'v' in record)
  );
}

class VerlReader implements RecordReader {
  private readonly layout: Layout;
  /** Rollouts of a group are adjacent, so the last prompt is usually the next one's, too. */
  private last:
    | { input: string; gts: string | undefined; problem: ParsedProblem; prompt: ParsedPrompt }
    | undefined;

  constructor(layout: Layout) {
    this.layout = layout;
  }

  read(record: JsonObject): ParsedLine {
    const uid = stringOf(record['uid']);
    if (uid !== undefined && PADDING.test(uid)) return { kind: 'skip' };
    const input = stringOf(record['input']);
    const output = stringOf(record['output']);
    if (input === undefined || output === undefined) {
      const missing = input === undefined ? 'input' : 'output';
      return refuse(
        'missing_field',
        `a verl record needs a string in "${missing}"; found ${describe(record[missing])}`,
      );
    }
    const step = indexOf(record['step']) ?? this.layout.step;
    if (step === undefined) {
      return refuse(
        'missing_step',
        isUnread(record['step'], undefined)
          ? `no step: a whole number is needed in "step"${insteadOfIndex(record['step'])}; and the file name is not {step}.jsonl`
          : `no step: the record has ${describe(record['step'])} in "step" and the file name is not {step}.jsonl`,
      );
    }
    const { problem, prompt } = this.problemOf(input, textOf(record['gts']));
    const segmented = segmentResponse(output, prompt);
    const answer = extractAnswer(output, segmented.segments);
    const session = uid === undefined ? null : UID.exec(uid);
    const kind = this.layout.kind ?? kindOf(record);
    const reward = kind === 'eval' ? validationReward(record) : trainingReward(record);
    return {
      kind: 'rollout',
      warnings: reward === undefined ? unreadScore(record) : [],
      rollout: {
        kind,
        step,
        groupKey: session?.[1],
        groupRule: session === null ? 'prompt' : 'logged',
        ordinal: session === null ? undefined : indexOf(Number(session[2])),
        partOf:
          session === null ? undefined : { key: `${session[1]}_${session[2]}`, number: Number(session[3]) },
        problem,
        response: output,
        segments: segmented.segments,
        toolCalls: segmented.toolCalls,
        turns: output === '' ? [] : summariseTurns(segmented.turns, segmented.segments, segmented.toolCalls),
        reward,
        isCorrect: loggedCorrectness(record['acc']),
        answer,
        answerSource: answer === undefined ? undefined : 'derived',
        // The trainer logs none. `length` cannot be derived without token counts.
        ...stopWithEnding(undefined, {
          ...{ response: output, segments: segmented.segments, toolCalls: segmented.toolCalls, answer },
          isAnswerLogged: false,
        }),
        extra: extraOf(record, reward),
      },
    };
  }

  private problemOf(
    input: string,
    gts: string | undefined,
  ): { problem: ParsedProblem; prompt: ParsedPrompt } {
    const { last } = this;
    if (last !== undefined && last.input === input && last.gts === gts) return last;
    const prompt = readPrompt(input);
    const problem: ParsedProblem = {
      prompt: input,
      promptSegments: prompt.segments,
      groundTruth: gts,
    };
    this.last = { input, gts, problem, prompt };
    return this.last;
  }
}

function unreadScore(record: JsonObject): readonly LineIssue[] {
  const score = record['score'];
  if (!isUnread(score, rewardOf(score))) return [];
  const message = `"score" is ${describe(score)}, ${whyUnread(score)}`;
  return [{ severity: 'warning', code: 'unread_value', message }];
}

function refuse(code: string, message: string): ParsedLine {
  return { kind: 'issue', issue: { severity: 'refused', code, message } };
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** DAPO's reward manager logs `acc`, the correctness that its shaped score hides. */
function loggedCorrectness(acc: unknown): boolean | undefined {
  if (acc === 0 || acc === 1) return acc === 1;
  return booleanOf(acc);
}

/**
 * Every version writes `reward` as the first key after its own in validation. A training row has this key only
 * if the reward function returns it, and `request_id` only exists in training.
 */
function kindOf(record: JsonObject): RunKind {
  const first = Object.keys(record).find((name) => !COLUMNS.has(name));
  return first === 'reward' && !('request_id' in record) ? 'eval' : 'train';
}

/** The sum of the reward tensor. `score` is what the scorer returned under that name, if it did. */
function validationReward(record: JsonObject): number | undefined {
  return rewardOf(record['reward']) ?? rewardOf(record['score']);
}

/**
 * `score` is the sum of the reward tensor, unless the scorer returns a key `score`, which replaces it. DAPO's
 * reward manager adds its overlong penalty to the tensor only.
 */
function trainingReward(record: JsonObject): number | undefined {
  const score = rewardOf(record['score']) ?? rewardOf(record['reward']);
  const penalty = numberOf(record['overlong_reward']);
  if (score === undefined || penalty === undefined || isPenalised(record, score, penalty)) return score;
  return score + penalty;
}

const NOT_SCORED: ReadonlySet<string> = new Set([
  ...COLUMNS,
  ...['overlong_reward', 'overlong', 'request_id', 'uid'],
]);

/** Whether the scorer returned a number, so that `score` includes the penalty. Since v0.7 `acc` is that number. */
function isPenalised(record: JsonObject, score: number, penalty: number): boolean {
  const scored = Object.keys(record).filter((name) => !NOT_SCORED.has(name));
  if (scored.length === 0) return true;
  const acc = numberOf(record['acc']);
  // The tensor holds 32-bit floats.
  return scored.length === 1 && acc !== undefined && Math.fround(acc + penalty) === Math.fround(score);
}

/** A score or reward other than the trained one is kept. */
function extraOf(record: JsonObject, reward: number | undefined): JsonObject {
  const { score, reward: logged } = record;
  const { reward: _reward, ...extra } = without(record, COLUMNS);
  const isOther = (value: unknown): boolean => rewardOf(value) !== undefined && rewardOf(value) !== reward;
  return {
    ...extra,
    ...(isOther(score) ? { score } : {}),
    ...(isOther(logged) || isUnread(logged, rewardOf(logged)) ? { reward: logged } : {}),
  };
}
