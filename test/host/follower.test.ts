/** Following growing files with a fake clock, so nothing waits. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, Follower } from '../../electron/host/follower.ts';
import { isBelowAny } from '../../electron/ingest/granted.ts';
import type { FollowRow } from '../../shared/api/contract.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

/** Time advances only in `look`, which runs due timers and waits for their work. */
class HandClock implements Clock {
  time = 0;
  readonly waits: number[] = [];
  private due: (() => void) | undefined;

  now(): number {
    return this.time;
  }

  after(milliseconds: number, then: () => void): () => void {
    this.waits.push(milliseconds);
    this.due = then;
    return () => {
      if (this.due === then) this.due = undefined;
    };
  }

  get isWaiting(): boolean {
    return this.due !== undefined;
  }

  fire(): void {
    const { due } = this;
    this.due = undefined;
    this.time += this.waits.at(-1) ?? 0;
    due?.();
  }
}

let place: Scratch;
let logs: string;
let opened: readonly string[];
let clock: HandClock;
let follower: Follower;
let asked: (readonly string[])[];
let news: (readonly FollowRow[])[];
/** Durations on the fake clock: of an ingest, and of a scan per file. */
let readingTakes: number;
let scanTakes: number;

beforeEach(() => {
  place = scratch();
  logs = join(place.directory, 'logs');
  mkdirSync(logs);
  opened = [logs];
  clock = new HandClock();
  asked = [];
  news = [];
  readingTakes = 0;
  scanTakes = 0;
  follower = new Follower({
    clock,
    onChange: (follows) => news.push(follows),
    mayRead: (path) => isBelowAny(path, opened),
    isIgnored: (path) => {
      clock.time += scanTakes;
      return path.startsWith(place.library);
    },
    read: async (paths) => {
      asked.push(paths);
      clock.time += readingTakes;
      const isFollowed = (path: string) => isBelowAny(path, opened);
      const { added, files } = await ingestHere(place.library, paths, { isFollowed });
      return { added, isUnread: files.some((file) => file.isUnread === true) };
    },
  });
});
afterEach(async () => {
  await follower.close();
  place.remove();
});

const line = (i: number): string =>
  `${JSON.stringify({ input: `q${i}`, output: `#### ${i}`, score: 1, step: 1 })}\n`;
const read = (): readonly unknown[] =>
  rows(place.library, 'SELECT answer FROM rollout ORDER BY path, line').map((row) => row['answer']);
const issues = () => rows(place.library, 'SELECT path, line, code FROM ingest_issue ORDER BY path');
const state = (): string | undefined => follower.list()[0]?.state;

/** One scan, as the timer would run it. */
async function look(): Promise<void> {
  const before = clock.waits.length;
  clock.fire();
  await expect.poll(() => clock.waits.length > before, { interval: 1 }).toBe(true);
}

