import { ApiError } from '../data/failures.ts';
import { useFollowActions, useLive } from '../data/follows.ts';
import { useCommands } from '../shell/keys/commands.ts';
import { keyed } from '../shell/keys/keysInForce.ts';
import { useInterface } from '../state/interface.ts';
import { Button, Segmented } from '../ui/Controls.tsx';

/** In a header there is room for the reason only; the whole message is in the tooltip. */
function followFault(error: Error): string {
  return error instanceof ApiError && error.code === 'not_granted'
    ? 'its directory has not been opened'
    : error.message;
}

/** Follow a run's logs; and, while they are followed, whether its lists go along. */
export function FollowControls({
  runKey,
  canStart,
}: {
  readonly runKey: string;
  readonly canStart: boolean;
}) {
  const { run, follow } = useLive(runKey);
  const { start, stop } = useFollowActions();
  const isPaused = useInterface((state) => state.pausedRuns[runKey]) === true;
  const flipPause = useInterface((state) => state.flipPause);
  const flip = () => {
    if (follow !== undefined) stop.mutate(follow.path);
    else if (run !== undefined) {
      if (isPaused) flipPause(runKey);
      start.mutate([run.directory]);
    }
  };
  useCommands({
    'follow.flip': run === undefined ? undefined : flip,
    'pause.flip': follow === undefined ? undefined : () => flipPause(runKey),
  });
  const failure = start.error ?? stop.error;
  return (
    <>
      {failure !== null && (
        <span className="is-wrong follow-failure" role="alert" title={failure.message}>
          ✕ not followed: {followFault(failure)}
        </span>
      )}
      {follow !== undefined && (
        <Segmented
          label="Lists while following"
          chosen={isPaused ? 'paused' : 'live'}
          onChoose={(chosen) => (chosen === 'paused') !== isPaused && flipPause(runKey)}
          choices={[
            { id: 'live', label: 'Live', title: keyed('Lists show new rows at once', 'pause.flip') },
            {
              id: 'paused',
              label: 'Paused',
              title: keyed('Lists do not change; a badge counts new rows', 'pause.flip'),
            },
          ]}
        />
      )}
      {(canStart || follow !== undefined) && (
        <Button
          aria-pressed={follow !== undefined}
          disabled={run === undefined || start.isPending || stop.isPending}
          onClick={flip}
          title={
            follow === undefined
              ? keyed(`Read new log lines below ${run?.directory ?? ''} as they are written`, 'follow.flip')
              : keyed(`Stop following ${follow.path}`, 'follow.flip')
          }
        >
          <i className={follow === undefined ? 'follow-dot is-off' : `follow-dot is-${follow.state}`} />
          {follow === undefined ? 'Follow' : 'Following'}
        </Button>
      )}
    </>
  );
}
