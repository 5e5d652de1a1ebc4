/** Logs without text: whatever is counted in a text or derived from it is unknown, in every format. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReader } from '../../electron/storage/open.ts';
import { FORMATS } from '../../shared/format/index.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const ASKED = [{ role: 'user', content: 'q' }];
const SILENT = [...ASKED, { role: 'assistant', content: '' }];

/** One record of each format, in the shape of its producer, with everything but the policy's words. */
const RECORDS: Readonly<Record<string, readonly object[]>> = {
  agentgym: [
    { item_id: 'i_0', session_id: 0, reward: 1, success: true, num_turns: 0, conversations: ASKED },
    { item_id: 'i_1', success: 1, reward: 1, turn_lengths_assistant: [], entropy_A_assistant: [] },
  ],
  atif: [
    {
      schema_version: 'ATIF-v1.7',
      session_id: 's',
      agent: {},
      steps: [{ step_id: 1, source: 'user', message: 'q' }],
    },
  ],
  areal: [
    {
      ...{ task_id: 8, sample_idx: 0, seqlen: 6, prompt_len: 6, head_version: 4, tail_version: 5, reward: 1 },
      ...{ prompt: 'q', completion: '' },
    },
  ],
  inspect: [
    {
      ...{ id: 7, epoch: 1, input: ASKED, target: 'yes', messages: ASKED, output: { choices: [] } },
      ...{ scores: { match: { value: 'I' } } },
    },
  ],
  langfuse: [{ id: 'o', traceId: 't', type: 'GENERATION', startTime: null, input: ASKED }],
  langsmith: [{ id: 'r', trace_id: 'r', run_type: 'llm', inputs: { messages: ASKED }, outputs: null }],
  messages: [
    { messages: SILENT, reward: 0 },
    { prompt: 'q', response: '' },
  ],
  'nemo-gym': [
    {
      responses_create_params: { input: ASKED },
      response: { id: 'resp_1', created_at: 0, output: [] },
      reward: 0,
    },
  ],
  'nemo-rl': [
    {
      ...{ content: ['q', ''], rewards: 1, input_lengths: 2, token_ids: [1, 2], token_loss_mask: [0, 0] },
      ...{
        sample_loss_mask: 1,
        advantages: [0, 0],
        generation_logprobs: [0, 0],
        prev_logprobs: [0, 0],
        idx: 0,
      },
    },
  ],
  'openai-logprobs': [
    {
      request: { messages: ASKED },
      response: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            finish_reason: null,
            message: { role: 'assistant', content: '' },
            logprobs: { content: [] },
          },
        ],
      },
    },
  ],
  'openai-agents': [
    {
      object: 'trace.span',
      id: 's',
      trace_id: 't',
      span_data: { type: 'response', response_id: 'r', usage: null },
    },
  ],
  'openai-stream': [
    {
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }],
    },
  ],
  openinference: [
    {
      ...{ name: 'chat', context: { trace_id: 't', span_id: 's' }, span_kind: 'LLM', status_code: 'OK' },
      attributes: {
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'q',
      },
    },
  ],
  'prime-rl': [
    {
      ...{
        id: 'ep-1',
        env: { id: 'sums' },
        task: { data: { question: 'q' }, hash: 'h' },
        group: { id: 'g' },
      },
      ...{ run: { type: 'train', id: 'r', work: { type: 'train', step: 3 } }, ok: true, errors: [] },
      traces: [{ version: 1, id: 't', nodes: [{ parent: null, message: ASKED[0], sampled: false }] }],
    },
  ],
  rllm: [
    {
      ...{ training_step: 1, episode_id: 't:0', task: { question: 'q' }, task_hash: 'h', is_correct: false },
      trajectories: [{ name: 'agent', reward: 0, steps: [{ observation: 'q', model_response: '' }] }],
    },
  ],
  skyrl: [
    { input_prompt: 'q', output_response: '', score: 0, env_class: 'aime', env_extras: {}, data_source: 'd' },
  ],
  slime: [
    {
      ...{ dump: 'rollout', rollout_id: 3, group_index: 0, index: 0, prompt: 'q', tokens: [1], response: '' },
      ...{ response_length: 0, reward: 0, loss_mask: [] },
    },
  ],
  'swe-agent': [{ trajectory: [], history: ASKED, info: { model_stats: {} }, instance_id: 'i' }],
  'tau-bench': [{ task_id: 0, reward: 0, info: {}, traj: [{ role: 'system', content: 'policy' }], trial: 0 }],
  'tau2-bench': [
    { tasks: [{ id: 't' }], simulations: [{ id: 's', task_id: 't', trial: 0, messages: [] }], info: {} },
  ],
  tinker: [
    {
      ...{ schema_version: 1, split: 'train', iteration: 1, group_idx: 0, traj_idx: 0, total_reward: 1 },
      steps: [],
    },
  ],
  tir: [{ idx: 0, question: 'q', gt: '1', code: [''], pred: [null], report: [null], score: [false] }],
  turnwise: [
    {
      ...{ v: 1, type: 'rollout', run: 'r', split: 'train', step: 0, group: 'g', index: 0, reward: 0 },
      ...{ problem: { id: 'p', prompt: 'q' }, text: '' },
    },
  ],
  verifiers: [{ example_id: 3, task: 'sum', prompt: ASKED, completion: '', answer: '4', reward: 0 }],
  verl: [{ input: 'q', output: '', gts: '1', score: 0, step: 1 }],
  'verl-trace': [
    {
      ...{
        id: 'call-0',
        trace_id: 't',
        parent_id: null,
        op_name: 'weave:///team/r/op/RStar2AgentLoop.run:f0',
      },
      attributes: { step: 2, sample_index: 17, rollout_n: 0, validate: false, experiment_name: 'traced' },
      output: { prompt_ids: [1], response_ids: [2], response_mask: [1], num_turns: 2 },
    },
  ],
};

