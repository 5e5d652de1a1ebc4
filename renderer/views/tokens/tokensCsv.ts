/** The tables and curves of the page as CSV. Every row has its number of tokens. */

import type { TokenOccurrence } from '../../../shared/api/contract.ts';
import type { Cell } from '../../../shared/domain/delimited.ts';
import type { Mean, SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import {
  type Curve,
  classCounts,
  density,
  type SegmentMean,
  type StepMean,
  type TokenMean,
} from './tokensModel.ts';

export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** All bins, including those that are not drawn. The outer bins have an open end. */
export function distributionCsv({ histogram, tokens }: SourceStatistics): CsvTable {
  const { width, from, counts, below, above } = histogram;
  const first = Math.round(from / width);
  const edge = (bin: number) => Number(((first + bin) * width).toFixed(3));
  const bins: (readonly [Cell, Cell, number])[] = counts.map((count, i) => [edge(i), edge(i + 1), count]);
  if (below > 0) bins.unshift([undefined, from, below]);
  if (above > 0) bins.push([edge(counts.length), undefined, above]);
  let sum = 0;
  return {
    columns: ['from', 'to', 'tokens', 'share_below_to'],
    rows: bins.map(([left, right, count]) => {
      sum += count;
      return [left, right, count, sum / tokens];
    }),
  };
}

const MEAN = ['tokens', 'mean', 'deviation'] as const;
const meanCells = (mean: Mean | undefined): readonly Cell[] => [mean?.tokens, mean?.mean, mean?.deviation];

export function curvesCsv(curves: readonly Curve[]): CsvTable {
  return {
    columns: ['after', 'position', ...MEAN, 'mean_of_9_places'],
    rows: curves.flatMap(({ after, means, smooth }) =>
      means.flatMap((mean, position) =>
        mean === undefined ? [] : [[after, position, ...meanCells(mean), smooth[position]]],
      ),
    ),
  };
}

export function densityCsv({ reflections }: SourceStatistics, window: number): CsvTable {
  return {
    columns: ['after', 'window', 'tokens', 'reflections', 'share'],
    rows: (['success', 'error'] as const).map((after) => {
      const counts = reflections[after];
      return [after, window === 0 ? 'segment' : window, counts.tokens, counts.reflections, density(counts)];
    }),
  };
}

const SIDES = [
  ['right', 'correct'],
  ['wrong', 'incorrect'],
  ['unknown', 'unknown'],
] as const;

export function segmentsCsv(means: readonly SegmentMean[]): CsvTable {
  return {
    columns: ['segment', 'correctness', ...MEAN],
    rows: means.flatMap((row) =>
      SIDES.flatMap(([side, name]) =>
        row[side] === undefined ? [] : [[row.kind, name, ...meanCells(row[side])]],
      ),
    ),
  };
}

export function stepsCsv(means: readonly StepMean[]): CsvTable {
  return {
    columns: ['step', 'correctness', ...MEAN],
    rows: means.flatMap((row) =>
      SIDES.flatMap(([side, name]) =>
        row[side] === undefined ? [] : [[row.step, name, ...meanCells(row[side])]],
      ),
    ),
  };
}

export function classesCsv(source: SourceStatistics): CsvTable {
  return {
    columns: ['class', 'tokens', 'share_of_classed'],
    rows: classCounts(source).map(({ name, tokens, share }) => [name, tokens, share]),
  };
}

export function tokensCsv(rows: readonly TokenMean[]): CsvTable {
  return {
    columns: ['token', ...MEAN],
    rows: rows.map((row) => [row.token, ...meanCells(row)]),
  };
}

export function placesCsv(places: readonly TokenOccurrence[]): CsvTable {
  return {
    columns: ['value', 'step', 'group', 'rollout', 'token', 'is_correct', 'before', 'text', 'after'],
    rows: places.map((one) => [
      one.value,
      one.step,
      one.groupKey,
      one.ordinal,
      one.token,
      one.isCorrect === undefined ? undefined : Number(one.isCorrect),
      one.before,
      one.text,
      one.after,
    ]),
  };
}
