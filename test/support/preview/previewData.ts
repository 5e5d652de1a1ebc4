/** Generated runs in the contract's types: 40 steps, 24 groups of 32, tokens with entropy. Seeded. */
import type {
  GroupRow,
  RolloutDetail,
  RolloutRow,
  RolloutTokens,
  RunDetail,
  StepSummary,
} from '../../../shared/api/contract.ts';
import type { Segment, SegmentKind, ToolCall, ToolOutcome, Turn } from '../../../shared/domain/model.ts';

function random(seed: number): () => number {
  let state = (seed % 2147483646) + 1;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}

export const STEPS = Array.from({ length: 40 }, (_, i) => i * 5);
export const GROUPS = 24;
export const SIBLINGS = 32;

export function stepRow(step: number): StepSummary {
  const r = random(step + 7);
  const t = step / 195;
  const wrong = Math.round(8 * (1 - t));
  const right = Math.round(9 * t);
  return {
    step,
    groups: GROUPS,
    rollouts: GROUPS * SIBLINGS,
    correct: Math.round(GROUPS * SIBLINGS * (0.25 + 0.55 * t + 0.05 * r())),
    correctKnown: GROUPS * SIBLINGS,
    meanReward: 0.25 + 0.55 * t + 0.05 * r(),
    withText: GROUPS * SIBLINGS,
    withoutToolCalls: Math.round(GROUPS * SIBLINGS * (0.05 + 0.4 * t * t + 0.02 * r())),
    toolCalls: Math.round(GROUPS * SIBLINGS * 3.1),
    toolErrors: Math.round(GROUPS * SIBLINGS * 3.1 * (0.3 - 0.22 * t + 0.02 * r())),
    meanTurns: 3 + 2 * t + r() * 0.3,
    meanResponseChars: 9000 + 14000 * t + 900 * r(),
    meanPolicyTokens: 2400 + 3800 * t + 200 * r(),
    meanEntropy: 0.62 * Math.exp(-1.3 * t) + 0.18 + 0.02 * r(),
    stopsLogged: GROUPS * SIBLINGS,
    truncated: Math.round(GROUPS * SIBLINGS * (0.05 + 0.1 * t)),
    decided: GROUPS * SIBLINGS,
    kept: (GROUPS * SIBLINGS) / 2,
    groupsAllWrong: wrong,
    groupsMixed: GROUPS - wrong - right,
    groupsAllRight: right,
  };
}

const PROMPTS = [
  'Let $N = 2^3 \\cdot 3^2 \\cdot 253$. How many ordered pairs of positive integers $(a, b)$ satisfy $ab = N$ and $\\gcd(a, b) = 1$?',
  'Janet’s ducks lay 16 eggs per day. She eats three for breakfast every morning and bakes muffins for her friends every day with four. She sells the remainder for $2 per fresh duck egg, and on Sundays for $3. How much does she make in a week?',
  'Find the number of subsets of $\\{1, 2, \\dots, 2024\\}$ whose elements sum to a multiple of 5. Give the answer modulo 1000.',
  'Eight circles of radius 34 are sequentially tangent, and two of the circles are tangent to $AB$ and $BC$ of triangle $ABC$, respectively. Find the inradius.',
];

export const groupId = (step: number, group: number) => step * 1000 + group + 1;

export function groupRow(id: number): GroupRow {
  const step = Math.floor((id - 1) / 1000);
  const group = (id - 1) % 1000;
  const rows = Array.from({ length: SIBLINGS }, (_, i) => rolloutRow(id * 100 + i));
  const correct = rows.filter((row) => row.isCorrect).length;
  return {
    groupId: id,
    groupKey: `p-${String(group * 37 + 17).padStart(4, '0')}`,
    groupRule: 'logged',
    problemId: `p-${String(group * 37 + 17).padStart(4, '0')}`,
    step,
    rollouts: SIBLINGS,
    correct,
    correctKnown: SIBLINGS,
    meanReward: correct / SIBLINGS,
    decided: SIBLINGS,
    kept: 16,
    toolCalls: rows.reduce((sum, row) => sum + (row.toolCalls ?? 0), 0),
    toolErrors: rows.reduce((sum, row) => sum + (row.toolErrors ?? 0), 0),
    meanTurns: rows.reduce((sum, row) => sum + (row.turns ?? 0), 0) / SIBLINGS,
    meanResponseChars: rows.reduce((sum, row) => sum + (row.responseChars ?? 0), 0) / SIBLINGS,
    groundTruth: '104',
    promptPreview: (PROMPTS[group % PROMPTS.length] ?? '').slice(0, 200),
  };
}

