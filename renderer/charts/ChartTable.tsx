/** The numbers of a chart as a table, shown instead of the drawing. */
import type { ReactNode } from 'react';

interface ChartTableProps {
  readonly title: string;
  /** Column titles. The first column names the rows. */
  readonly heads: readonly string[];
  readonly rows: readonly { readonly at: number; readonly cells: readonly ReactNode[] }[];
  readonly height: number;
}

export function ChartTable({ title, heads, rows, height }: ChartTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
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
