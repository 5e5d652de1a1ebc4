import type { StepSchedule } from '../../../../shared/api/contract.ts';
import { Button } from '../../../ui/Controls.tsx';
import { copyText } from '../../../ui/copyText.ts';
import { counted } from '../../../ui/numbers.ts';
import { EmptyState } from '../../../ui/States.tsx';

const CALL = `rec.rollout(..., timing={"start": t0, "end": time.time(), "worker": "w3", "gpu": 0, "kv_cache": 0.71},
            tool_calls=[{"turn": 1, "start": t1, "latency_ms": 310, "queue_ms": 4, "worker": "tool-7"}])`;

/** No rollout has a start and an end: which fields would bring the schedule, and how they are written. */
export function NothingPlaced({ schedule }: { readonly schedule: StepSchedule }) {
  const { withStart, withDuration } = schedule.unplaced;
  return (
    <EmptyState title="This log does not say when its rollouts ran">
      {withStart > 0 && (
        <p>
          {counted(withStart, 'rollout')} {withStart === 1 ? 'has' : 'have'} a start and no end.
        </p>
      )}
      {withDuration > 0 && (
        <p>
          {counted(withDuration, 'rollout')} {withDuration === 1 ? 'has' : 'have'} a duration and no start:
          how long, not when.
        </p>
      )}
      <p>
        A schedule needs <code>timing.start</code> and <code>timing.end</code> of each rollout, in seconds
        since 1970; <code>worker</code>, <code>gpu</code> and <code>kv_cache</code> make its lanes,{' '}
        <code>tool_calls[].start</code> and <code>latency_ms</code> the waits. verl’s rollout traces bring
        starts and ends as they are. The recorder (<code>turnwise recorder</code>) writes them:
      </p>
      <pre className="schedule-call">{CALL}</pre>
      <Button onClick={() => void copyText(CALL)}>Copy the call</Button>
    </EmptyState>
  );
}
