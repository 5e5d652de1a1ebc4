/**
 * Which loads the copy of a step is made of. A step that was sent again may have the same sums, and other texts or tokens.
 */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { stepDirectory } from '../export/dataSet.ts';
import type { Warehouse } from './connection.ts';

/** Beside the rollouts of a step. A library does not read files whose name begins with a point. */
export const LOADS_FILE = '.loads';
/** Length of a SHA-256 hash in hexadecimal. */
const HASH_CHARS = 64;

/** @param partition directory of the step's rollouts */
export function writeLoads(partition: string, loads: readonly string[]): void {
  const hash = createHash('sha256')
    .update([...loads].sort().join('\n'))
    .digest('hex');
  writeFileSync(join(partition, LOADS_FILE), hash, { mode: 0o600 });
}

/**
 * @param directory of the copies of the run
 * @returns what identifies the loads of each step that was copied from other loads than it has now
 */
export async function replacedSteps(
  warehouse: Warehouse,
  run: string,
  directory: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  if (!existsSync(join(directory, 'rollouts'))) return new Map();
  const steps = await warehouse.parsed(
    z.object({ step: z.number().int().nullable(), loads: z.string() }),
    // As a hash, because a step may have the loads of many logs.
    `SELECT step, lower(hex(SHA256(arrayStringConcat(arraySort(groupArray(toString(load))), '\\n')))) AS loads
    FROM load WHERE run = {run:String} GROUP BY step`,
    { run },
    signal,
  );
  return new Map(
    steps.flatMap(({ step, loads }) => {
      const copied = copiedLoads(join(directory, 'rollouts', stepDirectory(run, step ?? undefined)));
      return copied === undefined || copied === loads ? [] : [[step ?? 0, loads] as const];
    }),
  );
}

/** @returns undefined if the step is not copied, or was copied by a version that did not write this */
function copiedLoads(partition: string): string | undefined {
  const path = join(partition, LOADS_FILE);
  // Beside a library of somebody else, this may be a pipe, and reading it would never end.
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= HASH_CHARS ? readFileSync(path, 'utf8') : undefined;
}
