import { useQueryClient } from '@tanstack/react-query';
import type { RunSummary, StepSummary } from '../../shared/api/contract.ts';
import { ApiError } from '../data/failures.ts';
import { refetchRun } from '../data/followHost.ts';
import { useCanFollow, useFollowActions, useLive } from '../data/follows.ts';
import { useRequest } from '../data/useRequest.ts';
import { useCommands } from '../shell/keys/commands.ts';
import { keyed } from '../shell/keys/keysInForce.ts';
import { useInterface } from '../state/interface.ts';
import { Button, Segmented } from '../ui/Controls.tsx';
import { counted } from '../ui/numbers.ts';

/** Shortened, since the header has little space. The tooltip shows the whole message. */
function followFault(error: Error): string {
  return error instanceof ApiError && error.code === 'not_granted'
    ? 'its directory has not been opened'
    : error.message;
}

const rolloutsIn = (steps: readonly StepSummary[]): number =>
  steps.reduce((sum, { rollouts }) => sum + rollouts, 0);

/**
 * The amount of new data that a paused page does not show. Undefined if it shows everything. The run list is never
 * paused.
 */
export function withheldText(
  run: Pick<RunSummary, 'rollouts'> | undefined,
  shown: readonly StepSummary[] | undefined,
): string | undefined {
  if (run === undefined || shown === undefined) return undefined;
  const more = run.rollouts - rolloutsIn(shown);
  if (more === 0) return undefined;
  return more > 0 ? `${counted(more, 'rollout')} not shown` : 'the run has changed';
}

/**
 * Starts and stops following a run's directory. The page of a followed run is live or paused. A paused page does not
 * change, but shows how much new data there is.
 */
export function FollowControls({
  runKey,
  canStart,
}: {
  readonly runKey: string;
  readonly canStart: boolean;
}) {
  const { run, follow } = useLive(runKey);
  const canFollow = useCanFollow();
  const { start, stop } = useFollowActions();
  const queryClient = useQueryClient();
  const isFollowable = run !== undefined && canFollow(run.directory);
  const isPaused = useInterface((state) => state.pausedRuns[runKey]) === true;
  const flipPause = useInterface((state) => state.flipPause);
  const isHeld = isPaused && follow !== undefined;
  const shown = useRequest('step.list', isHeld && run !== undefined ? { runId: run.runId } : undefined).data;
  const news = isHeld ? withheldText(run, shown) : undefined;
  const show = () => run !== undefined && refetchRun(queryClient, run.runId);
  const pauseOrResume = () => {
    flipPause(runKey);
    if (isPaused) show();
  };
  const flip = () => {
    if (follow !== undefined) stop.mutate(follow.path);
    else if (run !== undefined) {
      if (isPaused) flipPause(runKey);
      start.mutate([run.directory]);
    }
  };
  useCommands({
    'follow.flip': follow !== undefined || isFollowable ? flip : undefined,
    'pause.flip': follow === undefined ? undefined : pauseOrResume,
    'fresh.show': news === undefined ? undefined : show,
  });
  const failure = start.error ?? stop.error;
  return (
    <>
      {failure !== null && (
        <span className="is-wrong follow-failure" role="alert" title={failure.message}>
          ✕ not followed: {followFault(failure)}
        </span>
      )}
      {news !== undefined && (
        <button
          type="button"
          className="chip follow-news"
          title={`${keyed('Show them and go on live', 'pause.flip')}. ${keyed('Show them and stay paused', 'fresh.show')}`}
          onClick={pauseOrResume}
        >
          {news} · Resume
        </button>
      )}
      {follow !== undefined && (
        <>
          <Segmented
            label="Live or paused"
            chosen={isPaused ? 'paused' : 'live'}
            onChoose={(chosen) => (chosen === 'paused') !== isPaused && pauseOrResume()}
            choices={[
              {
                id: 'live',
                label: 'Live',
                title: keyed(`Shows new rollouts of ${follow.path} as they come`, 'pause.flip'),
              },
              {
                id: 'paused',
                label: 'Paused',
                title: keyed('This page stays as it is. New rollouts are read and counted', 'pause.flip'),
              },
            ]}
          />
          <Button
            aria-label="Stop following"
            disabled={stop.isPending}
            onClick={flip}
            title={keyed(`Stop following ${follow.path}`, 'follow.flip')}
          >
            Stop
          </Button>
        </>
      )}
      {canStart && isFollowable && follow === undefined && (
        <Button
          disabled={start.isPending}
          onClick={flip}
          title={keyed(
            `Makes the run live: reads new log lines below ${run.directory} as they are written`,
            'follow.flip',
          )}
        >
          Follow
        </Button>
      )}
    </>
  );
}
