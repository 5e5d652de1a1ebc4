/**
 * AReaL rollout dump (`dump_to_file`): `rollout/{version}/{task_id}.jsonl`, `eval-rollout/…`.
 *
 *   {"task_id":8,"sample_idx":0,"seqlen":900,"prompt_len":120,"head_version":4,"tail_version":5,"reward":1.0,
 *    "prompt":"<|im_start|>user\n6·7?<|im_end|>\n<|im_start|>assistant\n","completion":"<think>…42<|im_end|>"}
 *
 * Written by `areal/core/workflow_executor.py` (inclusionAI/AReaL; shared/format/FORMATS.md#areal). Special
 * tokens are kept. `head_version` and `tail_version` are the policies of the first and last token. The latter
 * is the step, as in the directory's name. `task_id` is the group.
 */
import { bodyOfText } from './body.ts';
import { idOf, indexOf, isUnread, type JsonObject, rewardOf, stringOf, textOf, without } from './fields.ts';
import type { FileContext, FileHead, LineIssue, LogFormat, ParsedLine, RecordReader } from './format.ts';
import { found, readStep, refused, warned } from './records.ts';

const COLUMNS: ReadonlySet<string> = new Set(['task_id', 'sample_idx', 'reward', 'prompt', 'completion']);

export const areal: LogFormat = {
  name: 'areal',
  title: 'AReaL rollout dump',
  source: 'inclusionAI/AReaL, areal/core/workflow_executor.py',
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
  const body = bodyOfText(prompt, completion, { groundTruth: textOf(record['answer']) });
  const task = idOf(record['task_id']);
  const reward = rewardOf(record['reward']);
  const warnings: LineIssue[] = [];
  if (isUnread(record['reward'], reward)) {
    const message = `"reward" is ${found(record['reward'])}, not a number; the reward is unknown`;
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
