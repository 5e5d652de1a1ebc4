/** The numbers of a chart as a table, and the button that shows them in the place of the drawing. */
import { Table2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/Controls.tsx';

interface ChartTableProps {
  readonly title: string;
  /** Column titles. The first column names the rows. */
  readonly heads: readonly string[];
  readonly rows: readonly { readonly at: number; readonly cells: readonly ReactNode[] }[];
  readonly height: number;
}

export function ChartTable({ title, heads, rows, height }: ChartTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard
    <section className="panel-table" style={{ height }} tabIndex={0} aria-label={`${title}, numbers`}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, cells }) => (
            <tr key={at}>
              <th scope="row">{at}</th>
              {cells.map((cell, i) => (
                <td key={heads[i + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface TableSwitchProps {
  readonly title: string;
  readonly isTable: boolean;
  readonly onTable: (isTable: boolean) => void;
}

export function TableSwitch({ title, isTable, onTable }: TableSwitchProps) {
  return (
    <IconButton label={`${title}: show the numbers`} isPressed={isTable} onClick={() => onTable(!isTable)}>
      <Table2 size={13} />
    </IconButton>
  );
}
