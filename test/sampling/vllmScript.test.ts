/** The script that answers a batch with vLLM's offline engine, with a module that stands for vLLM. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../support/commandLine.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import { python } from '../support/recorded.ts';

/** Answers with what it was asked, so that a test sees it. Refuses names that vLLM does not document. */
const VLLM = `
from types import SimpleNamespace

class SamplingParams:
    def __init__(self, *, n, temperature, top_p, max_tokens, seed, stop, logprobs):
        assert n == 1
        self.seed = seed
        self.logprobs = logprobs

def output(text, params):
    listed = {7: SimpleNamespace(decoded_token=text, logprob=-0.5)} if params.logprobs else None
    choice = SimpleNamespace(text=text, token_ids=[7], finish_reason="stop", logprobs=listed and [listed])
    return SimpleNamespace(outputs=[choice])

class LLM:
    def __init__(self, model):
        assert model == "weights"

    def generate(self, prompts, sampling_params):
        assert len(prompts) == len(sampling_params)
        return [output(f"<answer>{40 + one.seed}</answer>", one) for one in sampling_params]

    def chat(self, messages, sampling_params, *, add_generation_prompt, continue_final_message):
        assert add_generation_prompt != continue_final_message
        return [
            output(f"{one[-1]['content']} {continue_final_message} {params.seed}", params)
            for one, params in zip(messages, sampling_params)
        ]
`;

let place: Scratch;
beforeAll(async () => {
  place = scratch();
  const prompt = '<|im_start|>user\n6*7?<|im_end|>\n<|im_start|>assistant\n';
  const rollout = {
    ...{ v: 1, type: 'rollout', run: 'r', step: 5, group: 'g', index: 0, text: 'Let me think.' },
    problem: { id: 'p', prompt, ground_truth: '42' },
  };
  await ingestHere(place.library, [place.file('run.jsonl', `${JSON.stringify(rollout)}\n`)]);
  place.file('vllm.py', VLLM);
});
afterAll(() => place.remove());

const sample = (...args: readonly string[]) =>
  runHere(place.directory, ['sample', ...args, '--library', place.library]);
const answer = (requests: string, answers: string): void => {
  execFileSync(python, ['script.py', 'weights', requests, answers], {
    cwd: place.directory,
    env: { ...process.env, PYTHONPATH: place.directory },
    stdio: 'pipe',
  });
};

test.skipIf(python === '')('answers a batch with a seed each, which is read and graded', async () => {
  const written = await sample(
    ...['batch', '1', '--turn', '1', '-n', '3', '--out', 'requests.jsonl', '--script', 'script.py'],
  );
  expect(written).toMatchObject({ code: 0, err: '' });
  answer('requests.jsonl', 'answers.jsonl');
  const { code, out } = await sample('read', 'answers.jsonl', '--json');
  expect(code).toBe(0);
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  // Seeds are 1, 2 and 3.
  expect(rows.map((row) => [row['ordinal'], row['answer'], row['is_correct']])).toEqual([
    [0, '41', false],
    [1, '42', true],
    [2, '43', false],
  ]);
  // The answers are not overwritten.
  expect(() => answer('requests.jsonl', 'answers.jsonl')).toThrow(/File exists|FileExistsError/);
});

test.skipIf(python === '')(
  'continues the last message where a request asks for it, in the order of the requests',
  () => {
    const body = { temperature: 1, top_p: 1, max_tokens: 5, logprobs: true, top_logprobs: 2 };
    const lines = [
      { ...body, seed: 1, messages: [{ role: 'user', content: 'a' }] },
      {
        ...{ ...body, seed: 2, messages: [{ role: 'assistant', content: 'b' }] },
        ...{ continue_final_message: true, add_generation_prompt: false },
      },
      { ...body, seed: 3, messages: [{ role: 'user', content: 'c' }] },
    ].map((one, index) => JSON.stringify({ custom_id: `id:${index}`, body: one }));
    writeFileSync(join(place.directory, 'chats.jsonl'), lines.join('\n'));
    answer('chats.jsonl', 'chat-answers.jsonl');
    const answers = readFileSync(join(place.directory, 'chat-answers.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { custom_id: string; response: { body: { choices: unknown[] } } });
    expect(answers.map(({ custom_id }) => custom_id)).toEqual(['id:0', 'id:1', 'id:2']);
    expect(answers.map(({ response }) => response.body.choices[0])).toMatchObject([
      { text: 'a False 1', logprobs: { tokens: ['a False 1'], token_logprobs: [-0.5] } },
      { text: 'b True 2' },
      { text: 'c False 3' },
    ]);
  },
);
