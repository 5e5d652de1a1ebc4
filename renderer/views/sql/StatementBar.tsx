/** Controls to run a statement, to show its query plan, and to limit it. */
import { ListTree, Play } from 'lucide-react';
import type { RunLimits, Store } from '../../data/useSqlRun.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';

interface StatementBarProps {
  readonly isRunning: boolean;
  readonly hasText: boolean;
  /** Absent: there is no warehouse. */
  readonly store: Store | undefined;
  readonly onStore: (store: Store) => void;
  readonly limits: RunLimits;
  readonly onLimits: (limits: RunLimits) => void;
  readonly onRun: () => void;
  readonly onExplain: () => void;
}

const ROWS = [1_000, 10_000, 50_000];
const SECONDS = [10, 30, 120, 600];

const STORES = [
  { id: 'library', label: 'Library' },
  { id: 'warehouse', label: 'Warehouse' },
] as const;

export function StatementBar(props: StatementBarProps) {
  const { isRunning, hasText, store, limits, onLimits, onRun, onExplain } = props;
  return (
    <header className="sql-bar">
      <h1>SQL</h1>
      <Button
        isPrimary
        disabled={isRunning || !hasText}
        onClick={onRun}
        title={keyed('Run the selection or the whole statement', 'sql.run')}
      >
        <Play size={13} /> Run
      </Button>
      <Button
        disabled={isRunning || !hasText}
        onClick={onExplain}
        title={keyed('Show the query plan without running it', 'sql.explain')}
      >
        <ListTree size={13} /> Explain
      </Button>
      {store !== undefined && (
        <Segmented label="Ask the" choices={STORES} chosen={store} onChoose={props.onStore} />
      )}
      <label>
        rows up to{' '}
        <select
          value={limits.limitRows}
          onChange={(event) => onLimits({ ...limits, limitRows: Number(event.target.value) })}
        >
          {ROWS.map((rows) => (
            <option key={rows} value={rows}>
              {count(rows)}
            </option>
          ))}
        </select>
      </label>
      <label>
        stops after{' '}
        <select
          value={limits.timeoutMs}
          onChange={(event) => onLimits({ ...limits, timeoutMs: Number(event.target.value) })}
        >
          {SECONDS.map((seconds) => (
            <option key={seconds} value={seconds * 1000}>
              {seconds < 60 ? `${seconds} s` : `${seconds / 60} min`}
            </option>
          ))}
        </select>
      </label>
      <span className="dim">
        {store === 'warehouse'
          ? "Read-only, in ClickHouse's SQL. A link never runs a statement."
          : 'Read-only. Queries run in a separate process.'}
      </span>
    </header>
  );
}
