/** Which charts are drawn on a logarithmic axis of values, by their titles. */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { remembered } from './remembered.ts';

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
