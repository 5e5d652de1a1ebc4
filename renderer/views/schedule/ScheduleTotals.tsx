import { memo } from 'react';
import type { RolloutRow, StepSchedule } from '../../../shared/api/contract.ts';
import { Button } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import { barFacts, latencyLabels, matchingLabel, STRAGGLER_LABEL, totalsOf } from './scheduleLabels.ts';

/** The step in numbers, the legend, and what the log does not contain. */
export const ScheduleTotals = memo(function ScheduleTotals({
  schedule,
}: {
  readonly schedule: StepSchedule;
}) {
  const { lanes, waits, bars, callsInFlight, unplaced } = schedule;
  const hasUnplacedWaits = bars.waitSeconds.some((seconds) => seconds > 0);
  const knowsWorkers = lanes.some(({ worker, gpu }) => worker !== undefined || gpu !== undefined);
  return (
    <section className="schedule-totals" aria-label="The step in numbers">
      <dl>
        {totalsOf(schedule).map(({ label, value, why }) => (
          <div key={label} title={why}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {schedule.matching !== undefined && (
        <p
          className="schedule-matching"
          title="Busy, idle and concurrency above count all rollouts of the step"
        >
          {matchingLabel(schedule)}
        </p>
      )}
      <p className="schedule-latency">
        {latencyLabels(schedule).map((words) => (
          <span key={words}>{words}</span>
        ))}
      </p>
      <p className="schedule-legend">
        <Key mark="right">correct</Key>
        <Key mark="wrong">incorrect, lower</Key>
        {bars.isCorrect.includes(-1) && <Key mark="unknown">unknown</Key>}
        {waits.bar.length > 0 && <Key mark="wait">waiting for a tool</Key>}
        {hasUnplacedWaits && (
          <Key
            mark="foot"
            title="The log has latencies without starts. Their sum is drawn at the bottom of the bar"
          >
            waits without a start
          </Key>
        )}
        {schedule.matching !== undefined && <Key mark="faint">does not match</Key>}
        <Key mark="idle">idle</Key>
        <Key mark="straggler" title={STRAGGLER_LABEL}>
          straggler: in the tail and over twice the median
        </Key>
        {callsInFlight === undefined && hasUnplacedWaits && (
          <span title="Concurrency over time needs the start of every call">
            {' '}
            · tool calls in flight only as a mean: their starts are not logged
          </span>
        )}
      </p>
      {(!knowsWorkers || unplaced.withStart + unplaced.withDuration > 0) && (
        <p className="schedule-note">
          {!knowsWorkers &&
            'No worker or GPU in this log (timing.worker, timing.gpu), so each row shows rollouts that did not overlap. '}
          {unplaced.withStart > 0 &&
            `${counted(unplaced.withStart, 'rollout')} with a start and no end not drawn. `}
          {unplaced.withDuration > 0 &&
            `${counted(unplaced.withDuration, 'rollout')} with a duration and no start not drawn.`}
        </p>
      )}
    </section>
  );
});

interface KeyProps {
  readonly mark: string;
  readonly title?: string;
  readonly children: string;
}

/** A legend entry, which never wraps. */
function Key({ mark, title, children }: KeyProps) {
  return (
    <span className="schedule-key" title={title}>
      <span className={`bar-swatch is-${mark}`} /> {children}
    </span>
  );
}

interface ScheduleReadoutProps {
  readonly schedule: StepSchedule;
  readonly bar: number | undefined;
  /** The rollout's row, once it is loaded. */
  readonly row: RolloutRow | undefined;
  readonly onOpen: () => void;
}

/** The bar under the cursor and its link. Keeps its size, so that nothing jumps. */
export function ScheduleReadout({ schedule, bar, row, onOpen }: ScheduleReadoutProps) {
  if (bar === undefined)
    return (
      <aside className="schedule-reading">
        <p className="dim">
          Point at a bar or use ↑ ↓. ← → move in time, + − zoom, 0 shows all, n goes to the next straggler,
          Enter opens. Drag to zoom; the wheel zooms over the head, with Ctrl everywhere.
        </p>
      </aside>
    );
  const { when, where, what, isStraggler, isMatch } = barFacts(schedule, bar);
  return (
    <aside className="schedule-reading" aria-label="Rollout">
      <div>
        <strong>{row === undefined ? '…' : `${row.groupKey} #${row.ordinal}`}</strong>
        <span className="dim"> {where}</span>
        {isStraggler && <span className="schedule-straggler"> straggler</span>}
        {!isMatch && <span className="dim"> does not match the filter</span>}
      </div>
      <div>
        {when} <span className="dim">· {what}</span>
      </div>
      <Button onClick={onOpen}>Open (Enter)</Button>
    </aside>
  );
}
