/**
 * verl rollout and validation dumps: `{step}.jsonl`, one line per rollout.
 *
 * Written by `_dump_generations` in `verl/trainer/ppo/ray_trainer.py` (volcengine/verl b178a3cd;
 * shared/format/FORMATS.md#verl). A line:
 *
 *   {"input": "system\n…assistant\n<reason>", "output": "…", "gts": "42", "score": 1.0, "step": 17}
 *
 * - Older dumps lack `gts`. Validation always adds `reward`, which distinguishes a validation dump from a
 *   training dump.
 * - Special tokens are stripped (`shared/domain/transcript.ts` recovers the turns).
 * - There is no group id before PR 6101: equal `input` and `gts` within a step form the group. Newer dumps
 *   have `uid` = `{uid}_{session_id}_{index}`.
 * - Under rStar2-Agent only kept rows are dumped. The file does not state that, so `kept` stays unknown.
 * - Every other key is a `reward_extra_info` list and stays in `extra`.
 */
import { extractAnswer } from '../domain/answer.ts';
import { type ParsedPrompt, readPrompt } from '../domain/prompt.ts';
import { segmentResponse } from '../domain/segment.ts';
import { summariseTurns } from '../domain/turns.ts';
import {
  booleanOf,
  indexOf,
  insteadOfIndex,
  isUnread,
  type JsonObject,
  rewardOf,
  stringOf,
  textOf,
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
import { stopWithEnding } from './stop.ts';

const COLUMNS: ReadonlySet<string> = new Set(['input', 'output', 'gts', 'score', 'step', 'reward']);

export const verl: LogFormat = {
  name: 'verl',
  title: 'verl rollout or validation dump ({step}.jsonl)',
  source: 'volcengine/verl, verl/trainer/ppo/ray_trainer.py at b178a3cd',
  rule: 'a record with strings in "input" and "output", and "score" or "reward"',
  reads:
    'prompt, response, ground truth, score, step, acc, uid (the group), every other key as an extra field',
  ignores: 'nothing; log-probabilities, kept flags and group ids (before PR 6101) are not in it',
  detect: (head: FileHead) => head.records.some(isVerlRecord),
  open: (file: FileContext) => new VerlReader(file.layout.step),
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
  private readonly stepOfName: number | undefined;
  /** Rollouts of a group are adjacent, so the last prompt is usually the next one's, too. */
  private last:
    | { input: string; gts: string | undefined; problem: ParsedProblem; prompt: ParsedPrompt }
    | undefined;

  constructor(stepOfName: number | undefined) {
    this.stepOfName = stepOfName;
  }

  read(record: JsonObject): ParsedLine {
    const input = stringOf(record['input']);
    const output = stringOf(record['output']);
    if (input === undefined || output === undefined) {
      const missing = input === undefined ? 'input' : 'output';
      return refuse(
        'missing_field',
        `a verl record needs a string in "${missing}"; found ${describe(record[missing])}`,
      );
    }
    const step = indexOf(record['step']) ?? this.stepOfName;
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
    const group = groupOfUid(stringOf(record['uid']));
    return {
      kind: 'rollout',
      warnings: unreadScore(record),
      rollout: {
        kind: 'reward' in record ? 'eval' : 'train',
        step,
        groupKey: group?.groupKey,
        groupRule: group === undefined ? 'prompt' : 'logged',
        problem,
        response: output,
        segments: segmented.segments,
        toolCalls: segmented.toolCalls,
        turns: output === '' ? [] : summariseTurns(segmented.turns, segmented.segments, segmented.toolCalls),
        reward: rewardOf(record['score']) ?? rewardOf(record['reward']),
        isCorrect: loggedCorrectness(record['acc']),
        answer,
        answerSource: answer === undefined ? undefined : 'derived',
        // The trainer logs none. `length` cannot be derived without token counts.
        ...stopWithEnding(undefined, {
          ...{ response: output, segments: segmented.segments, toolCalls: segmented.toolCalls, answer },
          isAnswerLogged: false,
        }),
        extra: extraOf(record),
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
  const message = `"score" is ${describe(score)}, not a number; the reward is unknown`;
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

/** `{uid}_{session_id}_{index}` (PR 6101): the part before the two counters is the group. */
function groupOfUid(uid: string | undefined): { readonly groupKey: string } | undefined {
  const match = uid === undefined ? null : /^(.+)_\d+_\d+$/.exec(uid);
  return match?.[1] === undefined ? undefined : { groupKey: match[1] };
}

function extraOf(record: JsonObject): JsonObject {
  const extra = without(record, COLUMNS);
  // Validation repeats the score as `reward`; a different number is kept.
  if ('reward' in record && record['reward'] !== record['score'])
    return { ...extra, reward: record['reward'] };
  return extra;
}