export function rolloutRow(id: number): RolloutRow {
  const gid = Math.floor(id / 100);
  const ordinal = id % 100;
  const step = Math.floor((gid - 1) / 1000);
  const group = (gid - 1) % 1000;
  const r = random(id);
  r();
  const isCorrect = r() < 0.72;
  const toolCalls = 1 + Math.floor(r() * 5);
  const toolErrors = Math.floor(r() * r() * 4);
  const pErr = Math.min(1, toolErrors / toolCalls);
  const pFormat = r() < 0.1 ? 1 : 0;
  const kept = ordinal % 2 === 0;
  return {
    rolloutId: id,
    groupId: gid,
    groupKey: `p-${String(group * 37 + 17).padStart(4, '0')}`,
    problemId: `p-${String(group * 37 + 17).padStart(4, '0')}`,
    step,
    ordinal,
    reward: isCorrect ? 1 : 0,
    isCorrect,
    answer: isCorrect ? '104' : r() < 0.3 ? undefined : String(90 + Math.floor(r() * 20)),
    groundTruth: '104',
    turns: toolCalls + 1,
    toolCalls,
    toolErrors,
    stopReason: r() < 0.08 ? 'length' : 'answer',
    stopReasonSource: 'derived',
    kept,
    reason: kept
      ? isCorrect
        ? 'kept_positive_topk'
        : 'kept_negative_quota'
      : isCorrect
        ? 'discarded_positive_tie'
        : 'discarded_negative_quota',
    pErr,
    pFormat,
    penalty: pErr + pFormat,
    advantage: kept ? (isCorrect ? 0.37 : -2.56) : undefined,
    policyTokens: 1800 + Math.floor(r() * 9000),
    responseChars: 5200 + Math.floor(r() * 30000),
    meanEntropy: 0.2 + r() * 0.3,
    path: '/logs/grpo-roc-14b/240.jsonl',
    line: ordinal + 400,
  };
}

export const RUN: RunDetail = {
  runId: 1,
  runKey: 'grpo-roc-14b',
  name: 'grpo-roc-14b',
  kind: 'train',
  hasSteps: true,
  keySource: 'logged',
  format: 'turnwise-1',
  directory: '/logs/grpo-roc-14b',
  model: 'Qwen3-14B-Base',
  dataset: 'dapo-17k',
  isSynthetic: true,
  steps: STEPS.length,
  firstStep: 0,
  lastStep: 195,
  groups: GROUPS * STEPS.length,
  rollouts: GROUPS * SIBLINGS * STEPS.length,
  correct: 21_400,
  correctKnown: 30_720,
  issues: 3,
  trends: {
    steps: STEPS,
    meanReward: STEPS.map((s) => stepRow(s).meanReward ?? null),
    toolErrorRate: STEPS.map((s) => stepRow(s).toolErrors / stepRow(s).toolCalls),
    noToolShare: STEPS.map((s) => stepRow(s).withoutToolCalls / stepRow(s).rollouts),
    meanResponseChars: STEPS.map((s) => stepRow(s).meanResponseChars ?? null),
  },
  stages: [
    { fromStep: 100, name: '12 K', changes: { max_response_tokens: 12288 } },
    { fromStep: 150, name: 'hard problems', changes: { data: 'hard' } },
  ],
  config: {},
  filesNotRead: 0,
};

// ── one rollout ─────────────────────────────────────────────────────────────────────────────────

const SENTENCES = [
  'The call failed because `N` is only defined inside the function from the first cell. ',
  'Wait, the interpreter keeps no state between calls, so I should define it again here. ',
  'But before I rerun this, let me check whether $2024 = 2^3 \\cdot 11 \\cdot 23$ is the right modulus. ',
  'So the count must be doubled unless $a = b$, which happens only if $N$ is a perfect square. ',
  'Hmm, the problem asks for *ordered* pairs, and I have been counting **unordered** ones. ',
  'By the Chinese remainder theorem, \\( x \\equiv 3 \\pmod{11} \\) has a unique lift. ',
  'She sells the remainder for $2 per egg, that is 9 eggs and $18 a day, and $126 a week. ',
  'Let me verify that first with a short script, and then compare it with the closed form. ',
];
const DISPLAY =
  '\n\nHence\n\n\\[\n\\sum_{d \\mid N} \\mu(d)^2 = 2^{\\omega(N)}, \\qquad \\omega(N) = \\#\\{p : p \\mid N\\}.\n\\]\n\n';
