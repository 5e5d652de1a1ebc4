/** One row, value by value, with texts as far as they are here. */
import type { SqlRow, SqlValue } from '../../../shared/api/contract.ts';
import { count } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { valueText } from './sqlModel.ts';

interface RowPaneProps {
  readonly columns: readonly string[];
  readonly row: SqlRow | undefined;
}

export function RowPane({ columns, row }: RowPaneProps) {
  return (
    <aside className="sql-row-pane" aria-label="The row under the cursor">
      {row === undefined ? (
        <p className="dim">No row is chosen.</p>
      ) : (
        <dl>
          {columns.map((name, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
            <div key={i}>
              <dt>{name}</dt>
              <dd>
                <Value value={row[i]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </aside>
  );
}

function Value({ value }: { readonly value: SqlValue | undefined }) {
  if (value === null || value === undefined) return <span className="sql-null">NULL</span>;
  if (typeof value === 'object' && value.kind === 'cut')
    return (
      <>
        <SourceText text={value.text} />
        <p className="dim">
          … the first {count(value.text.length)} of {count(value.chars)} characters; an export has all
        </p>
      </>
    );
  return <SourceText text={valueText(value)} />;
}
