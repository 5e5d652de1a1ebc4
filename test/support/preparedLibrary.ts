/**
 * Libraries that several tests start from. Each is ingested once per test run, by the first test that needs
 * it, and copied by the others.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ingestHere } from './library.ts';

export const DEMO_LOG = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));

/** Vitest's global set-up. Tests receive the directory in their environment. */
export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-prepared-'));
  process.env['TURNWISE_PREPARED'] = directory;
  // Keeps tests away from the user's data, on every system.
  process.env['TURNWISE_HOME'] = join(directory, 'data');
  return () => rmSync(directory, { recursive: true, force: true });
}

function preparedDirectory(): string {
  const directory = process.env['TURNWISE_PREPARED'];
  if (directory === undefined) throw new Error('TURNWISE_PREPARED is set by the global set-up of Vitest');
  return directory;
}

const STEPS = 2;

/** A log of the first two steps of the demo run: 318 rollouts, for tests that read a log many times. */
export function beginningOfDemo(): string {
  const path = join(preparedDirectory(), 'beginning.jsonl');
  if (existsSync(path)) return path;
  const lines = readFileSync(DEMO_LOG, 'utf8').split('\n');
  let steps = 0;
  const end = lines.findIndex((line) => line.includes('"type":"metric"') && ++steps === STEPS);
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${lines.slice(0, end + 1).join('\n')}\n`);
  renameSync(own, path);
  return path;
}

/**
 * @param libraryPath path without a library yet
 * @param logs fixtures, which no test changes
 */
export async function copyLibraryOf(libraryPath: string, logs: readonly string[]): Promise<void> {
  const directory = preparedDirectory();
  const name = createHash('sha256').update(logs.join('\n')).digest('hex').slice(0, 16);
  const made = join(directory, `${name}.sqlite`);
  if (!existsSync(made)) {
    // Two workers may do this at once; the second renames an equal file over the first.
    const own = join(mkdtempSync(join(directory, 'making-')), 'library.sqlite');
    const { files } = await ingestHere(own, logs);
    if (!files.some(({ status }) => status === 'read'))
      throw new Error(`nothing to read in ${logs.join(', ')}`);
    if (existsSync(`${own}-wal`)) throw new Error('the library is not in one file');
    renameSync(own, made);
  }
  copyFileSync(made, libraryPath);
}

export const copyDemoLibrary = (libraryPath: string): Promise<void> => copyLibraryOf(libraryPath, [DEMO_LOG]);
