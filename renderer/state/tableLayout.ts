/** How each table is arranged, by its id, and how dense all of them are: preferences, kept over sittings. */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

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
  /** As it came. */
  readonly reset: (table: string) => void;
}

/** A table nobody has arranged. */
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
    {
      name: 'turnwise.tables',
      version: 1,
      partialize: ({ density, layouts }) => ({ density, layouts }),
    },
  ),
);
