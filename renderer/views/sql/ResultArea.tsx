/** What a statement answered: a table, a chart of it, or a plan. */
import { ClipboardCopy, Download, PanelRight, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { SqlFormat, SqlRow, SqlValue } from '../../../shared/api/contract.ts';
import type { SqlOutcome, Store } from '../../data/useSqlRun.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { EmptyState, WaitingState } from '../../ui/States.tsx';
import type { ChartChoice } from './chartChoice.ts';
import { ResultChart } from './ResultChart.tsx';
import { ResultTable } from './ResultTable.tsx';
import { planLines, valueText } from './sqlModel.ts';

interface ResultAreaProps {
  readonly store: Store;
  readonly outcome: SqlOutcome | undefined;
  readonly isRunning: boolean;
  readonly chart: ChartChoice | undefined;
  readonly onChart: (choice: ChartChoice | undefined) => void;
  readonly onProposeChart: () => void;
  readonly fileName: string;
  readonly onOpen: (row: SqlRow) => void;
  readonly onCopy: (columns: readonly string[], rows: readonly SqlRow[]) => void;
  readonly onSave: (format: SqlFormat) => void;
  readonly isSaving: boolean;
  readonly notify: (sentence: string) => void;
}

const FORMATS: readonly SqlFormat[] = ['csv', 'tsv', 'jsonl'];

export function ResultArea(props: ResultAreaProps) {
  const { outcome, chart } = props;
  const [hasRowPane, setRowPane] = useState(false);
  const [cursor, setCursor] = useState<SqlRow>();
  if (props.isRunning) return <WaitingState title="Running…" />;
  if (outcome === undefined && props.store === 'warehouse')
    return (
      <EmptyState title="Query the warehouse in SQL">
        <p>
          Press Run for the rows of the statement, over all steps. Schema lists views and columns, Queries has
          examples. A row with run, step, group and index opens its replay.
        </p>
      </EmptyState>
    );
  if (outcome === undefined)
    return (
      <EmptyState title="Query the library in SQL">
        <p>
          Press Run for the rows of the statement. Schema lists views and columns, Queries has examples. A row
          with a rollout_id opens its replay.
        </p>
      </EmptyState>
    );
  const { answer, rows } = outcome;
  if (answer.kind !== 'rows') return null;
  if (outcome.aim === 'plan' && outcome.store === 'library') return <PlanTree rows={rows} />;
  const { columns } = answer;
  if (rows.length === 0)
    return (
      <EmptyState title="No rows">
        <p>
          The statement matched nothing. Unknown values are NULL, and a comparison with NULL is never true.
        </p>
      </EmptyState>
    );
  return (
    <>
      <div className="sql-actions">
        <Segmented
          label="Result as"
          chosen={chart === undefined ? 'table' : 'chart'}
          onChoose={(form) => (form === 'table' ? props.onChart(undefined) : props.onProposeChart())}
          choices={[
            { id: 'table', label: 'Table' },
            { id: 'chart', label: 'Chart' },
          ]}
        />
        <Button
          aria-pressed={hasRowPane}
          onClick={() => setRowPane(!hasRowPane)}
          title="Show the whole row under the cursor"
        >
          <PanelRight size={13} /> Row
        </Button>
        <Button onClick={() => props.onCopy(columns, rows)} title="The loaded rows, tab-separated">
          <ClipboardCopy size={13} /> Copy as TSV
        </Button>
        <span className="dim">Export all rows (runs again):</span>
        {FORMATS.map((format) => (
          <Button key={format} disabled={props.isSaving} onClick={() => props.onSave(format)}>
            <Download size={13} /> {format.toUpperCase()}
          </Button>
        ))}
      </div>
      <div className="sql-result">
        {chart === undefined ? (
          <ResultTable
            key={answer.resultId}
            columns={columns}
            rows={rows}
            store={outcome.store}
            onOpen={props.onOpen}
            onCursor={setCursor}
            notify={props.notify}
          />
        ) : (
          <ResultChart
            columns={columns}
            rows={rows}
            choice={chart}
            fileName={props.fileName}
            onChoose={props.onChart}
            notify={props.notify}
          />
        )}
        {hasRowPane && chart === undefined && <RowPane columns={columns} row={cursor} />}
      </div>
    </>
  );
}

interface RowPaneProps {
  readonly columns: readonly string[];
  readonly row: SqlRow | undefined;
}

/** One row, value by value. Long texts may be cut. */
function RowPane({ columns, row }: RowPaneProps) {
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

/** SQLite's query plan. */
function PlanTree({ rows }: { readonly rows: readonly SqlRow[] }) {
  return (
    <section className="sql-plan" aria-label="Query plan">
      <p className="dim">
        The plan of SQLite, from the outer loop to the inner one. The statement was not run.
      </p>
      <ul>
        {planLines(rows).map((line) => (
          <li key={line.id} style={{ paddingInlineStart: line.depth * 22 }}>
            <code>{line.detail}</code>
            {line.hint !== undefined && (
              <span className="sql-plan-hint">
                <TriangleAlert size={12} aria-hidden="true" /> {line.hint}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
