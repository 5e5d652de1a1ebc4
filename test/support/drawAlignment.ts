/**
 * Rollouts and their alignments as text.
 *
 * Input: one line per turn, one word per segment. The letter is the kind, the number the content, each `'` a
 * few changed words:
 *
 *   T1 C1 r1      T reasoning, C tool call, R tool response, r failed response, A answer, U user, S text
 *   T2 C1' R2     C1' is C1 with a change; C2 is unrelated to it
 *   T3 A1
 *
 * A tool other than `python` follows a point: `C1.search`.
 *
 * Output: one line per row, `=` equal, `~` similar, `-` only in a, `+` only in b.
 */
import type { AlignableRollout, PairAlignment, Relation, SegmentPair } from '../../shared/domain/align.ts';
import type { LaneRow } from '../../shared/domain/alignLanes.ts';
import type { Segment, SegmentKind, ToolCall } from '../../shared/domain/model.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';

const KINDS: Readonly<Record<string, SegmentKind>> = {
  T: 'reasoning',
  S: 'text',
  C: 'tool-call',
  R: 'tool-response',
  r: 'tool-response',
  A: 'answer',
  U: 'user',
};
const LETTERS: Readonly<Record<SegmentKind, string>> = {
  reasoning: 'T',
  text: 'S',
  'tool-call': 'C',
  'tool-response': 'R',
  answer: 'A',
  user: 'U',
  system: 'Y',
};

export interface DrawnRollout extends AlignableRollout {
  /** The word that specifies each segment. */
  readonly words: readonly string[];
}

export function drawRollout(drawing: string): DrawnRollout {
  const segments: Segment[] = [];
  const toolCalls: ToolCall[] = [];
  const words: string[] = [];
  let response = '';
  const turns = drawing.split('\n').filter((line) => line.trim() !== '');
  turns.forEach((line, i) => {
    for (const word of line.trim().split(/\s+/)) {
      const match = /^([A-Za-z])(\d*)('*)(?:\.(\w+))?$/.exec(word);
      const kind = KINDS[match?.[1] ?? ''];
      if (match === null || kind === undefined) throw new Error(`no segment is drawn as ${word}`);
      const text = contents(kind, Number(match[2] ?? 0), (match[3] ?? '').length, match[1] === 'r');
      const inner = { start: response.length + 1, end: response.length + 1 + text.length };
      segments.push({ kind, turn: i + 1, outer: { start: response.length, end: inner.end + 1 }, inner });
      response += `\n${text}\n`;
      words.push(word);
      const place = segments.length - 1;
      if (kind === 'tool-call')
        toolCalls.push({ turn: i + 1, name: match[4] ?? 'python', outcome: 'missing', callSegment: place });
      const call = toolCalls.at(-1);
      if (kind === 'tool-response' && call !== undefined && call.responseSegment === undefined)
        toolCalls[toolCalls.length - 1] = { ...call, responseSegment: place };
    }
  });
  return { response, segments, toolCalls, words };
}

/**
 * Two numbers have hardly a word in common. A version differs from the previous one in the last word of each
 * eight.
 */
function contents(kind: SegmentKind, number: number, version: number, isFailed: boolean): string {
  if (kind === 'answer') return `\\boxed{${number}${'5'.repeat(version)}}`;
  const random = seededRandom(1000 * number + kind.length);
  const word = (): string => `w${Math.floor(random() * 1e6).toString(36)}`;
  const words = Array.from({ length: 24 }, word);
  for (let i = 0; i < version; i++) {
    for (let at = 7 - i; at < words.length; at += 8) words[at] = `v${version}${word()}`;
  }
  if (kind === 'tool-call') return `{"code": "${words.map((each, i) => `${each} = ${i}`).join('\\n')}"}`;
  if (kind === 'tool-response')
    return `Tool call ${isFailed ? 'failure' : 'success'}\nstdout: ${words.slice(0, 8).join(' ')}`;
  return `${words.join(' ')}.`;
}

const MARKS: Readonly<Record<Relation, string>> = { equal: '=', similar: '~', only: '?' };

const segmentMark = ({ a, b, relation }: SegmentPair): string =>
  relation !== 'only' ? MARKS[relation] : a === undefined ? '+' : b === undefined ? '-' : '?';

export interface DrawOptions {
  /** Adds lengths and likeness of every segment, for goldens that must not contain text. */
  readonly withNumbers?: boolean;
}

export function drawAlignment(
  { rows, prefix, divergence, cost }: PairAlignment,
  a: AlignableRollout,
  b: AlignableRollout,
  { withNumbers = false }: DrawOptions = {},
): string {
  const lines = rows.map((row) => {
    const mark = row.a === undefined ? '+' : row.b === undefined ? '-' : row.isEqual ? '=' : '~';
    const segments = row.segments.map((pair) => {
      const segment = pair.a === undefined ? b.segments[pair.b ?? -1] : a.segments[pair.a];
      const name = LETTERS[segment?.kind ?? 'text'];
      if (!withNumbers) return `${segmentMark(pair)}${name}`;
      const lengths = [lengthOf(a, pair.a), lengthOf(b, pair.b)];
      const size =
        pair.relation === 'similar' ? `${lengths.join('→')} ${pair.likeness.toFixed(2)}` : lengths.join('');
      return `${segmentMark(pair)}${name} ${pair.relation === 'equal' ? lengths[0] : size}`;
    });
    return `${cell(row.a)} ${mark} ${cell(row.b)}  ${segments.join(withNumbers ? ' · ' : ' ')}`;
  });
  if (withNumbers) {
    const place = (fork: { offset: number; token?: number; turn?: number }): string =>
      `${fork.offset}${fork.token === undefined ? '' : ` token ${fork.token}`} turn ${fork.turn ?? '-'}`;
    lines.push(
      `cost ${cost} · prefix ${prefix.chars} chars${prefix.tokens === undefined ? '' : `, ${prefix.tokens} tokens`}` +
        (divergence === undefined
          ? ' · equal'
          : ` · parts at ${place(divergence.a)} | ${place(divergence.b)}`),
    );
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Turns per lane, then blocks: per lane the mark of its segment against the baseline's; `.`: none. */
export function drawLanes(rows: readonly LaneRow[], lanes: readonly AlignableRollout[]): string {
  return rows
    .map(({ turns, blocks, isEqual }) => {
      const drawn = blocks.map((block) => {
        const lane = block.segments.findIndex((segment) => segment !== undefined);
        const kind = lanes[lane]?.segments[block.segments[lane] ?? -1]?.kind ?? 'text';
        const marks = block.relations.map((relation) => (relation === undefined ? '.' : MARKS[relation]));
        return `${LETTERS[kind]}${marks.join('')}`;
      });
      return `${turns.map(cell).join(' ')}  ${isEqual ? '=' : '~'}  ${drawn.join(' ')}`;
    })
    .join('\n');
}

const cell = (turn: number | undefined): string => (turn === undefined ? '·' : String(turn));

function lengthOf(rollout: AlignableRollout, segment: number | undefined): string {
  const inner = segment === undefined ? undefined : rollout.segments[segment]?.inner;
  return inner === undefined ? '' : String(inner.end - inner.start);
}