describe('a directory that is followed', () => {
  it('is read at the first scan, and then only after changes', async () => {
    writeFileSync(join(logs, '1.jsonl'), line(1));
    follower.start(logs);
    await look();
    expect(read()).toEqual(['1']);
    await look();
    expect(asked).toEqual([[logs]]);
    appendFileSync(join(logs, '1.jsonl'), line(2));
    writeFileSync(join(logs, '2.jsonl'), line(3));
    await look();
    expect(asked.at(-1)).toEqual([join(logs, '1.jsonl'), join(logs, '2.jsonl')]);
    expect(read()).toEqual(['1', '2', '3']);
    expect(follower.list()).toMatchObject([{ path: logs, state: 'watching', rollouts: 3 }]);
  });

  it('leaves out a directory that is left, until it is followed again', async () => {
    const [a, b] = ['a', 'b'].map((name) => join(logs, name));
    for (const [i, directory] of [a, b].entries()) {
      mkdirSync(directory ?? '');
      writeFileSync(join(directory ?? '', '1.jsonl'), line(i));
    }
    follower.start(logs);
    await look();
    const undo = follower.leave(a ?? '');
    for (const directory of [a, b]) appendFileSync(join(directory ?? '', '1.jsonl'), line(2));
    await look();
    expect(asked.at(-1)).toEqual([join(b ?? '', '1.jsonl')]);
    undo();
    await look();
    expect(asked.at(-1)).toEqual([join(a ?? '', '1.jsonl')]);
    follower.leave(a ?? '');
    follower.start(logs);
    appendFileSync(join(a ?? '', '1.jsonl'), line(3));
    await look();
    expect(asked.at(-1)).toEqual([join(a ?? '', '1.jsonl')]);
  });

  it('is read on while a file takes too long for one look, and not if nothing comes of it', async () => {
    const reads = [
      { added: 3, isUnread: true },
      { added: 2, isUnread: true },
      { added: 0, isUnread: true },
    ];
    let times = 0;
    const slow = new Follower({
      clock,
      onChange: () => undefined,
      read: async () => reads[times++] ?? { added: 0, isUnread: true },
    });
    writeFileSync(join(logs, '1.jsonl'), line(1));
    slow.start(logs);
    for (let i = 0; i < 5; i++) await look();
    expect(times).toBe(3);
    expect(slow.list()).toMatchObject([{ state: 'watching', rollouts: 5 }]);
    await slow.close();
  });

  it('leaves the half of a line until the other half is there', async () => {
    const path = join(logs, '1.jsonl');
    const second = line(2);
    writeFileSync(path, line(1) + second.slice(0, 20));
    follower.start(logs);
    await look();
    expect(read()).toEqual(['1']);
    expect(issues()).toEqual([]);
    appendFileSync(path, second.slice(20));
    await look();
    expect(read()).toEqual(['1', '2']);
    expect(issues()).toEqual([]);
  });

  it('has no issue of a half line, of a first half line or of an empty file, before it is read unfollowed', async () => {
    const path = join(logs, '1.jsonl');
    writeFileSync(path, line(1) + line(2).slice(0, 20));
    writeFileSync(join(logs, '2.jsonl'), line(3).slice(0, 20));
    writeFileSync(join(logs, '3.jsonl'), '');
    follower.start(logs);
    await look();
    expect(issues()).toEqual([]);
    await ingestHere(place.library, [logs]);
    const reported = [
      { path, line: 2, code: 'incomplete_line' },
      { path: join(logs, '2.jsonl'), line: 1, code: 'no_records' },
      { path: join(logs, '3.jsonl'), line: null, code: 'empty_file' },
    ];
    expect(issues()).toEqual(reported);
    await ingestHere(place.library, [logs]);
    expect(issues()).toEqual(reported);
    await ingestHere(place.library, [logs], { isFollowed: () => true });
    expect(issues()).toEqual([]);
    writeFileSync(path, line(1) + line(2) + line(4));
    writeFileSync(join(logs, '2.jsonl'), line(3));
    await look();
    expect([...read()].sort()).toEqual(['1', '2', '3', '4']);
  });

  it('starts over with a file that was cut, or rewritten in its size', async () => {
    const path = join(logs, '1.jsonl');
    writeFileSync(path, line(1) + line(2) + line(3));
    follower.start(logs);
    await look();
    truncateSync(path, line(1).length);
    await look();
    expect(read()).toEqual(['1']);
    writeFileSync(path, line(7));
    utimesSync(path, 1, 1);
    await look();
    expect(read()).toEqual(['7']);
  });

  it('recognizes a rotated log', async () => {
    const path = join(logs, 'current.jsonl');
    writeFileSync(path, line(1) + line(2));
    follower.start(logs);
    await look();
    renameSync(path, join(logs, 'current.1.jsonl'));
    writeFileSync(path, line(3));
    await look();
    expect([...read()].sort()).toEqual(['1', '2', '3']);
  });

  it('is reported as lost, and continues when it is back', async () => {
    const path = join(logs, '1.jsonl');
    writeFileSync(path, line(1));
    follower.start(logs);
    await look();
    const content = readFileSync(path);
    rmSync(logs, { recursive: true });
    await look();
    expect(state()).toBe('lost');
    await look();
    expect(asked).toHaveLength(1);
    mkdirSync(logs);
    writeFileSync(path, content + line(2));
    await look();
    expect(state()).toBe('watching');
    expect(read()).toEqual(['1', '2']);
  });

  it('is reported and not read while a link leads elsewhere in its place', async () => {
    const other = join(place.directory, 'other');
    mkdirSync(other);
    writeFileSync(join(other, '2.jsonl'), line(2));
    writeFileSync(join(logs, '1.jsonl'), line(1));
    follower.start(logs);
    await look();
    renameSync(logs, `${logs} moved`);
    symlinkSync(other, logs);
    await look();
    expect(news.at(-1)).toMatchObject([{ path: logs, state: 'outside', rollouts: 1 }]);
    unlinkSync(logs);
    renameSync(`${logs} moved`, logs);
    appendFileSync(join(logs, '1.jsonl'), line(3));
    await look();
    expect(state()).toBe('watching');
    expect(read()).toEqual(['1', '3']);
  });

  it('skips the library file inside it', async () => {
    opened = [place.directory];
    follower.start(place.directory);
    writeFileSync(join(logs, '1.jsonl'), line(1));
    await look();
    await look();
    expect(asked).toEqual([[place.directory]]);
  });
});