/** Formats without rollouts, of Turnwise's own packs, and `trl`, whose rows without a completion are refused. */
const WITHOUT = ['turnwise-pack', 'turnwise-parquet', 'trl', 'verl-metrics', 'verl-console'];

const DERIVED = [
  ...['response_chars', 'turns', 'tool_calls', 'tool_errors', 'malformed_calls', 'stop_reason', 'answer'],
  ...['p_err_text', 'p_format_text', 'p_text_source', 'p_err_typed', 'p_format_typed', 'flags'],
  ...['stop_reason_source', 'answer_source', 'started_at'],
];

let place: Scratch;
const unknowns = new Map<string, readonly Record<string, unknown>[]>();

beforeAll(async () => {
  place = scratch();
  const files = Object.entries(RECORDS).map(([format, records]) =>
    place.file(`${format}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  );
  await ingestHere(place.library, files);
  const db = openReader(place.library);
  const columns = DERIVED.map((column) => `r.${column}`).join(', ');
  for (const format of Object.keys(RECORDS)) {
    const rows = db
      .prepare(`SELECT n.format, ${columns} FROM rollout r JOIN run n USING (run_id) WHERE r.path LIKE ?`)
      .all(`%/${format}.jsonl`);
    unknowns.set(format, rows as Record<string, unknown>[]);
  }
  db.close();
});
afterAll(() => place.remove());

it('every format is here', () => {
  expect([...Object.keys(RECORDS), ...WITHOUT].sort()).toEqual(FORMATS.map(({ name }) => name).sort());
});

describe('a record without text', () => {
  it.each(Object.keys(RECORDS))('of %s', (format) => {
    const rows = unknowns.get(format) ?? [];
    expect(rows).toHaveLength(RECORDS[format]?.length ?? 0);
    for (const { format: read, ...derived } of rows) {
      expect(read).toBe(format);
      const known = Object.entries(derived).filter(([, value]) => value !== null);
      expect(Object.fromEntries(known)).toEqual({});
    }
  });
});
