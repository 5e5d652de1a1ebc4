import { type RefObject, useRef } from 'react';
import { useUrlQuery } from '../../data/useRoute.ts';
import { type Handlers, useCommands } from '../../shell/keys/commands.ts';
import type { TableHandle } from '../../ui/VirtualTable.tsx';

/** Registers the navigation and actions of a list for the table that receives the returned handle. */
export function useTableCommands(): RefObject<TableHandle | null> {
  const table = useRef<TableHandle>(null);
  const [query, setQuery] = useUrlQuery();
  const unsort = query.has('sort') ? () => setQuery({ sort: undefined }) : undefined;
  useCommands({
    'row.next': () => table.current?.move(1),
    'row.previous': () => table.current?.move(-1),
    'row.first': () => table.current?.moveTo(0),
    'row.last': () => table.current?.moveTo(Number.MAX_SAFE_INTEGER),
    'row.pageDown': () => table.current?.page(1),
    'row.pageUp': () => table.current?.page(-1),
    'row.open': () => table.current?.open(),
    ...(unsort === undefined ? {} : { 'table.unsort': unsort }),
  });
  // Getters, because the selection changes without a render of this component.
  useCommands({
    get 'table.columns'() {
      return table.current?.actions().pickColumns;
    },
    get 'table.density'() {
      return table.current?.actions().flipDensity;
    },
    get 'table.selectAll'() {
      return table.current?.actions().selectAll;
    },
    get 'table.copy'() {
      return table.current?.actions().copySelected;
    },
  } as Handlers);
  return table;
}
