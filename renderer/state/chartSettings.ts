/** Settings of charts: reference lines (shown ones, and ones entered with a source) and logarithmic axes. */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { remembered } from './remembered.ts';

export interface ReferenceLine {
  readonly id: string;
  /** Name of a model, a paper or an earlier run. */
  readonly name: string;
  /** pass@1, 0…1. */
  readonly value: number;
  /** Source of the number. Never empty. */
  readonly source: string;
}

interface ReferenceLines {
  readonly own: readonly ReferenceLine[];
  /** Ids of lines shown, by benchmark. */
  readonly shownOf: Readonly<Record<string, readonly string[]>>;
  readonly add: (benchmark: string, line: ReferenceLine) => void;
  readonly remove: (id: string) => void;
  readonly flip: (benchmark: string, id: string) => void;
}

export const useReferenceLines = create<ReferenceLines>()(
  persist(
    (set) => ({
      own: [],
      shownOf: {},
      add: (benchmark, line) =>
        set(({ own, shownOf }) => ({
          own: [...own.filter(({ id }) => id !== line.id), line],
          shownOf: { ...shownOf, [benchmark]: [...(shownOf[benchmark] ?? []), line.id] },
        })),
      remove: (id) =>
        set(({ own, shownOf }) => ({
          own: own.filter((line) => line.id !== id),
          shownOf: Object.fromEntries(
            Object.entries(shownOf).map(([benchmark, ids]) => [benchmark, ids.filter((each) => each !== id)]),
          ),
        })),
      flip: (benchmark, id) =>
        set(({ shownOf }) => {
          const shown = shownOf[benchmark] ?? [];
          const next = shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id];
          return { shownOf: { ...shownOf, [benchmark]: next } };
        }),
    }),
    remembered<ReferenceLines>('turnwise.referenceLines', {
      own: z.array(z.object({ id: z.string(), name: z.string(), value: z.number(), source: z.string() })),
      shownOf: z.record(z.string(), z.array(z.string())),
    }),
  ),
);

interface ChartScales {
  readonly isLog: Readonly<Record<string, boolean>>;
  readonly flipLog: (title: string) => void;
}

export const useChartScales = create<ChartScales>()(
  persist(
    (set) => ({
      isLog: {},
      flipLog: (title) => set(({ isLog }) => ({ isLog: { ...isLog, [title]: isLog[title] !== true } })),
    }),
    remembered<ChartScales>('turnwise.chartScales', { isLog: z.record(z.string(), z.boolean()) }),
  ),
);
