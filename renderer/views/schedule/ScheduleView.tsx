import { useEffect, useRef, useState } from 'react';
import type { StepSchedule } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { Button } from '../../ui/Controls.tsx';
import { copyText } from '../../ui/exportText.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { FilterChips } from '../../widgets/filter/FilterChips.tsx';
import type { SchedulePicture } from './paintSchedule.ts';
import { ScheduleMenu } from './ScheduleMenu.tsx';
import { ScheduleTable } from './ScheduleTable.tsx';
import { ScheduleReadout, ScheduleTotals } from './ScheduleTotals.tsx';
import { readingOf } from './scheduleLabels.ts';
import { readSpan, type Span, spanText, wholeSpan } from './scheduleModel.ts';
import { Timeline } from './Timeline.tsx';
import './schedule.css';

interface ScheduleViewProps {
  readonly runKey: string;
  readonly step: number;
}

/** When and where the rollouts of a step ran: workers, tool waits, idle time, stragglers. */
export default function ScheduleView({ runKey, step }: ScheduleViewProps) {
  const run = useRequest('run.get', { runKey });
  const runId = run.data?.runId;
  const steps = useRequest('step.list', runId === undefined ? undefined : { runId });
  const filter = useFilterLink();
  const schedule = useLongQuery(
    'step.schedule',
    runId === undefined ? undefined : { runId, step, filter: filter.applied },
  );
  const at = steps.data?.findIndex((row) => row.step === step) ?? -1;
  const goToStep = (index: number) => {
    const row = steps.data?.[index];
    if (row === undefined) return;
    const query = new URLSearchParams(window.location.search);
    for (const name of ['t', 'at']) query.delete(name);
    goTo({ view: 'schedule', runKey, step: row.step }, query.size === 0 ? '' : `?${query}`);
  };
  useCommands({ 'sibling.next': () => goToStep(at + 1), 'sibling.previous': () => goToStep(at - 1) });

  const error = run.error ?? schedule.error;
  if (error !== null)
    return (
      <FailedState
        isPage
        title="The schedule could not be computed"
        error={error}
        onRetry={() => void (run.error === null ? schedule.restart() : run.refetch())}
      />
    );
  if (run.data === undefined) return <WaitingState title="Opening the run…" />;
  const { data: answer, progress } = schedule;
  const of = [
    run.data.hasSteps ? `${run.data.name}, step ${step}` : run.data.name,
    ...(filter.applied === '' ? [] : [`rollouts that match ${filter.applied}`]),
  ].join(' · ');
  return (
    <div className="page">
      <header className="page-head is-one-line">
        <h1>Schedule</h1>
        <div className="end">
          <span className="page-facts">
            {plainLogText(run.data.name)}
            {run.data.hasSteps && ` · step ${step}`}
            {answer?.facts !== undefined &&
              ` · ${count(answer.facts.placed)} of ${counted(answer.rollouts, 'rollout')} placed in time`}
            {answer?.matching !== undefined &&
              ` · ${count(answer.matching.rollouts)} of ${count(answer.rollouts)} match`}
          </span>
          <Link
            className="is-link"
            href={pathOfRoute({ view: 'step', runKey, step })}
            title="The rollouts of this step"
          >
            Rollouts
          </Link>
          <Link
            className="is-link"
            href={`${pathOfRoute({ view: 'run', runKey })}?tab=tools`}
            title="Latency, concurrency and wall time over steps"
          >
            Over steps
          </Link>
        </div>
      </header>
      <div className="filters">
        <FilterBox runId={run.data.runId} runKey={runKey} what="rollouts" within={`step:${step}`} />
        <FilterChips />
        {schedule.isRunning && (
          <Button onClick={schedule.stop}>
            Stop{progress === undefined ? '' : ` (${percent(progress.share, 0)} %)`}
          </Button>
        )}
      </div>
      {answer === undefined ? (
        schedule.isStopped ? (
          <EmptyState title="Stopped">
            <Button onClick={() => void schedule.restart()}>Compute</Button>
          </EmptyState>
        ) : (
          <WaitingState title="Computing the schedule…" />
        )
      ) : answer.facts === undefined ? (
        <NothingPlaced schedule={answer} />
      ) : (
        <Placed key={filter.applied} runKey={runKey} of={of} schedule={answer} />
      )}
    </div>
  );
}

