/**
 * Follows growing directories: looks at sizes and times, and has read what is new. Polling
 * only: change notices do not cross network file systems, and a look at the names and sizes
 * of hundreds of files takes milliseconds. Time comes from outside, so that tests need not wait.
 */

import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FollowRow } from '../../shared/api/contract.ts';

/** Between two looks; a slow file system is looked at less often, so that looking never is the load. */
const INTERVAL_MS = 1000;
const SHARE_OF_TIME = 20;
const LONGEST_INTERVAL_MS = 30_000;

export interface FollowerOptions {
  /** Reads files into the library. @returns how many rollouts were new */
  readonly read: (paths: readonly string[]) => Promise<number>;
  readonly onChange: (follows: readonly FollowRow[]) => void;
  /** Files that change because of the reading: the library. */
  readonly isIgnored?: (path: string) => boolean;
  readonly clock?: Clock;
}

export interface Clock {
  now(): number;
  /** @returns what cancels it */
  after(milliseconds: number, then: () => void): () => void;
}

const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, then) {
    const timer = setTimeout(then, milliseconds);
    // Nobody waits for a follower: it must not keep a process alive that has nothing else to do.
    timer.unref();
    return () => clearTimeout(timer);
  },
};

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });

interface Follow {
  readonly path: string;
  readonly since: number;
  seen: FileStates | undefined;
  state: FollowRow['state'];
  lastChange: number | undefined;
  rollouts: number;
}

export class Follower {
  private readonly options: FollowerOptions;
  private readonly clock: Clock;
  private readonly follows = new Map<string, Follow>();
  private cancelTimer: (() => void) | undefined;
  private looking: Promise<void> | undefined;

  constructor(options: FollowerOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  list(): readonly FollowRow[] {
    return [...this.follows.values()].map(({ seen: _seen, lastChange, ...follow }) => ({
      ...follow,
      ...(lastChange === undefined ? {} : { lastChange }),
    }));
  }

  /** What is there already is read by whoever opened the path; a file that changed meanwhile is simply looked at again. */
  start(path: string): void {
    if (this.follows.has(path)) return;
    const since = this.clock.now();
    this.follows.set(path, {
      path,
      since,
      seen: undefined,
      state: 'watching',
      lastChange: undefined,
      rollouts: 0,
    });
    this.options.onChange(this.list());
    this.schedule(0);
  }

  stop(path: string): void {
    if (!this.follows.delete(path)) return;
    this.options.onChange(this.list());
  }

  /** Nothing of this directory, or of what lies below it, is wanted any more. */
  stopBelow(directory: string): void {
    for (const path of this.follows.keys()) {
      if (path === directory || path.startsWith(`${directory}/`)) this.stop(path);
    }
  }

  async close(): Promise<void> {
    this.follows.clear();
    this.cancelTimer?.();
    await this.looking;
  }

  /** One look at everything followed, and the reading of what is new. */
  async look(): Promise<void> {
    for (const follow of [...this.follows.values()]) await this.lookOnce(follow);
  }

  private async lookOnce(follow: Follow): Promise<void> {
    const states = await lookAt(follow.path, this.options.isIgnored);
    if (!this.follows.has(follow.path)) return;
    if (states === undefined) {
      this.set(follow, 'lost');
      return;
    }
    const { seen } = follow;
    const changed = [...states].filter(([path, state]) => seen?.get(path) !== state).map(([path]) => path);
    // Ingest knows the order of a directory; of single files it is theirs here.
    const paths = seen === undefined ? [follow.path] : changed.sort(byName.compare);
    follow.seen = states;
    if (changed.length === 0) {
      this.set(follow, 'watching');
      return;
    }
    this.set(follow, 'reading');
    let added = 0;
    try {
      added = await this.options.read(paths);
    } catch (error) {
      // Reported as a job; what was to be read is looked at again.
      follow.seen = seen;
      this.set(follow, 'watching');
      throw error;
    }
    follow.rollouts += added;
    if (added > 0) follow.lastChange = this.clock.now();
    this.set(follow, 'watching', added > 0);
  }

  private set(follow: Follow, state: FollowRow['state'], isNews = false): void {
    if (follow.state === state && !isNews) return;
    follow.state = state;
    if (this.follows.has(follow.path)) this.options.onChange(this.list());
  }

  private schedule(milliseconds: number): void {
    if (this.looking !== undefined) return;
    this.cancelTimer?.();
    this.cancelTimer = this.clock.after(milliseconds, () => {
      const before = this.clock.now();
      this.looking = this.look()
        // A job that fails is reported as a job; following goes on.
        .catch(() => undefined)
        .then(() => {
          this.looking = undefined;
          const took = this.clock.now() - before;
          if (this.follows.size > 0) {
            this.schedule(Math.min(Math.max(INTERVAL_MS, took * SHARE_OF_TIME), LONGEST_INTERVAL_MS));
          }
        });
    });
  }
}

/** Path → size, time and inode; unequal means somebody wrote to it, or put another file in its place. */
export type FileStates = ReadonlyMap<string, string>;

/** @returns undefined when nothing is there */
export async function lookAt(
  path: string,
  isIgnored: (path: string) => boolean = () => false,
): Promise<FileStates | undefined> {
  const states = new Map<string, string>();
  if (!(await walk(path, states, new Set()))) return undefined;
  for (const found of states.keys()) if (isIgnored(found)) states.delete(found);
  return states;
}

/** @param seen real paths of the directories looked at: links may form circles */
async function walk(path: string, states: Map<string, string>, seen: Set<string>): Promise<boolean> {
  try {
    const found = await stat(path, { bigint: true });
    if (found.isFile()) states.set(path, `${found.size} ${found.mtimeNs} ${found.ino}`);
    else if (found.isDirectory()) {
      const real = await realpath(path);
      if (seen.has(real)) return true;
      seen.add(real);
      const names = await readdir(path);
      for (const name of names.filter((entry) => !entry.startsWith('.')).sort()) {
        await walk(join(path, name), states, seen);
      }
    }
    return true;
  } catch {
    // Gone between two looks, or not readable: the next look, or the ingest of the directory, says so.
    return false;
  }
}