const LIST =
  '\n\n1. Factor $N$ and list its **prime powers**.\n2. Each prime power goes to $a$ or to $b$ as a whole.\n3. Count: $2^{\\omega(N)}$.\n\n| prime | power |\n|---|---|\n| 2 | 3 |\n| 3 | 2 |\n\nSee [the docs](https://example.org/divisors) and ![plot](https://example.org/x.png) <b>raw html</b>.\n\n';

interface Piece {
  readonly kind: SegmentKind;
  readonly turn: number;
  readonly inner: string;
  readonly before: string;
  readonly after: string;
}

function prose(r: () => number, sentences: number): string {
  let text = '';
  for (let i = 0; i < sentences; i += 1) {
    text += SENTENCES[Math.floor(r() * SENTENCES.length)] ?? '';
    if (i % 7 === 6) text += '\n\n';
  }
  return text.trim();
}

const CODE =
  'from sympy import divisors\n\nN = 2024 * 3**2  # the modulus of part (b)\npairs = [(a, N // a) for a in divisors(N) if a <= N // a]\nprint(len(pairs), pairs[:4])\n\nfor a, b in pairs:\n    if "error" in f"{a} {b}":\n        raise ValueError("unexpected")';

const OUTPUTS: Readonly<Record<string, string>> = {
  ok_stdout:
    'Tool call success\nstdout: 24 [(1, 18216), (2, 9108), (3, 6072), (4, 4554)]\n\nexecution time: 0.03s',
  exception:
    'Tool call failure\nstderr: \u001b[31mNameError\u001b[0m at line 2: name \u001b[1m\'N\'\u001b[0m is not defined\n\u001b[2mTraceback (most recent call last):\u001b[0m\n  File "<stdin>", line 2, in <module>\u202e evil\u202c\n\nexecution time: 0.02s',
  timeout:
    'Tool call failure\nreason: worker_timeout\nstdout: Suicide from timeout.\n\nexecution time: 4.00s',
};

