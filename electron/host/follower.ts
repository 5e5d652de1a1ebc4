/**
 * Follows growing directories: compares sizes and times, and ingests changed files. It polls, because
 * change notifications do not cross network file systems, and listing hundreds of files takes milliseconds.
 * Tests inject the clock.
 */

import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FollowRow } from '../../shared/api/contract.ts';
import { isWithin } from '../ingest/granted.ts';

/**
 * Polling interval. A slow file system is polled less often, so that polling is never the main load. Ingest time is
 * not included. Otherwise a log that takes a second to ingest would not be polled again for 20 seconds.
 */
const INTERVAL_MS = 1000;
const SHARE_OF_TIME = 20;
const LONGEST_INTERVAL_MS = 30_000;

export interface FollowerOptions {
  /** Ingests files. */
  readonly read: (paths: readonly string[]) => Promise<FollowedRead>;
  readonly onChange: (follows: readonly FollowRow[]) => void;
  /** Files that ingest itself changes, such as the library. */
  readonly isIgnored?: (path: string) => boolean;
  /** Called with the followed path, and each directory and link below it, before it is read. */
  readonly mayRead?: (path: string) => boolean;
  readonly clock?: Clock;
}

interface FollowedRead {
  /** Number of new rollouts. */
  readonly added: number;
  /** A file was not read to its end. */
  readonly isUnread: boolean;
}

export interface Clock {
  now(): number;
  /** @returns a function that cancels the timer */
  after(milliseconds: number, then: () => void): () => void;
}

const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, then) {
    const timer = setTimeout(then, milliseconds);
    // Following must not keep an otherwise finished process alive.
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
  /** Directories and files that are left out, even if a directory above them is followed. */
  private readonly left = new Set<string>();
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

  /** Starts to follow a path. The caller ingests the existing files. Unchanged files are only checked once more. */
  start(path: string): void {
    for (const directory of this.left) if (isWithin(directory, [path])) this.left.delete(directory);
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

  /**
   * Stops following this directory, even if one above it is followed.
   *
   * @returns a function that follows it again
   */
  leave(directory: string): () => void {
    const paths = [...this.follows.keys()].filter((path) => isWithin(path, [directory]));
    for (const path of paths) this.stop(path);
    this.left.add(directory);
    return () => {
      this.left.delete(directory);
      for (const path of paths) this.start(path);
    };
  }

  async close(): Promise<void> {
    this.follows.clear();
    this.cancelTimer?.();
    await this.looking;
  }

  /** Checks all followed paths and ingests changed files. @returns the duration in milliseconds without ingest */
  async look(): Promise<number> {
    let scanned = 0;
    for (const follow of [...this.follows.values()]) {
      const before = this.clock.now();
      const states = await readFileStates(follow.path, { ...this.options, isIgnored: this.isIgnored });
      scanned += this.clock.now() - before;
      await this.readChanges(follow, states);
    }
    return scanned;
  }

  private readonly isIgnored = (path: string): boolean =>
    this.options.isIgnored?.(path) === true || isWithin(path, this.left);

  private async readChanges(follow: Follow, states: FileStates | 'lost' | 'outside'): Promise<void> {
    if (!this.follows.has(follow.path)) return;
    if (typeof states === 'string') {
      this.set(follow, states);
      return;
    }
    const { seen } = follow;
    const changed = [...states].filter(([path, state]) => seen?.get(path) !== state).map(([path]) => path);
    // Ingest sorts a directory itself; a list of files is sorted here.
    const isInPart = [...this.left].some((directory) => isWithin(directory, [follow.path]));
    const paths = seen === undefined && !isInPart ? [follow.path] : changed.sort(byName.compare);
    follow.seen = states;
    if (changed.length === 0) {
      this.set(follow, 'watching');
      return;
    }
    this.set(follow, 'reading');
    let read: FollowedRead;
    try {
      read = await this.options.read(paths);
    } catch (error) {
      // A failure of reading is reported as a job, a crash of the thread in the log file. The same files are tried again.
      follow.seen = seen;
      this.set(follow, 'watching');
      throw error;
    }
    const { added, isUnread } = read;
    // A file that takes too long is read on at the next look, although it does not change.
    if (isUnread && added > 0) follow.seen = seen;
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
      this.looking = this.look()
        // Following continues. The longer interval avoids a report every second.
        .then(
          (scanned) => Math.min(Math.max(INTERVAL_MS, scanned * SHARE_OF_TIME), LONGEST_INTERVAL_MS),
          () => LONGEST_INTERVAL_MS,
        )
        .then((interval) => {
          this.looking = undefined;
          if (this.follows.size > 0) this.schedule(interval);
        });
    });
  }
}

/** Path → size, time and inode. A difference means that the file was written to or replaced. */
export type FileStates = ReadonlyMap<string, string>;

/** @returns `lost` when the path does not exist, `outside` when it may not be read */
export async function readFileStates(
  path: string,
  { isIgnored = () => false, mayRead = () => true }: Pick<FollowerOptions, 'isIgnored' | 'mayRead'> = {},
): Promise<FileStates | 'lost' | 'outside'> {
  if (!mayRead(path)) return 'outside';
  const states = new Map<string, string>();
  const seen = new Set<string>();
  // Only a link can lead outside, so plain files need no check. A directory may have thousands of them.
  return (await walk(path, { states, seen, isIgnored, mayRead })) ? states : 'lost';
}

interface Walk extends Required<Pick<FollowerOptions, 'isIgnored' | 'mayRead'>> {
  readonly states: Map<string, string>;
  /** Real paths of visited directories, because symbolic links may form cycles. */
  readonly seen: Set<string>;
}

async function walk(path: string, walked: Walk): Promise<boolean> {
  const { states, seen, isIgnored, mayRead } = walked;
  try {
    const found = await stat(path, { bigint: true });
    if (found.isFile()) {
      if (!isIgnored(path)) states.set(path, `${found.size} ${found.mtimeNs} ${found.ino}`);
    } else if (found.isDirectory()) {
      const real = await realpath(path);
      if (seen.has(real)) return true;
      seen.add(real);
      const entries = await readdir(path, { withFileTypes: true });
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const below = join(path, entry.name);
        if (!entry.name.startsWith('.') && (entry.isFile() || mayRead(below))) await walk(below, walked);
      }
    }
    return true;
  } catch {
    // The file was deleted meanwhile or is not readable. The next check or the ingest reports that.
    return false;
  }
}
