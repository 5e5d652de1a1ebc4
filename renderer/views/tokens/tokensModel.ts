/** Statistics of tokens, laid out for the screen. One source at a time: two are never added up. */
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

/** The same text for the same source, whichever answer it comes from; part of the URL. */
export const sourceKey = ({ signal, source }: Of): string => `${signal}.${partsKey(source)}`;

/** The chosen source, else the one of most tokens. */
export function chosenSource(
  sources: readonly SourceStatistics[],
  key: string | null,
): SourceStatistics | undefined {
  const most = [...sources].sort((a, b) => b.tokens - a.tokens)[0];
  return sources.find((one) => sourceKey(one) === key) ?? most;
}

/** Rows of one source by one cut. */
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

/** Several means as one, each by its tokens; undefined of none. */
export function together(parts: readonly (Mean | undefined)[]): Mean | undefined {
  const known = parts.filter((part) => part !== undefined && part.tokens > 0) as readonly Mean[];
  const tokens = known.reduce((sum, part) => sum + part.tokens, 0);
  if (tokens === 0) return undefined;
  const mean = known.reduce((sum, part) => sum + part.mean * part.tokens, 0) / tokens;
  // Squares about the common mean: within the parts, and of the parts.
  const squares = known.reduce(
    (sum, part) => sum + (part.tokens - 1) * part.deviation ** 2 + part.tokens * (part.mean - mean) ** 2,
    0,
  );
  return { tokens, mean, deviation: tokens > 1 ? Math.sqrt(squares / (tokens - 1)) : 0 };
}

/** Of the mean, were its tokens independent; they are not, so the truth is wider. */
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
  /** Tokens on either side of what is shown, and where that ends. */
  readonly under: number;
  readonly above: number;
  readonly end: number;
}

/** The far tails would press everything else together: they are told in numbers. */
const SHOWN_SHARE = 0.999;
const LEAST_BINS = 20;

export function distributionOf({ histogram, tokens, signal }: SourceStatistics): Distribution {
  const { width, counts } = histogram;
  const first = Math.round(histogram.from / width);
  const below: number[] = [];
  // Where nothing lies on the grid at all.
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
  // Few bins would be drawn as blocks: empty ones stand behind them.
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

/** Share of the tokens whose value is below 0, which is an edge of the bins; undefined of no tokens. */
export function shareBelowZero({ histogram, tokens }: SourceStatistics): number | undefined {
  const zero = -Math.round(histogram.from / histogram.width);
  return ratio(histogram.below + total(histogram.counts.slice(0, Math.max(0, zero))), tokens);
}

// ── after a tool response ───────────────────────────────────────────────────────────────────────

export interface Curve {
  readonly after: After;
  /** Per position, from 0. */
  readonly means: readonly (Mean | undefined)[];
  /** Over the neighbours on either side, by their tokens: single places differ by what is said there. */
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
  /** Of all high tokens that have a class. */
  readonly share: number | undefined;
}

export function classCounts({ classes }: SourceStatistics): readonly ClassCount[] {
  const names = TOKEN_CLASSES.filter((name) => name !== 'none');
  const all = names.reduce((sum, name) => sum + classes[name], 0);
  return names.map((name) => ({ name, tokens: classes[name], share: ratio(classes[name], all) }));
}

/** The definition of `shared/domain/reflection.ts`, as the screen shows it. */
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
  /** Its text; of a token without text its id, as `id 1234`. */
  readonly token: string;
  readonly hasText: boolean;
}

/** The host is asked for round numbers, so that one more or less is answered here. */
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

/** A token as one can see it: spaces and line breaks are part of what it is. */
export function tokenText(token: string): string {
  return token.replaceAll(' ', '␣').replaceAll('\n', '↵').replaceAll('\t', '⇥').replaceAll('\r', '␍');
}

/** The same for a stretch of a log: what would act instead of being seen is drawn, too. */
export const shownText = (text: string): string =>
  visiblePieces(tokenText(text))
    .map((piece) => piece.text)
    .join('');

/** A natural number of the URL within bounds. */
export function naturalOf(text: string | null, otherwise: number, most: number): number {
  if (text === null || !/^\d+$/.test(text)) return otherwise;
  return Math.min(most, Number(text));
}
