/** Token statistics, prepared for the screen. One source at a time, because sources must not be added up. */
import type { TokenStatistics } from '../../../shared/api/contract.ts';
import { sourceKey as partsKey } from '../../../shared/domain/entropy.ts';
import type { SegmentKind } from '../../../shared/domain/model.ts';
import { TOKEN_CLASSES, type TokenClass } from '../../../shared/domain/reflection.ts';
import type {
  After,
  Correctness,
  Mean,
  SourceStatistics,
  StatisticsBy,
  StatisticsRow,
} from '../../../shared/domain/signalStatistics.ts';
import { isSigned } from '../../../shared/domain/tokenSignal.ts';
import { ratio } from '../../ui/numbers.ts';
import { visiblePieces } from '../../ui/visibleText.ts';

// ── sources ─────────────────────────────────────────────────────────────────────────────────────

type Of = Pick<SourceStatistics, 'signal' | 'source'>;

/** Identifies a source across responses. Part of the URL. */
export const sourceKey = ({ signal, source }: Of): string => `${signal}.${partsKey(source)}`;

/** The chosen source, else the one with the most tokens. */
export function chosenSource(
  sources: readonly SourceStatistics[],
  key: string | null,
): SourceStatistics | undefined {
  const most = [...sources].sort((a, b) => b.tokens - a.tokens)[0];
  return sources.find((one) => sourceKey(one) === key) ?? most;
}

/** The rows of one source, grouped by `by`. */
export function rowsOf(
  answer: TokenStatistics | undefined,
  by: StatisticsBy,
  source: Of,
): readonly StatisticsRow[] {
  if (answer === undefined) return [];
  const key = sourceKey(source);
  const index = answer.sources.findIndex((one) => sourceKey(one) === key);
  return index < 0 ? [] : (answer.rows[by]?.filter((row) => row.source === index) ?? []);
}

// ── means ───────────────────────────────────────────────────────────────────────────────────────

/** Combines means, weighted by tokens. Undefined if none exist. */
export function together(parts: readonly (Mean | undefined)[]): Mean | undefined {
  const known = parts.filter((part) => part !== undefined && part.tokens > 0) as readonly Mean[];
  const tokens = known.reduce((sum, part) => sum + part.tokens, 0);
  if (tokens === 0) return undefined;
  const mean = known.reduce((sum, part) => sum + part.mean * part.tokens, 0) / tokens;
  // Sums of squares about the common mean: within the parts and between them.
  const squares = known.reduce(
    (sum, part) => sum + (part.tokens - 1) * part.deviation ** 2 + part.tokens * (part.mean - mean) ** 2,
    0,
  );
  return { tokens, mean, deviation: tokens > 1 ? Math.sqrt(squares / (tokens - 1)) : 0 };
}

/** Standard error of the mean, assuming independent tokens. They are not, so the true error is larger. */
export const standardError = ({ tokens, deviation }: Mean): number => deviation / Math.sqrt(tokens);

export interface ByCorrectness {
  readonly right: Mean | undefined;
  readonly wrong: Mean | undefined;
  readonly unknown: Mean | undefined;
  readonly all: Mean | undefined;
}

function byCorrectness(rows: readonly StatisticsRow[]): ByCorrectness {
  const of = (which: Correctness) => rows.find((row) => row.correctness === which);
  const [right, wrong, unknown] = [of('right'), of('wrong'), of('unknown')];
  return { right, wrong, unknown, all: together([right, wrong, unknown]) };
}

const KIND_ORDER: readonly SegmentKind[] = [
  'reasoning',
  'text',
  'tool-call',
  'answer',
  'tool-response',
  'user',
  'system',
];

export interface SegmentMean extends ByCorrectness {
  readonly kind: SegmentKind;
}

export function segmentMeans(rows: readonly StatisticsRow[]): readonly SegmentMean[] {
  return KIND_ORDER.flatMap((kind) => {
    const own = rows.filter((row) => row.segment === kind);
    return own.length === 0 ? [] : [{ kind, ...byCorrectness(own) }];
  });
}

export interface StepMean extends ByCorrectness {
  readonly step: number;
}

export function stepMeans(rows: readonly StatisticsRow[]): readonly StepMean[] {
  const steps = [...new Set(rows.map(({ step = 0 }) => step))].sort((a, b) => a - b);
  const byStep = Map.groupBy(rows, ({ step = 0 }) => step);
  return steps.map((step) => ({ step, ...byCorrectness(byStep.get(step) ?? []) }));
}

// ── distribution ────────────────────────────────────────────────────────────────────────────────

export interface Distribution {
  readonly width: number;
  /** Lower edge of each bin. */
  readonly from: readonly number[];
  readonly tokens: readonly number[];
  /** Share of all tokens up to the upper edge of each bin. */
  readonly below: readonly number[];
  /** Tokens below and above the shown range, and the upper end of that range. */
  readonly under: number;
  readonly above: number;
  readonly end: number;
}

/** Share of tokens shown. Far tails would squeeze the rest, so they are only counted. */
const SHOWN_SHARE = 0.999;
const LEAST_BINS = 20;

