/** The marks of a text: ranges with the name of their highlight (`transcript.css`). */
import { LABEL_COLOURS, type LabelColour } from '../../../../shared/domain/annotate/taxonomy.ts';
import type { TextRange } from '../../../../shared/domain/model.ts';
import { REFLECTION } from '../../../../shared/domain/reflection.ts';
import { flaggedRanges, HEAT_LEVELS, markedTokens } from './heatModel.ts';
import type { Heat } from './tokenHeat.ts';

export interface TextMarks {
  readonly heat: Heat | undefined;
  readonly isUnderlined: boolean;
  /** Per token: 1 if the overlay marks it. Needs `ends`. */
  readonly masked: Uint8Array | undefined;
  readonly gap: Uint8Array | undefined;
  readonly ends: Uint32Array | undefined;
  /** Ascending. */
  readonly words: readonly TextRange[];
  /** Ranges that readers annotated, ascending by start. Includes ranges of the prompt. */
  readonly labels: readonly LabelRange[];
}

export interface LabelRange extends TextRange {
  readonly source: 'prompt' | 'response';
  readonly colour: LabelColour;
}

export interface NamedRange extends TextRange {
  readonly name: MarkName;
}

const LEVELS = Array.from({ length: HEAT_LEVELS }, (_, i) => i + 1);
const names = (prefix: string): readonly string[] => LEVELS.map((level) => `${prefix}-${level}`);

/** Later ones are painted over earlier ones. */
export const MARK_NAMES = [
  'masked',
  ...names('heat'),
  ...names('reflection'),
  ...names('line'),
  ...names('reflection-line'),
  'gap',
  'words',
  ...LABEL_COLOURS.map((colour) => `label-${colour}`),
];
export type MarkName = string;

/** Annotation marks inside `range` of a text. */
export function labelMarksIn(
  range: TextRange & { readonly source: string | undefined },
  labels: readonly LabelRange[],
): readonly NamedRange[] {
  return labels
    .filter(({ source, start, end }) => source === range.source && start < range.end && end > range.start)
    .map(({ colour, start, end }) => ({
      name: `label-${colour}`,
      start: Math.max(start, range.start),
      end: Math.min(end, range.end),
    }));
}

/** The marks inside `range` of the response. */
export function marksIn(range: TextRange, marks: TextMarks): readonly NamedRange[] {
  const { heat, isUnderlined, masked, gap, ends, words } = marks;
  const found: NamedRange[] = [];
  const add = (name: MarkName, ranges: readonly TextRange[]) => {
    for (const { start, end } of ranges) found.push({ name, start, end });
  };
  if (ends !== undefined && masked !== undefined) add('masked', flaggedRanges(range, ends, masked));
  if (heat?.ends !== undefined) {
    for (const { start, end, level, token } of markedTokens(range, heat.response, heat.ends, heat.levels)) {
      const isReflection = heat.classes[token] === REFLECTION;
      found.push({ name: heatName(level, isReflection, isUnderlined), start, end });
    }
  }
  if (ends !== undefined && gap !== undefined) add('gap', flaggedRanges(range, ends, gap));
  add('words', cutTo(range, words));
  return found;
}

/**
 * The mark of a formula. KaTeX replaces its characters, so the whole formula gets the highest level of its tokens. It
 * counts as a reflection if one of the tokens at that level is one.
 */
export function formulaMark(range: TextRange, marks: TextMarks): MarkName | undefined {
  const { heat, isUnderlined } = marks;
  if (heat?.ends === undefined) return undefined;
  const inside = markedTokens(range, heat.response, heat.ends, heat.levels);
  const level = Math.max(0, ...inside.map((one) => one.level));
  if (level === 0) return undefined;
  const isReflection = inside.some((one) => one.level === level && heat.classes[one.token] === REFLECTION);
  return heatName(level, isReflection, isUnderlined);
}

function heatName(level: number, isReflection: boolean, isUnderlined: boolean): MarkName {
  if (isUnderlined) return `${isReflection ? 'reflection-line' : 'line'}-${level}`;
  return `${isReflection ? 'reflection' : 'heat'}-${level}`;
}

function cutTo(range: TextRange, ascending: readonly TextRange[]): readonly TextRange[] {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle]?.end ?? 0) <= range.start) low = middle + 1;
    else high = middle;
  }
  const found: TextRange[] = [];
  for (let i = low; i < ascending.length; i += 1) {
    const one = ascending[i];
    if (one === undefined || one.start >= range.end) break;
    found.push({ start: Math.max(one.start, range.start), end: Math.min(one.end, range.end) });
  }
  return found;
}
