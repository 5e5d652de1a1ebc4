/** What a statement answered: a table, a chart of it, or a plan. */
import { ChartLine, ClipboardCopy, Download, PanelRight } from 'lucide-react';
import { useState } from 'react';
import type { SqlFormat, SqlRow } from '../../../shared/api/contract.ts';
import type { SqlOutcome } from '../../data/useSqlRun.ts';
import { Button } from '../../ui/Controls.tsx';
import { EmptyState, WaitingState } from '../../ui/States.tsx';
import type { ChartChoice } from './chartChoice.ts';
import { PlanTree } from './PlanTree.tsx';
import { ResultChart } from './ResultChart.tsx';
import { ResultTable } from './ResultTable.tsx';
import { RowPane } from './RowPane.tsx';

interface ResultAreaProps {
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
  if (outcome === undefined)
    return (
      <EmptyState title="Ask the library in SQL">
        <p>
          The views are at the right under Schema, with what each column means; examples are under Queries. A
          row with a rollout_id opens its replay.
        </p>
      </EmptyState>
    );
  const { answer, rows } = outcome;
  if (answer.kind !== 'rows') return null;
  if (outcome.aim === 'plan') return <PlanTree rows={rows} />;
  const { columns } = answer;
  if (rows.length === 0)
    return (
      <EmptyState title="No rows">
        <p>
          The statement was run and matches nothing. Unknown is NULL here: a comparison with it is never true.
        </p>
      </EmptyState>
    );
  return (
    <>
      <div className="sql-actions">
        <Button
          aria-pressed={chart !== undefined}
          onClick={() => (chart === undefined ? props.onProposeChart() : props.onChart(undefined))}
        >
          <ChartLine size={13} /> {chart === undefined ? 'Chart' : 'Table'}
        </Button>
        <Button
          aria-pressed={hasRowPane}
          onClick={() => setRowPane(!hasRowPane)}
          title="All of the row under the cursor"
        >
          <PanelRight size={13} /> Row
        </Button>
        <Button onClick={() => props.onCopy(columns, rows)} title="What is loaded, tab-separated">
          <ClipboardCopy size={13} /> Copy as TSV
        </Button>
        <span className="dim">Export, run again for all rows:</span>
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
