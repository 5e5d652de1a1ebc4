/** Small logs of pools, with one letter per rollout. */
import type { Scratch } from '../support/library.ts';

/**
 * `+` correct and clean, `e` correct with a failed call, `2` correct after one failed and one clean call, `s`
 * correct without a tool in a single turn, `t` correct with a timeout, `m` correct with a printed "mean
 * squared error", `-` incorrect and clean, `x` incorrect with a failed call, `?` of unknown reward.
 */
type Pool = string;

const CALL =
  '<tool_call>\n{"name": "python_code_with_standard_io", "arguments": {"code": "1", "input": ""}}\n</tool_call><|im_end|>\n';
const turnOf = (response: string): string =>
  `${CALL}<|im_start|>user\n<tool_response>\n${response}\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>`;
const CLEAN = turnOf('Tool call success\nstdout: 42\n\nexecution time: 0.02s');
const FAILED = turnOf(
  'Tool call failure\nreason: \nstderr: NameError at line 1: x is not defined\n\nexecution time: 0.02s',
);
const TIMEOUT = turnOf('Tool call failure\nreason: worker_timeout\nexecution time: 10.00s');
const PRINTED = turnOf('Tool call success\nstdout: mean squared error 0.0\n\nexecution time: 0.02s');
const ANSWER = 'So.</reason>\n<answer>\\boxed{42}</answer><|im_end|>';

const TEXTS: Readonly<Record<string, string>> = {
  '+': CLEAN + ANSWER,
  e: FAILED + ANSWER,
  '2': FAILED + CLEAN + ANSWER,
  s: ANSWER,
  t: TIMEOUT + ANSWER,
  m: PRINTED + ANSWER,
  '-': CLEAN + ANSWER,
  x: FAILED + ANSWER,
  '?': CLEAN + ANSWER,
};

export interface LoggedDecision {
  readonly kept: boolean;
  readonly reason?: string;
  readonly p_err?: number;
  readonly p_format?: number;
}

export interface PoolStep {
  readonly step: number;
  /** Per group. */
  readonly pools: readonly Pool[];
  /** Per group and rollout; absent: not logged. */
  readonly decisions?: readonly (readonly LoggedDecision[] | undefined)[];
}

export function poolLog(steps: readonly PoolStep[], settings?: Readonly<Record<string, unknown>>): string {
  const lines: object[] = [
    { type: 'run', name: 'pools', ...(settings === undefined ? {} : { down_sampling: settings }) },
  ];
  for (const { step, pools, decisions } of steps) {
    pools.forEach((pool, g) => {
      const group = `p${g}`;
      [...pool].forEach((kind, index) => {
        const reward = kind === '?' ? {} : { reward: '-x'.includes(kind) ? 0 : 1 };
        // Every text is unique, because equal rollouts could be confused.
        const text = `Try ${step}.${g}.${index}. ${TEXTS[kind]}`;
        const problem = { id: group, prompt: `Question ${g}?`, ground_truth: '42' };
        const chat = { chat_template: 'chatml-hermes', stop_reason: 'answer' };
        lines.push({
          type: 'rollout',
          step,
          split: 'train',
          group,
          index,
          problem,
          text,
          ...chat,
          ...reward,
        });
      });
      decisions?.[g]?.forEach((decision, index) => {
        lines.push({ type: 'decision', step, group, index, ...decision });
      });
    });
  }
  return lines.map((line) => `${JSON.stringify({ v: 1, run: 'pools', ...line })}\n`).join('');
}

export function writePoolLog(place: Scratch, ...args: Parameters<typeof poolLog>): string {
  return place.file('pools.jsonl', poolLog(...args));
}

/** As in the example script of the release, for groups of eight. */
export const EXAMPLE = {
  do_down_sampling: true,
  reject_equal_reward: true,
  roc_error_ratio: true,
  roc_answer_format: true,
  min_zero_reward_trace_num: 1,
  min_non_zero_reward_trace_num: 1,
  down_sample_to_n: 4,
  rule: 'release',
};
