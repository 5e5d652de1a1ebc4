/**
 * Kills this process before its n-th step: a statement that writes, in whatever connection, or a call that changes a
 * file. Independent of time, so a failing point can be repeated.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';

const FILE_CALLS = ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'linkSync', 'rmSync'] as const;

/** @param point 0: never. @returns the number of steps so far */
export function killBefore(point: number): () => number {
  let steps = 0;
  const step = (): void => {
    if (++steps === point) process.kill(process.pid, 'SIGKILL');
  };
  const before =
    <T extends (...args: never[]) => unknown>(call: T) =>
    (self: unknown, args: unknown[]): unknown => {
      step();
      return Reflect.apply(call, self, args);
    };
  const replace = (owner: object, name: string): void => {
    const call = before(Reflect.get(owner, name) as (...args: never[]) => unknown);
    Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
      return call(this, args);
    });
  };
  const db = new Database(':memory:');
  replace(Object.getPrototypeOf(db.prepare('SELECT 1')) as object, 'run');
  replace(Database.prototype, 'exec');
  db.close();
  for (const name of FILE_CALLS) replace(fs, name);
  syncBuiltinESMExports();
  return () => steps;
}

/**
 * Kills this process, in the middle of a statement, once a file has this size. @returns a promise that resolves when
 * the file is watched
 */
export function killAtSize(path: string, bytes: number): Promise<void> {
  const watch = `
    const { statSync } = require('node:fs');
    const { parentPort } = require('node:worker_threads');
    parentPort.postMessage('watching');
    for (;;) {
      const size = statSync(${JSON.stringify(path)}, { throwIfNoEntry: false })?.size ?? 0;
      if (size >= ${bytes}) process.kill(process.pid, 'SIGKILL');
    }`;
  const worker = new Worker(watch, { eval: true });
  worker.unref();
  return new Promise((resolve) => worker.once('message', () => resolve()));
}
