/**
 * Alignment of long rollouts. Ratios are relative to a floor on the same texts: one pass that splits them
 * into words and counts the distinct ones.
 */

import type { AlignableRollout } from '../../shared/domain/align.ts';
import { alignPair } from '../../shared/domain/align.ts';
import type { Segment, ToolCall } from '../../shared/domain/model.ts';
import { prefixTree } from '../../shared/domain/prefixTree.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { segmentMessage } from '../../shared/domain/segment.ts';
import { type Measurement, percentile, ratioOf } from './measurement.ts';

const TOKENS = 100_000;
const TURNS = 2000;
const ROUNDS = 5;
const BUDGET_SECONDS = 1;
/** Multiple of the floor; about twice the measured value in each case. */
const BUDGET_RATIO = 25;
/** Five distinct words, so nothing can be an anchor and every bound of the comparison is reached. */
const WORST_RATIO = 80;

export async function benchAlignment(): Promise<Measurement[]> {
  const shared = words(1, TOKENS, 5000);
  const scattered = shared.map((word, i) => (i > TOKENS / 2 && i % 40 === 0 ? `${word}x` : word));
  return [
    ...measured('two of 100,000 tokens, half shared, then scattered edits', prose(shared), prose(scattered)),
    ...measured(
      'two of 100,000 tokens, nothing shared',
      prose(words(2, TOKENS, 5000)),
      prose(words(3, TOKENS, 5000)),
    ),
    ...measured(
      'two of 100,000 tokens, five words in all',
      prose(words(4, TOKENS, 5)),
      prose(words(5, TOKENS, 5)),
      WORST_RATIO,
    ),
    ...measured('two of 2,000 turns, every fifth changed', turns(6, 0), turns(6, 5)),
    ...measured('two of 2,000 turns, nothing shared', turns(7, 0), turns(8, 0)),
    ...benchTree(),
  ];
}

function measured(
  name: string,
  a: AlignableRollout,
  b: AlignableRollout,
  budgetRatio = BUDGET_RATIO,
): Measurement[] {
  const seconds: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(timed(() => floor([a.response, b.response])));
    seconds.push(timed(() => alignPair(a, b)));
  }
  const median = percentile(seconds, 0.5);
  return [
    {
      name: `align: ${name}`,
      value: median,
      unit: 's',
      budget: BUDGET_SECONDS,
      within: median <= BUDGET_SECONDS,
    },
    ratioOf(`align: ${name}, over the floor`, median, percentile(floors, 0.5), 's', budgetRatio),
  ];
}

/** 2,000 rollouts of 100,000 characters that diverge one after the other: 200 MB. */
function benchTree(): Measurement[] {
  const text = words(9, 20_000, 5000).join(' ').padEnd(100_000, ' end').slice(0, 100_000);
  const members = Array.from({ length: 2000 }, (_, id) => {
    const at = Math.floor(((id + 1) * text.length) / 2001);
    return { id, response: `${text.slice(0, at)} parts${id} ${text.slice(at)}` };
  });
  for (const { response } of members) response.charCodeAt(0); // flattens the concatenated string
  const median = percentile(
    Array.from({ length: 3 }, () => timed(() => prefixTree(members))),
    0.5,
  );
  const pass = timed(() => {
    let sum = 0;
    for (const { response } of members)
      for (let i = 0; i < response.length; i++) sum += response.charCodeAt(i);
    return sum;
  });
  return [ratioOf('prefix tree of 2,000 × 100,000 characters, over reading them', median, pass, 's', 20)];
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return (performance.now() - started) / 1000;
}

function floor(texts: readonly string[]): number {
  const seen = new Set<string>();
  for (const text of texts) for (const [word] of text.matchAll(/\w+|[^\w\s]/g)) seen.add(word);
  return seen.size;
}

function words(seed: number, count: number, vocabulary: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => `w${Math.floor(random() * vocabulary).toString(36)}`);
}

function prose(text: readonly string[]): AlignableRollout {
  const response = text.join(' ');
  const tokenEnds = new Uint32Array(text.length);
  let end = -1;
  text.forEach((word, i) => {
    end += word.length + 1;
    tokenEnds[i] = end;
  });
  return { response, ...segmentMessage(response, 1, false), tokenEnds };
}

/** @param every interval of turns that get another word in their code; 0: none */
function turns(seed: number, every: number): AlignableRollout {
  const parts: string[] = [];
  const segments: Segment[] = [];
  const toolCalls: ToolCall[] = [];
  let at = 0;
  for (let turn = 1; turn <= TURNS; turn++) {
    const code = words(seed * TURNS + turn, 20, 3000);
    if (every > 0 && turn % every === 0) code[7] = 'changed';
    const texts = [
      ['reasoning', words(seed * TURNS + turn + 1e6, 20, 3000).join(' ')],
      ['tool-call', `{"name":"python","arguments":{"code":"${code.join('\\n')}"}}`],
      ['tool-response', `Tool call success\nstdout: ${code[3]}\nexecution time: 0.10s`],
    ] as const;
    for (const [kind, text] of texts) {
      const range = { start: at, end: at + text.length };
      segments.push({ kind, turn, outer: range, inner: range });
      parts.push(text);
      at = range.end;
    }
    const callSegment = segments.length - 2;
    toolCalls.push({ turn, name: 'python', outcome: 'ok', callSegment, responseSegment: callSegment + 1 });
  }
  return { response: parts.join(''), segments, toolCalls };
}
