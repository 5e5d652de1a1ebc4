/**
 * Words that often mark reflection. A heuristic on the text, labelled as such, without knowledge of any
 * distribution. Its overlap with high entropy is a statistic, not a definition.
 */
import type { TextRange } from './model.ts';

/** From the paper's figures (§5.4) and from arXiv 2506.01939. The user's own list replaces it. */
export const DEFAULT_LEXICON: readonly string[] = [
  'wait',
  'but',
  'but before',
  'however',
  'check',
  'double-check',
  'verify',
  'rerun',
  're-evaluate',
  'recompute',
  'unless',
  'actually',
  'hmm',
  'alternatively',
  'suppose',
  'assume',
  'instead',
  'mistake',
  'error',
];

const escaped = (word: string): string =>
  word
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s+/g, '\\s+');

/**
 * Matches whole words, ignoring case; longer entries first, so that "but before" is one hit.
 * @returns undefined for an empty list
 */
export function lexiconPattern(words: readonly string[]): RegExp | undefined {
  const known = [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))];
  if (known.length === 0) return undefined;
  const alternatives = known.sort((a, b) => b.length - a.length).map(escaped);
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}_])`, 'giu');
}

/** @returns lexicon hits in `range` of the text, in order */
export function lexiconHits(text: string, pattern: RegExp, range: TextRange): readonly TextRange[] {
  const hits: TextRange[] = [];
  for (const match of text.slice(range.start, range.end).matchAll(pattern)) {
    const start = range.start + match.index;
    hits.push({ start, end: start + match[0].length });
  }
  return hits;
}

/**
 * 1 for each token that overlaps one of the ascending `ranges`.
 * @param ends UTF-16 ends of the tokens, ascending
 */
export function tokensIn(ends: Uint32Array, ranges: readonly TextRange[]): Uint8Array {
  const flags = new Uint8Array(ends.length);
  let token = 0;
  for (const { start, end } of ranges) {
    while (token < ends.length && (ends[token] ?? 0) <= start) token += 1;
    for (let i = token; i < ends.length && (i === 0 ? 0 : (ends[i - 1] ?? 0)) < end; i += 1) flags[i] = 1;
  }
  return flags;
}

/** Overlap of the lexicon with a threshold, over policy tokens. */
export interface Agreement {
  readonly both: number;
  readonly lexiconOnly: number;
  readonly highOnly: number;
  readonly neither: number;
  /** Correlation of the two, −1 … 1 (φ). undefined if one of them is constant. */
  readonly phi: number | undefined;
}

export function agreementOf(
  inLexicon: ArrayLike<number>,
  isHigh: ArrayLike<number>,
  mask?: Uint8Array,
): Agreement {
  const counts = { both: 0, lexiconOnly: 0, highOnly: 0, neither: 0 };
  for (let i = 0; i < inLexicon.length; i++) {
    if (mask?.[i] === 0) continue;
    const hit = (inLexicon[i] ?? 0) > 0;
    const high = (isHigh[i] ?? 0) > 0;
    counts[hit ? (high ? 'both' : 'lexiconOnly') : high ? 'highOnly' : 'neither']++;
  }
  return { ...counts, phi: phiOf(counts) };
}

/** Sums over several rollouts. */
export function agreementTogether(all: readonly Omit<Agreement, 'phi'>[]): Agreement {
  const counts = { both: 0, lexiconOnly: 0, highOnly: 0, neither: 0 };
  for (const one of all) for (const name of AGREEMENT_CELLS) counts[name] += one[name];
  return { ...counts, phi: phiOf(counts) };
}

const AGREEMENT_CELLS = ['both', 'lexiconOnly', 'highOnly', 'neither'] as const;

function phiOf({ both, lexiconOnly, highOnly, neither }: Omit<Agreement, 'phi'>): number | undefined {
  const spread = Math.sqrt(
    (both + lexiconOnly) * (highOnly + neither) * (both + highOnly) * (lexiconOnly + neither),
  );
  return spread === 0 ? undefined : (both * neither - lexiconOnly * highOnly) / spread;
}
