import { useMemo } from 'react';
import { AS_IT_CAME, useTableLayouts } from '../../state/tableLayout.ts';
import type { Arrangement } from '../../ui/tableColumns.ts';

/**
 * The saved layout of a table.
 * @param table its id; tables with the same columns share one
 */
export function useTableLayout(table: string): Arrangement {
  const layout = useTableLayouts((state) => state.layouts[table]) ?? AS_IT_CAME;
  const density = useTableLayouts((state) => state.density);
  return useMemo(() => {
    const { arrange, reset, setDensity } = useTableLayouts.getState();
    return {
      layout,
      density,
      arrange: (change) => arrange(table, change),
      reset: () => reset(table),
      setDensity,
    };
  }, [table, layout, density]);
}