describe('how often is looked', () => {
  it('scans at once, then every second, less often if a scan takes long, and never stops', async () => {
    follower.start(logs);
    expect(clock.waits).toEqual([0]);
    await look();
    expect(clock.waits.at(-1)).toBe(1000);
    const path = join(logs, '1.jsonl');
    for (const [took, wait] of [
      [200, 4000],
      [10, 1000],
      [60_000, 30_000],
    ] as const) {
      scanTakes = took;
      appendFileSync(path, line(took));
      await look();
      expect(clock.waits.at(-1)).toBe(wait);
    }
  });

  it('scans every second however long the ingest takes', async () => {
    readingTakes = 5000;
    follower.start(logs);
    writeFileSync(join(logs, '1.jsonl'), line(1));
    await look();
    expect(read()).toEqual(['1']);
    expect(clock.waits.at(-1)).toBe(1000);
  });

  it('continues after a failed ingest', async () => {
    let fails = true;
    const failing = new Follower({
      clock,
      onChange: () => undefined,
      read: async () => {
        if (fails) throw new Error('the library is busy');
        return { added: 1, isUnread: false };
      },
    });
    writeFileSync(join(logs, '1.jsonl'), line(1));
    failing.start(logs);
    await look();
    // Otherwise a full disk would be reported every second.
    expect(clock.waits.at(-1)).toBe(30_000);
    fails = false;
    appendFileSync(join(logs, '1.jsonl'), line(2));
    await look();
    expect(clock.waits.at(-1)).toBe(1000);
    expect(failing.list()).toMatchObject([{ state: 'watching', rollouts: 1 }]);
    await failing.close();
  });
});

describe('events', () => {
  it('report ingest and its results, and nothing without changes', async () => {
    writeFileSync(join(logs, '1.jsonl'), line(1));
    follower.start(logs);
    await look();
    expect(news.map((follows) => [follows[0]?.state, follows[0]?.rollouts])).toEqual([
      ['watching', 0],
      ['reading', 0],
      ['watching', 1],
    ]);
    await look();
    expect(news).toHaveLength(3);
  });

  it('report a path once, however often it is started, and none after it stops', async () => {
    follower.start(logs);
    follower.start(logs);
    expect(follower.list()).toHaveLength(1);
    follower.stop(logs);
    expect(follower.list()).toEqual([]);
    const told = news.length;
    writeFileSync(join(logs, '1.jsonl'), line(1));
    clock.fire();
    await follower.close();
    expect([asked, news.length]).toEqual([[], told]);
    expect(clock.isWaiting).toBe(false);
  });
});
