import { useRef, useState } from 'react';
import type { RecordPath } from '../../../shared/api/contract.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { EmptyState } from '../../ui/States.tsx';
import { leaveField } from '../../ui/useAutoFocus.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { labelOf, type Target } from './mappingModel.ts';

interface PathListProps {
  readonly paths: readonly RecordPath[];
  readonly target: Target;
  readonly onPick: (path: string) => void;
}

const COLUMNS: readonly Column<RecordPath>[] = [
  {
    id: 'path',
    label: 'path',
    minWidth: 150,
    grow: 3,
    cell: (row) => (
      <span className="mono" title={row.path}>
        {row.path}
      </span>
    ),
  },
  {
    id: 'type',
    label: 'what',
    minWidth: 54,
    grow: 0,
    cell: (row) => <span className="dim">{row.type}</span>,
  },
  {
    id: 'sample',
    label: 'first value',
    minWidth: 150,
    grow: 4,
    cell: (row) => (
      <span className="mono" title={row.sample}>
        {row.sample}
      </span>
    ),
  },
];

/** Every path in the first records with an example value, including paths that the current record lacks. */
export function PathList({ paths, target, onPick }: PathListProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const table = useTableCommands();
  useCommands({ 'search.focus': () => field.current?.focus() });
  const words = text.toLowerCase().split(/\s+/);
  const shown = paths.filter((one) => {
    const where = `${one.path} ${one.type} ${one.sample}`.toLowerCase();
    return words.every((word) => where.includes(word));
  });
  return (
    <div className="list-column">
      <label className="search-field mapping-search">
        <input
          ref={field}
          type="search"
          placeholder={`Filter by path, kind or value  ${keyOf('search.focus') ?? ''}`}
          aria-label="Filter paths"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' && event.key !== 'Enter') return;
            event.preventDefault();
            const [only] = shown;
            if (event.key === 'Enter' && shown.length === 1 && only !== undefined) onPick(only.path);
            leaveField(event.currentTarget);
          }}
        />
      </label>
      <div className="list-rest">
        {shown.length === 0 ? (
          <EmptyState title="No path matches" />
        ) : (
          <VirtualTable
            handle={table}
            label={`Paths for ${labelOf(target)}`}
            columns={COLUMNS}
            count={shown.length}
            rowHeight={24}
            rowAt={(index) => shown[index]}
            onOpen={(row) => onPick(row.path)}
          />
        )}
      </div>
    </div>
  );
}
