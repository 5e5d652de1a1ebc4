import { Columns2, EyeOff } from 'lucide-react';
import { Popover } from 'radix-ui';
import type { FollowRow } from '../../shared/api/contract.ts';
import { comparePath, rolloutRouteOf } from '../data/compareLink.ts';
import { followOf, useFollowActions, useFollows } from '../data/follows.ts';
import { useNow } from '../data/useNow.ts';
import { useRequest } from '../data/useRequest.ts';
import { useRoute } from '../data/useRoute.ts';
import { useRunOf } from '../data/useRunOf.ts';
import { useSearchState } from '../data/useSearchPages.ts';
import { useVerification } from '../data/useVerification.ts';
import { useInterface } from '../state/interface.ts';
import { Button } from '../ui/Controls.tsx';
import { Link } from '../ui/Link.tsx';
import { plainLogText } from '../ui/LogText.tsx';
import { count, counted } from '../ui/numbers.ts';
import { day, dayAndTime, timeOfDay } from '../ui/times.ts';
import { keyed } from './keys/keysInForce.ts';

/** The number of rollouts in the compare set, as a link to their comparison. */
export function CompareChip() {
  const set = useInterface((state) => state.compareSet);
  if (set.length === 0) return null;
  const names = set.map((path) => {
    const route = rolloutRouteOf(path);
    return route === undefined ? path : `${route.groupKey} #${route.ordinal}`;
  });
  return (
    <Link
      className="compare-chip"
      href={comparePath(set)}
      title={keyed(plainLogText(`${names.join('\n')}\nopen`), 'compare.open')}
    >
      <Columns2 size={13} aria-hidden="true" /> <span>compare</span> <b>{set.length}</b>
    </Link>
  );
}

/** Shown while credentials are masked, since texts then differ from the log. */
export function MaskChip() {
  const masksCredentials = useInterface((state) => state.masksCredentials);
  if (!masksCredentials) return null;
  return (
    <Link className="compare-chip" href="/settings" title="Turn it off in the settings">
      <EyeOff size={13} aria-hidden="true" /> credentials masked
    </Link>
  );
}

/** Shows the followed directories in the top bar. A click lists them, each with a stop button. */
export function FollowChip() {
  const follows = useFollows();
  return follows.length === 0 ? null : <LiveDirectories />;
}

function LiveDirectories() {
  const follows = useFollows();
  const now = useNow();
  const { stop } = useFollowActions();
  const text = followText(follows, now);
  const run = useRunOf(useRoute());
  const isPaused = useInterface((state) => run !== undefined && state.pausedRuns[run.runKey] === true);
  const isHeld = isPaused && followOf(follows, run?.directory) !== undefined;
  if (text === undefined) return null;
  return (
    <Popover.Root>
      <Popover.Trigger className="follow-chip" title={follows.map(({ path }) => path).join('\n')}>
        <i className={`follow-dot is-${text.state}`} /> following <b>{text.what}</b>
        <span className={text.state === 'lost' || text.state === 'outside' ? 'is-wrong' : 'dim'}>
          {text.news}
        </span>
        {isHeld && <b title="Pages of this run stay as they are">page paused</b>}
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
              <span className="dim">{followDetail(follow, now)}</span>
              <Button onClick={() => stop.mutate(follow.path)}>Stop</Button>
            </div>
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** `3 s ago`, `12 min ago`. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 2) return 'just now';
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

const nameOf = (path: string): string => path.split(/[/\\]/).findLast((part) => part !== '') ?? path;

interface FollowText {
  readonly state: FollowRow['state'];
  readonly what: string;
  /** Summary of what was read so far. */
  readonly news: string;
}

/** Summary of all follows: their directories, the number of rollouts read, and the time of the last one. */
export function followText(follows: readonly FollowRow[], now: number): FollowText | undefined {
  const [first] = follows;
  if (first === undefined) return undefined;
  const lost = follows.filter(({ state }) => state === 'lost').length;
  const outside = follows.filter(({ state }) => state === 'outside').length;
  const rollouts = follows.reduce((sum, follow) => sum + follow.rollouts, 0);
  const last = Math.max(...follows.map(({ lastChange }) => lastChange ?? 0));
  const isReading = follows.some(({ state }) => state === 'reading');
  return {
    state: lost > 0 ? 'lost' : outside > 0 ? 'outside' : isReading ? 'reading' : 'watching',
    what: follows.length === 1 ? nameOf(first.path) : counted(follows.length, 'directory', 'directories'),
    news:
      unreadText(lost, outside, follows.length) ??
      (last === 0
        ? 'nothing new yet'
        : `${counted(rollouts, 'new rollout')} since ${sinceText(follows, now)}, the last ${ago(last, now)}`),
  };
}

/** When following began, to tell its count from that of a paused page. */
function sinceText(follows: readonly FollowRow[], now: number): string {
  const since = Math.min(...follows.map((follow) => follow.since));
  return day(since) === day(now) ? timeOfDay(since) : dayAndTime(since);
}

function unreadText(lost: number, outside: number, all: number): string | undefined {
  if (all === 1 && lost === 1) return 'not found';
  if (all === 1 && outside === 1) return 'not read: leads elsewhere';
  const parts = [lost > 0 ? `${lost} not found` : '', outside > 0 ? `${outside} not read` : ''];
  return parts.filter((part) => part !== '').join(', ') || undefined;
}

function followDetail({ state, rollouts, lastChange, since }: FollowRow, now: number): string {
  if (state === 'lost') return 'not found; Turnwise keeps looking';
  if (state === 'outside')
    return 'not read: a link now leads out of what you opened. If that is intended, open the directory behind it';
  const last = lastChange === undefined ? '' : `, the last ${ago(lastChange, now)}`;
  return `${counted(rollouts, 'new rollout')}${last} · since ${dayAndTime(since)}`;
}

/** Shown while the full-text index is being built. Search works meanwhile, only slower. */
export function IndexChip() {
  const state = useSearchState();
  if (state === undefined || state.indexed >= state.rollouts) return null;
  return (
    <Link
      href="/search"
      className="job-chip"
      title={`The search index covers ${count(state.indexed)} of ${count(state.rollouts)} rollouts. Search reads the others directly`}
    >
      <progress value={state.indexed / Math.max(1, state.rollouts)} max={1} />
      indexing texts
    </Link>
  );
}

/** Shows running jobs on every page. The library page has their details and the cancel button. */
export function JobChip() {
  const jobs = useRequest('ingest.jobs', {}).data;
  const running = jobs?.filter((job) => job.state === 'running') ?? [];
  if (running.length === 0) return null;
  const done = running.reduce((sum, job) => sum + job.bytesDone, 0);
  const total = running.reduce((sum, job) => sum + job.bytes, 0);
  const rollouts = running.reduce((sum, job) => sum + job.rollouts, 0);
  return (
    <Link href="/" className="job-chip" title="Reading logs; the library page shows more">
      <progress value={total > 0 ? done / total : undefined} max={1} />
      {counted(rollouts, 'new rollout')}
    </Link>
  );
}

/** Shows a running verification of Python calls. Its own list has more, but none while a filter leaves no row. */
export function VerificationChip() {
  const { verification } = useVerification();
  if (verification?.state !== 'running') return null;
  const { verified, rollouts, from } = verification;
  return (
    <Link
      href={from}
      className="job-chip"
      title="Runs Python calls again; the list that it began in shows more"
    >
      <progress value={verified / Math.max(1, rollouts)} max={1} />
      {count(verified)} of {counted(rollouts, 'rollout')} verified
    </Link>
  );
}
