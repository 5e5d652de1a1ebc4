import { Popover } from 'radix-ui';
import { useFollowActions, useFollows } from '../data/follows.ts';
import { useNow } from '../data/useNow.ts';
import { Button } from '../ui/Controls.tsx';
import { counted } from '../ui/numbers.ts';
import { ago, followText } from './followModel.ts';

/** What is followed, in the top bar of every view; a click lists it, with a stop for each. */
export function FollowChip() {
  const follows = useFollows();
  return follows.length === 0 ? null : <Following />;
}

function Following() {
  const follows = useFollows();
  const now = useNow();
  const { stop } = useFollowActions();
  const text = followText(follows, now);
  if (text === undefined) return null;
  return (
    <Popover.Root>
      <Popover.Trigger className="follow-chip" title={follows.map(({ path }) => path).join('\n')}>
        <i className={`follow-dot is-${text.state}`} /> following <b>{text.what}</b>
        <span className={text.state === 'lost' ? 'is-wrong' : 'dim'}>{text.news}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover follow-list"
          align="end"
          sideOffset={6}
          aria-label="Followed directories"
        >
          <h2>Followed: new rollouts are read as they are logged</h2>
          {follows.map((follow) => (
            <div key={follow.path} className="follow-item">
              <span className="mono" title={follow.path}>
                {follow.path}
              </span>
              <span className="dim">
                {follow.state === 'lost'
                  ? 'not there at the moment; it is looked for again'
                  : `${counted(follow.rollouts, 'new rollout')}${
                      follow.lastChange === undefined ? '' : `, the last ${ago(follow.lastChange, now)}`
                    } · since ${new Date(follow.since).toLocaleTimeString()}`}
              </span>
              <Button onClick={() => stop.mutate(follow.path)}>Stop</Button>
            </div>
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