export function distributionOf({ histogram, tokens, signal }: SourceStatistics): Distribution {
  const { width, counts } = histogram;
  const first = Math.round(histogram.from / width);
  const below: number[] = [];
  // No value is inside the range of the histogram.
  const beyond = ratio(histogram.below, tokens) ?? 0;
  let sum = histogram.below;
  for (const bin of counts) {
    sum += bin;
    below.push(ratio(sum, tokens) ?? 0);
  }
  const reached = below.findIndex((share) => share >= SHOWN_SHARE);
  const stop = reached < 0 ? counts.length : reached + 1;
  const start = isSigned(signal)
    ? Math.max(
        0,
        below.findIndex((share) => share > 1 - SHOWN_SHARE),
      )
    : 0;
  // Few bins would be drawn as wide blocks, so empty bins are appended.
  const length = Math.max(LEAST_BINS, stop - start);
  const shown = Array.from({ length }, (_, i) => counts[start + i] ?? 0);
  const under = histogram.below + total(counts.slice(0, start));
  const edge = (bin: number) => Number(((first + start + bin) * width).toFixed(3));
  return {
    width,
    from: shown.map((_, i) => edge(i)),
    tokens: shown,
    below: shown.map((_, i) => below[start + i] ?? below.at(-1) ?? beyond),
    under,
    above: tokens - under - total(shown),
    end: edge(length),
  };
}

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Share of tokens with a value below 0, which is an edge of the bins. Undefined if there are no tokens. */
export function shareBelowZero({ histogram, tokens }: SourceStatistics): number | undefined {
  const zero = -Math.round(histogram.from / histogram.width);
  return ratio(histogram.below + total(histogram.counts.slice(0, Math.max(0, zero))), tokens);
}

// ── after a tool response ───────────────────────────────────────────────────────────────────────

export interface Curve {
  readonly after: After;
  /** By position, from 0. */
  readonly means: readonly (Mean | undefined)[];
  /**
   * Mean over neighbouring positions, weighted by tokens, since single positions depend on what is usually said there.
   */
  readonly smooth: readonly (number | undefined)[];
}

const REACH = 4;

export function curveOf(rows: readonly StatisticsRow[], after: After): Curve {
  const own = rows.filter((row) => row.after === after && row.position !== undefined);
  const length = own.reduce((most, { position = 0 }) => Math.max(most, position + 1), 0);
  const means = new Array<Mean | undefined>(length).fill(undefined);
  for (const row of own) means[row.position ?? 0] = row;
  const smooth = means.map((mean, i) =>
    mean === undefined ? undefined : together(means.slice(Math.max(0, i - REACH), i + REACH + 1))?.mean,
  );
  return { after, means, smooth };
}

/** Reflections per policy token within the window. */
export const density = (counts: SourceStatistics['reflections'][After]): number | undefined =>
  ratio(counts.reflections, counts.tokens);

// ── classes ─────────────────────────────────────────────────────────────────────────────────────

export interface ClassCount {
  readonly name: Exclude<TokenClass, 'none'>;
  readonly tokens: number;
  /** Share of all high tokens that have a class. */
  readonly share: number | undefined;
}

export function classCounts({ classes }: SourceStatistics): readonly ClassCount[] {
  const names = TOKEN_CLASSES.filter((name) => name !== 'none');
  const all = names.reduce((sum, name) => sum + classes[name], 0);
  return names.map((name) => ({ name, tokens: classes[name], share: ratio(classes[name], all) }));
}

/** The definition in `shared/domain/reflection.ts`, as the screen shows it. */
export function classMeaning(name: ClassCount['name'], window: number): string {
  switch (name) {
    case 'forking':
      return 'in reasoning or prose, and no reflection';
    case 'reflection':
      return `in the reasoning or prose directly after a tool response, ${
        window > 0 ? `within its first ${window} policy tokens` : 'anywhere in it'
      }`;
    case 'code':
      return 'inside a tool call';
    case 'answer':
      return 'inside an answer';
  }
}

// ── tokens ──────────────────────────────────────────────────────────────────────────────────────

export interface TokenMean extends Mean {
  /** The token's text. For an id without text: `id 1234`. */
  readonly token: string;
  readonly hasText: boolean;
}

/** Requests a round number, so that small changes are filtered from the response without a new request. */
export function askedLeast(least: number): number {
  return least >= 100 ? 100 : least >= 10 ? 10 : 1;
}

export function tokenMeans(
  rows: readonly StatisticsRow[],
  least: number,
  text: string,
): readonly TokenMean[] {
  const wanted = text.trim().toLowerCase();
  return rows.flatMap(({ token, id, tokens, mean, deviation }) => {
    const name = token ?? (id === undefined ? undefined : `id ${id}`);
    return name === undefined || tokens < least || !name.toLowerCase().includes(wanted)
      ? []
      : [{ token: name, hasText: token !== undefined, tokens, mean, deviation }];
  });
}

/** Makes white space in a token visible, since it is part of the token. */
export function tokenText(token: string): string {
  return token.replaceAll(' ', '␣').replaceAll('\n', '↵').replaceAll('\t', '⇥').replaceAll('\r', '␍');
}

/** The same for a stretch of a log. Also makes control characters visible. */
export const shownText = (text: string): string =>
  visiblePieces(tokenText(text))
    .map((piece) => piece.text)
    .join('');

/** Parses a natural number within bounds from the URL. */
export function naturalOf(text: string | null, otherwise: number, most: number): number {
  if (text === null || !/^\d+$/.test(text)) return otherwise;
  return Math.min(most, Number(text));
}
