/** Which charts are drawn on a logarithmic axis of values, by their titles. */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

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
    { name: 'turnwise.chartScales', version: 1 },
  ),
);
