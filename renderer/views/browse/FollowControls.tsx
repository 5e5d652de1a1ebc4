import { useCommands } from '../../app/commands.ts';
import { keyed } from '../../app/keysInForce.ts';
import { ApiError } from '../../data/failures.ts';
import { useFollowActions, useLive } from '../../data/follows.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';

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
  const isPinned = useInterface((state) => state.pinnedRuns[runKey]) === true;
  const flipPin = useInterface((state) => state.flipPin);
  const flip = () => {
    if (follow !== undefined) stop.mutate(follow.path);
    else if (run !== undefined) start.mutate([run.directory]);
  };
  useCommands({
    'follow.flip': run === undefined ? undefined : flip,
    'pin.flip': follow === undefined ? undefined : () => flipPin(runKey),
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
          chosen={isPinned ? 'newest' : 'still'}
          onChoose={(chosen) => (chosen === 'newest') !== isPinned && flipPin(runKey)}
          choices={[
            {
              id: 'still',
              label: 'Held still',
              title: keyed('Lists do not move; a badge says what is new', 'pin.flip'),
            },
            {
              id: 'newest',
              label: 'Newest',
              title: keyed('Lists go along with the newest step', 'pin.flip'),
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
              ? keyed(`Read what is logged below ${run?.directory ?? ''} as it comes`, 'follow.flip')
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
