import { type RefObject, useRef } from 'react';
import type { TableHandle } from '../ui/VirtualTable.tsx';
import { useCommands } from './commands.ts';

/** The motions of a list, offered for the table that takes the returned handle. */
export function useTableCommands(): RefObject<TableHandle | null> {
  const table = useRef<TableHandle>(null);
  useCommands({
    'row.next': () => table.current?.move(1),
    'row.previous': () => table.current?.move(-1),
    'row.first': () => table.current?.moveTo(0),
    'row.last': () => table.current?.moveTo(Number.MAX_SAFE_INTEGER),
    'row.pageDown': () => table.current?.page(1),
    'row.pageUp': () => table.current?.page(-1),
    'row.open': () => table.current?.open(),
  });
  return table;
}
