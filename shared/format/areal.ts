/**
 * AReaL rollout dump (`dump_to_file`): `rollout/{version}/{task_id}.jsonl`, `eval-rollout/…`.
 *
 *   {"task_id":8,"sample_idx":0,"seqlen":900,"prompt_len":120,"head_version":4,"tail_version":5,"reward":1.0,
 *    "prompt":"<|im_start|>user\n6·7?<|im_end|>\n<|im_start|>assistant\n","completion":"<think>…42<|im_end|>"}
 *
 * Written by `areal/infra/workflow_executor.py` (inclusionAI/AReaL; shared/format/FORMATS.md#areal). Special
 * tokens are kept. `head_version` and `tail_version` are the oldest and newest policy of its tokens. The
 * latter is the step, as in the directory's name. `task_id` is the group.
 *
 * AReaL cuts the prompt off at the number of tokens that were not sampled, wherever they are. With tool
 * output, the beginning of the dialogue lands in `prompt`.
 */
import { bodyOfText } from './body.ts';
import {
  idOf,
  indexOf,
  isUnread,
  type JsonObject,
  rewardOf,
  stringOf,
  textOf,
  whyUnread,
  without,
} from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine, RecordReader } from './format.ts';
import { found, readStep, refused, warned } from './records.ts';

const COLUMNS: ReadonlySet<string> = new Set(['task_id', 'sample_idx', 'reward', 'prompt', 'completion']);

export const areal: LogFormat = {
  name: 'areal',
  title: 'AReaL rollout dump',
  source: 'inclusionAI/AReaL, areal/infra/workflow_executor.py at 4aef98d (1.0.4+, May 2026)',
  rule: '"task_id", "prompt", "completion" and one of "head_version", "tail_version" and "seqlen"',
  reads: 'prompt, completion, reward, task (the group), sample index, policy versions, lengths',
  ignores: 'nothing',
  detect: (head: FileHead) =>
    head.records.some(
      (record) =>
        'task_id' in record &&
        typeof record['prompt'] === 'string' &&
        typeof record['completion'] === 'string' &&
        ('head_version' in record || 'tail_version' in record || 'seqlen' in record),
    ),
  open: (file: FileContext): RecordReader => ({ read: (record) => read(record, file) }),
};

function read(record: JsonObject, file: FileContext): ParsedLine {
  const prompt = stringOf(record['prompt']);
  const completion = stringOf(record['completion']);
  if (prompt === undefined || completion === undefined) {
    const message = `a record needs strings in "prompt" and "completion"; found ${found(record['prompt'])} and ${found(record['completion'])}`;
    return refused('missing_field', message);
  }
  const warnings: LineIssue[] = [];
  const dialogue = cutAtFirstAnswer(prompt, completion);
  if (dialogue.prompt !== prompt) warnings.push(MOVED_CUT);
  const body = bodyOfText(dialogue.prompt, dialogue.response, { groundTruth: textOf(record['answer']) });
  const task = idOf(record['task_id']);
  const reward = rewardOf(record['reward']);
  if (isUnread(record['reward'], reward)) {
    const message = `"reward" is ${found(record['reward'])}, ${whyUnread(record['reward'])}`;
    warnings.push(warned('unread_value', message));
  }
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...body,
      kind: file.layout.kind ?? 'train',
      step: readStep(record['tail_version'], 'tail_version', file, warnings),
      groupKey: task,
      groupRule: task === undefined ? 'prompt' : 'logged',
      ordinal: indexOf(record['sample_idx']),
      reward,
      extra: without(record, COLUMNS),
    },
  };
}

const ANSWER = '<|im_start|>assistant\n';
/** A generation prompt, with the reasoning that some templates open or close for the policy. */
const ENDS_IN_ANSWER = /<\|im_start\|>assistant\n(?:<(think|reason)>\s*(?:<\/\1>\s*)?)?$/;
/** Longer than any generation prompt, so that a long prompt is not searched. */
const ENDING = 80;

const MOVED_CUT: LineIssue = warned(
  'moved_cut',
  'the logged prompt ends inside the dialogue; prompt and completion were joined and cut before the first answer',
);

/**
 * The dialogue, cut by the chat template: the prompt ends before the first assistant turn. The logged cut is
 * kept where the prompt ends in a generation prompt (few-shot answers are part of it then), and where no
 * template is found.
 */
function cutAtFirstAnswer(prompt: string, completion: string): { prompt: string; response: string } {
  if (!ENDS_IN_ANSWER.test(prompt.slice(-ENDING))) {
    const whole = prompt + completion;
    const at = whole.indexOf(ANSWER);
    const start = at + ANSWER.length;
    if (at >= 0) return { prompt: whole.slice(0, start), response: whole.slice(start) };
  }
  return { prompt, response: completion };
}
