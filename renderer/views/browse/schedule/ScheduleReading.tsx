import type { RolloutRow, StepSchedule } from '../../../../shared/api/contract.ts';
import { Button } from '../../../ui/Controls.tsx';
import { barFacts } from './scheduleWords.ts';

interface ScheduleReadingProps {
  readonly schedule: StepSchedule;
  readonly bar: number | undefined;
  /** Its name, once it has come. */
  readonly row: RolloutRow | undefined;
  readonly onOpen: () => void;
}

/** The bar under the cursor, and where it leads. Keeps its size, so that nothing jumps. */
export function ScheduleReading({ schedule, bar, row, onOpen }: ScheduleReadingProps) {
  if (bar === undefined)
    return (
      <aside className="schedule-reading">
        <p className="dim">
          Point at a bar, or walk with ↑ ↓. ← → move the time, + − zoom, 0 shows all, n goes to the next
          straggler, Enter opens. Drag to zoom; the wheel zooms over the head, with Ctrl everywhere.
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
