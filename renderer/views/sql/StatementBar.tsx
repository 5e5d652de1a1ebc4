/** Controls to run a statement, to show its query plan, and to limit it. */
import { ListTree, Play } from 'lucide-react';
import type { RunLimits } from '../../data/useSqlRun.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';

interface StatementBarProps {
  readonly isRunning: boolean;
  readonly hasText: boolean;
  readonly limits: RunLimits;
  readonly onLimits: (limits: RunLimits) => void;
  readonly onRun: () => void;
  readonly onExplain: () => void;
}

const ROWS = [1_000, 10_000, 50_000];
const SECONDS = [10, 30, 120, 600];

export function StatementBar({ isRunning, hasText, limits, onLimits, onRun, onExplain }: StatementBarProps) {
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
      <span className="dim">Read-only. Queries run in a separate process.</span>
    </header>
  );
}
