/** The arrangement of each table, by its id, and the density of all tables. Saved across sessions. */
import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { remembered } from './remembered.ts';

type Density = 'comfortable' | 'compact';

export interface TableLayout {
  readonly order: readonly string[];
  readonly hidden: Readonly<Record<string, true>>;
  /** CSS pixels. */
  readonly widths: Readonly<Record<string, number>>;
}

interface TableLayouts {
  readonly density: Density;
  readonly layouts: Readonly<Record<string, TableLayout>>;
  readonly setDensity: (density: Density) => void;
  readonly arrange: (table: string, change: Partial<TableLayout>) => void;
  /** Restores the default arrangement. */
  readonly reset: (table: string) => void;
}

/** The default arrangement. */
export const AS_IT_CAME: TableLayout = { order: [], hidden: {}, widths: {} };

export const useTableLayouts = create<TableLayouts>()(
  persist(
    (set) => ({
      density: 'comfortable',
      layouts: {},
      setDensity: (density) => set({ density }),
      arrange: (table, change) =>
        set(({ layouts }) => ({
          layouts: { ...layouts, [table]: { ...(layouts[table] ?? AS_IT_CAME), ...change } },
        })),
      reset: (table) =>
        set(({ layouts }) => {
          const { [table]: _, ...others } = layouts;
          return { layouts: others };
        }),
    }),
    remembered<TableLayouts>('turnwise.tables', {
      density: z.enum(['comfortable', 'compact']),
      layouts: z.record(
        z.string(),
        z.object({
          order: z.array(z.string()),
          hidden: z.record(z.string(), z.literal(true)),
          widths: z.record(z.string(), z.number()),
        }),
      ),
    }),
  ),
);
