import type { FollowRow } from '../../shared/api/contract.ts';
import { counted } from '../ui/numbers.ts';

/** `3 s ago`, `12 min ago`: as fine as one cares. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 2) return 'just now';
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

const nameOf = (path: string): string => path.split(/[/\\]/).findLast((part) => part !== '') ?? path;

export interface FollowText {
  readonly state: FollowRow['state'];
  readonly what: string;
  /** What it brought so far. */
  readonly news: string;
}

/** All that is followed in one line: where, how many rollouts came, and when the last. */
export function followText(follows: readonly FollowRow[], now: number): FollowText | undefined {
  const [first] = follows;
  if (first === undefined) return undefined;
  const lost = follows.filter(({ state }) => state === 'lost').length;
  const rollouts = follows.reduce((sum, follow) => sum + follow.rollouts, 0);
  const last = Math.max(...follows.map(({ lastChange }) => lastChange ?? 0));
  const isReading = follows.some(({ state }) => state === 'reading');
  return {
    state: lost > 0 ? 'lost' : isReading ? 'reading' : 'watching',
    what: follows.length === 1 ? nameOf(first.path) : counted(follows.length, 'directory', 'directories'),
    news:
      lost > 0
        ? lost === 1 && follows.length === 1
          ? 'not there at the moment'
          : `${lost} not there at the moment`
        : last === 0
          ? 'nothing new yet'
          : `+${counted(rollouts, 'rollout')}, ${ago(last, now)}`,
  };
}