const LINK_REST_MS = 300;

interface PlacedProps {
  readonly runKey: string;
  /** Run, step and filter of the data. */
  readonly of: string;
  readonly schedule: StepSchedule;
}

function Placed({ runKey, of, schedule }: PlacedProps) {
  const picture = useRef<SchedulePicture>(null);
  const [isTable, setTable] = useState(false);
  const [query, setQuery] = useUrlQuery();
  const client = useClient();
  const whole = wholeSpan(schedule);
  const [span, setSpan] = useState<Span>(() => readSpan(query.get('t'), whole) ?? whole);
  const [cursor, setCursor] = useState<number | undefined>(() => {
    const bar = schedule.bars.rolloutId.indexOf(Number(query.get('at') ?? -1));
    return bar < 0 ? undefined : bar;
  });
  const rolloutId = cursor === undefined ? undefined : schedule.bars.rolloutId[cursor];
  // Debounced, so that the URL is not updated during every scroll or zoom.
  const restedSpan = useDebouncedValue(spanText(span, whole), LINK_REST_MS);
  const restedId = useDebouncedValue(rolloutId, LINK_REST_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: writes the debounced state, and must not react to changes of the URL
  useEffect(() => {
    setQuery({ t: restedSpan, at: restedId === undefined ? undefined : String(restedId) });
  }, [restedSpan, restedId]);
  const rows = useRequest('rollout.rows', restedId === undefined ? undefined : { rolloutIds: [restedId] }, {
    keepPrevious: true,
  });
  const row = rows.data?.find((each) => each.rolloutId === rolloutId);

  const open = async (bar: number) => {
    const id = schedule.bars.rolloutId[bar];
    if (id === undefined) return;
    const [found] = await client.request('rollout.rows', { rolloutIds: [id] });
    if (found === undefined) return;
    // Update the URL at once, so that going back restores the view.
    setQuery({ t: spanText(span, whole), at: String(id) });
    const { step, groupKey, ordinal } = found;
    goTo({ view: 'rollout', runKey, step, groupKey, ordinal });
  };

  return (
    <>
      <ScheduleTotals schedule={schedule} />
      <div className="schedule-menu">
        <ScheduleMenu
          of={of}
          schedule={schedule}
          span={span}
          picture={picture}
          isTable={isTable}
          onTable={setTable}
        />
      </div>
      {isTable ? (
        <ScheduleTable schedule={schedule} span={span} onOpen={(bar) => void open(bar)} />
      ) : (
        <>
          <Timeline
            schedule={schedule}
            span={span}
            onSpan={setSpan}
            cursor={cursor}
            onCursor={setCursor}
            onOpen={(bar) => void open(bar)}
            reading={readingOf(schedule, cursor, row)}
            picture={picture}
          />
          <ScheduleReadout
            schedule={schedule}
            bar={cursor}
            row={row}
            onOpen={() => cursor !== undefined && void open(cursor)}
          />
        </>
      )}
    </>
  );
}

const CALL = `rec.rollout(..., timing={"start": t0, "end": time.time(), "worker": "w3", "gpu": 0, "kv_cache": 0.71},
            tool_calls=[{"turn": 1, "start": t1, "latency_ms": 310, "queue_ms": 4, "worker": "tool-7"}])`;

/** Shown if no rollout has a start and an end: lists the fields to log, and their format. */
function NothingPlaced({ schedule }: { readonly schedule: StepSchedule }) {
  const { withStart, withDuration } = schedule.unplaced;
  return (
    <EmptyState title="No start and end times in this log">
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
        <code>tool_calls[].start</code> and <code>latency_ms</code> the waits. verl’s rollout traces have
        starts and ends. The recorder (<code>turnwise recorder</code>) writes them:
      </p>
      <pre className="schedule-call">{CALL}</pre>
      <Button onClick={() => void copyText(CALL)}>Copy the call</Button>
    </EmptyState>
  );
}