export function rolloutDetail(id: number): { detail: RolloutDetail; tokens: RolloutTokens } {
  const row = rolloutRow(id);
  const { turns: turnCount = 0, toolErrors: errorCount = 0 } = row;
  const r = random(id * 3 + 1);
  const isLong = row.ordinal === 31;
  const pieces: Piece[] = [];
  const outcomes: { outcome: ToolOutcome; latencyMs: number }[] = [];
  for (let turn = 1; turn <= turnCount; turn += 1) {
    const body =
      prose(r, isLong ? 600 : 5 + Math.floor(r() * 9)) +
      (turn === 2 ? DISPLAY : '') +
      (turn === 3 ? LIST : '');
    pieces.push({
      kind: 'reasoning',
      turn,
      inner: body,
      before: turn === 1 ? '' : '<reason>',
      after: '</reason>\n',
    });
    if (turn < turnCount) {
      const isBroken = turn === 4;
      const outcome: ToolOutcome = isBroken
        ? 'parse_error'
        : turn <= errorCount
          ? 'exception'
          : r() < 0.1
            ? 'timeout'
            : 'ok_stdout';
      const call = isBroken
        ? '{"name": "python", "arguments": {"code": "print(1'
        : JSON.stringify({ name: 'python_code_with_standard_io', arguments: { code: CODE, input: '' } });
      pieces.push({ kind: 'tool-call', turn, inner: call, before: '<tool_call>\n', after: '\n</tool_call>' });
      let output = OUTPUTS[outcome] ?? 'Tool call failure\nreason: invalid_input';
      if (turn === 2 && outcome === 'ok_stdout')
        output = `Tool call success\nstdout:\n${Array.from({ length: 1234 }, (_, i) => `row ${i}  ${(i * 7919) % 1009}  ${'x'.repeat(i % 40)}`).join('\n')}`;
      pieces.push({
        kind: 'tool-response',
        turn,
        inner: output,
        before: 'user\n<tool_response>\n',
        after: '\n</tool_response>\nassistant\n',
      });
      if (turn === 3)
        pieces.push({
          kind: 'user',
          turn,
          inner: 'Your response is incorrect! You need to reflect on your answer and try again.',
          before: 'user\n',
          after: '\nassistant\n',
        });
      outcomes.push({ outcome, latencyMs: outcome === 'timeout' ? 4000 : 20 + r() * 300 });
    } else {
      pieces.push({
        kind: 'answer',
        turn,
        inner: `The count is therefore \\boxed{${row.answer ?? '—'}}`,
        before: '<answer>',
        after: '</answer>',
      });
    }
  }

  const system =
    'A conversation between User and Assistant. The assistant first thinks about the reasoning process and then gives the answer. The reasoning is enclosed in <reason> </reason>, the answer in <answer> </answer>.\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n<tools>\n{"type": "function", "function": {"name": "python_code_with_standard_io", "parameters": {"type": "object"}}}\n</tools>';
  const question = PROMPTS[row.ordinal % PROMPTS.length] ?? '';
  const prompt = `system\n${system}\nuser\n${question}\nassistant\n<reason>`;
  const segments: Segment[] = [
    {
      kind: 'system',
      turn: 0,
      outer: { start: 0, end: 7 + system.length + 1 },
      inner: { start: 7, end: 7 + system.length },
    },
    {
      kind: 'user',
      turn: 0,
      outer: { start: 8 + system.length, end: prompt.length },
      inner: { start: 13 + system.length, end: 13 + system.length + question.length },
    },
  ];
  let response = '';
  const toolCalls: ToolCall[] = [];
  for (const piece of pieces) {
    const start = response.length;
    response += piece.before + piece.inner + piece.after;
    const inner = {
      start: start + piece.before.length,
      end: start + piece.before.length + piece.inner.length,
    };
    if (piece.kind === 'tool-call') {
      const made = outcomes[toolCalls.length];
      const isBroken = made?.outcome === 'parse_error';
      toolCalls.push({
        turn: piece.turn,
        name: isBroken ? undefined : 'python_code_with_standard_io',
        arguments: isBroken ? undefined : JSON.stringify({ code: CODE, input: '' }),
        code: isBroken ? undefined : CODE,
        outcome: made?.outcome ?? 'missing',
        latencyMs: made?.latencyMs,
        callSegment: segments.length,
        responseSegment: segments.length + 1,
      });
    }
    segments.push({ kind: piece.kind, turn: piece.turn, outer: { start, end: response.length }, inner });
  }

  const ends: number[] = [];
  for (const match of response.matchAll(/\s?[A-Za-z]+|\s?\d+|\s|[^\sA-Za-z\d]/g))
    ends.push(match.index + match[0].length);
  const mask = new Uint8Array(ends.length).fill(1);
  const entropy = new Float32Array(ends.length);
  let s = 2;
  ends.forEach((end, i) => {
    while ((segments[s]?.outer.end ?? Number.POSITIVE_INFINITY) < end) s += 1;
    const kind = segments[s]?.kind;
    const isEnv = kind === 'tool-response' || kind === 'user';
    if (isEnv) mask[i] = 0;
    const word = response.slice(ends[i - 1] ?? 0, end).trim();
    const hot = /^(But|Wait|Hmm|So|Let|before|check|rerun|verify)$/.test(word) ? 1.6 : 0;
    entropy[i] = isEnv
      ? Number.NaN
      : hot + (kind === 'tool-call' ? 0.15 : 0.5) * r() * r() * 2 + (r() < 0.05 ? 1.2 * r() : 0);
  });

  const turns: Turn[] = Array.from({ length: turnCount }, (_, i) => ({
    turn: i + 1,
    segments: segments.filter((segment) => segment.turn === i + 1).length,
    toolCalls: toolCalls.filter((call) => call.turn === i + 1).length,
    toolErrors: toolCalls.filter((call) => call.turn === i + 1 && call.outcome !== 'ok_stdout').length,
    policyTokens: 180 + Math.floor(r() * 400),
  }));
  return {
    detail: {
      row: { ...row, responseChars: response.length, policyTokens: mask.reduce((sum, one) => sum + one, 0) },
      run: { runId: 1, runKey: RUN.runKey, name: RUN.name, kind: 'train', hasSteps: true },
      group: groupRow(row.groupId),
      prompt,
      response,
      segments,
      turns,
      toolCalls,
      flags: [],
      answerSource: 'derived',
      maxResponseTokens: 12288,
      limits: [{ kind: 'response', value: 12288, field: 'stage: max_response_tokens' }],
      tokens: {
        count: ends.length,
        isAligned: true,
        hasEntropy: true,
        hasLogprob: false,
        hasTrainerLogprob: false,
        hasMask: true,
        entropyOf: { kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' },
      },
      extra: {
        worker: 'rollout-17',
        kv_cache: 0.71,
        sampling: { temperature: 1, top_p: 1 },
        data_source: 'dapo',
      },
      record: { fileId: 1, unit: 'line', byteOffset: 120_000, byteLength: 48_113 },
    },
    tokens: { count: ends.length, ends: Uint32Array.from(ends), mask, entropy },
  };
}
