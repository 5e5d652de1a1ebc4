/**
 * A lock for installing and building this checkout. A second `npm start` or `npm test` waits for it and
 * then finds nothing to do.
 *
 * The lock is a directory, because mkdir is atomic everywhere. It is outside the checkout, because `npm ci`
 * deletes node_modules and a build empties dist.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
/**
 * Milliseconds between creating the directory and writing the owner's pid. After that the owner counts as
 * dead.
 */
const UNOWNED_MS = 5_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isAbandoned(directory) {
  try {
    const owner = Number(readFileSync(join(directory, 'pid'), 'utf8'));
    if (Number.isInteger(owner) && owner > 0) return !isAlive(owner);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  try {
    // A time in the future means that the clock was set back.
    return Math.abs(Date.now() - statSync(directory).mtimeMs) > UNOWNED_MS;
  } catch (error) {
    if (error.code === 'ENOENT') return false; // released in the meantime
    throw error;
  }
}

/** A directory that other users cannot write to, unlike the one for temporary files. */
function ownDirectory() {
  const cache = process.env.LOCALAPPDATA || process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const directory = join(cache, 'turnwise');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/**
 * @template T
 * @param {string} root the checkout
 * @param {() => T | Promise<T>} work
 * @param {{ directory?: string, onWait?: () => void }} [options]
 * @returns {Promise<T>}
 */
export async function withLock(root, work, options = {}) {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const directory = options.directory ?? join(ownDirectory(), `${name}.lock`);
  for (let waits = 0; ; waits += 1) {
    try {
      mkdirSync(directory);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(directory)) {
      rmSync(directory, { recursive: true, force: true });
      continue;
    }
    if (waits === 0) options.onWait?.();
    await sleep(POLL_MS);
  }
  writeFileSync(join(directory, 'pid'), String(process.pid));
  const release = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}
