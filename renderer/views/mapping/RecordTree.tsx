import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { Mapping } from '../../../shared/format/mapping.ts';
import type { PathStep } from '../../../shared/format/recordPath.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { FIELD_GROUPS, labelOf, pathOf, pickedPath, type Target } from './mappingModel.ts';
import { type TreeRow, treeRows } from './recordTreeModel.ts';

interface RecordTreeProps {
  readonly record: unknown;
  readonly mapping: Mapping;
  readonly onPick: (steps: readonly PathStep[]) => void;
}

const TARGETS: readonly Target[] = FIELD_GROUPS.flatMap((group) => group.fields.map(({ field }) => field));

/** The fields that take their value from this row. */
function usesOf(row: TreeRow, mapping: Mapping): readonly Target[] {
  if (row.type === 'more') return [];
  return TARGETS.filter((target) => {
    const path = pathOf(mapping, target);
    return path !== undefined && (path === row.path || path === pickedPath(mapping, target, row.steps));
  });
}

export function RecordTree({ record, mapping, onPick }: RecordTreeProps) {
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => treeRows(record, flipped), [record, flipped]);
  const table = useTableCommands();
  const cursor = useRef(0);

  const flip = (row: TreeRow | undefined) => {
    if (row?.isFolded === undefined) return;
    const next = new Set(flipped);
    if (!next.delete(row.path)) next.add(row.path);
    setFlipped(next);
  };
  const foldByKey = (event: KeyboardEvent) => {
    const row = rows[cursor.current];
    if (event.key === 'ArrowRight' && row?.isFolded === true) flip(row);
    if (event.key === 'ArrowLeft' && row?.isFolded === false) flip(row);
  };
  const columns: readonly Column<TreeRow>[] = [
    {
      id: 'field',
      label: 'field',
      minWidth: 130,
      grow: 2,
      cell: (row) => (
        <span className="tree-name mono" style={{ paddingLeft: row.depth * 14 }} title={row.path}>
          {row.isFolded === undefined ? (
            <i />
          ) : (
            <button
              type="button"
              tabIndex={-1}
              aria-label={row.isFolded ? `Unfold ${row.name}` : `Fold ${row.name}`}
              onClick={(event) => {
                event.stopPropagation();
                flip(row);
              }}
            >
              {row.isFolded ? <ChevronRight size={13} /> : <ChevronDown size={13} />}
            </button>
          )}
          {row.name}
        </span>
      ),
    },
    {
      id: 'value',
      label: 'value',
      minWidth: 160,
      grow: 4,
      cell: (row) => (
        <span className="tree-value">
          <span className={`mono is-${row.type}`} title={row.text}>
            {row.text}
          </span>
          {usesOf(row, mapping).map((target) => (
            <b key={target}>{labelOf(target)}</b>
          ))}
        </span>
      ),
    },
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles arrow keys for the grid inside, which has the focus
    <div className="mapping-fill" onKeyDown={foldByKey}>
      <VirtualTable
        handle={table}
        label="Values of the record"
        columns={columns}
        count={rows.length}
        rowHeight={24}
        rowAt={(index) => rows[index]}
        onOpen={(row) => row.type !== 'more' && onPick(row.steps)}
        onPosition={(position) => {
          cursor.current = position.cursor;
        }}
      />
    </div>
  );
}
