/** Logs that need another input: a pool with the list of its kept rollouts, and token ids without text. */
import { idsOf } from './byteTokenizer.ts';

export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Traces of all rollouts of a step, and a dump of every other one without special tokens. */
export function poolAndKept(step: number): { readonly pool: string; readonly kept: string } {
  const prompt = `<|im_start|>system\nThink.<|im_end|>\n<|im_start|>user\nHow many shells in ${step} nets?<|im_end|>\n<|im_start|>assistant\n<reason>`;
  const responseOf = (n: number) => `Say ${n}.</reason><answer>\\boxed{${n}}</answer><|im_end|>`;
  const stripped = (text: string) => text.replaceAll(/<\|im_(?:start|end)\|>/g, '');
  const numbers = Array.from({ length: 8 }, (_, i) => i);
  const pool = numbers.map((n) =>
    jsonLine({
      id: `call-${step}-${n}`,
      op_name: 'weave:///team/run/op/RStar2AgentLoop.run:1',
      attributes: { step, sample_index: 0, rollout_n: n, validate: false },
      inputs: {},
      output: { prompt_text: prompt, response_text: responseOf(n), num_turns: 2 },
      started_at: '2026-01-01T00:00:00Z',
    }),
  );
  // The last of the list is not in the pool.
  const kept = [...numbers.filter((n) => n % 2 === 0), 77].map((n) =>
    jsonLine({
      input: stripped(prompt),
      output: stripped(responseOf(n)),
      gts: '2',
      score: Number(n === 2),
      step,
    }),
  );
  return { pool: pool.join(''), kept: kept.join('') };
}

/** Ids without text, of the response or of another text. */
export function sampledIds(index: number, sampled: string, said = sampled): string {
  const ids = [...idsOf(sampled), 256];
  const message = {
    ...{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] },
    ...{ prompt_token_ids: [1], generation_token_ids: ids, generation_log_probs: ids.map(() => -0.5) },
  };
  return jsonLine({
    responses_create_params: { input: [{ role: 'user', content: 'Which way?' }] },
    response: { output: [message] },
    ...{ reward: 1, _ng_task_index: 0, _ng_rollout_index: index },
  });
}
