/** Three shapes of logs in three formats: one file, 500 files, one line of 18 MB. Each relative to its floor. */
import { join } from 'node:path';
import { BIG_FORMATS, writeBigLogs, writeLongLine } from '../../fixtures/generate/bigLogs.ts';
import { measureIngest } from './ingestBench.ts';
import type { Measurement } from './measurement.ts';

const MIB = 1 << 20;
const FILES = 500;
const LONG_LINE = 18_000_000;
const ROUNDS = 2;

/** @param mebibytes of the one file, and of the 500 files together */
export async function benchShapes(directory: string, mebibytes: number): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const format of BIG_FORMATS) {
    const place = (shape: string): string => join(directory, `${format}-${shape}`);
    const one = writeBigLogs(place('one'), format, { bytes: mebibytes * MIB, files: 1, seed: 1 });
    results.push(
      ...(await measured(`${format}: one file of ${mebibytes} MiB`, directory, place('one'), one)),
    );
    const many = writeBigLogs(place('many'), format, { bytes: mebibytes * MIB, files: FILES, seed: 2 });
    results.push(
      ...(await measured(
        `${format}: ${FILES} files of ${mebibytes} MiB together`,
        directory,
        place('many'),
        many,
      )),
    );
    const line = writeLongLine(place('line'), format, { bytes: LONG_LINE, seed: 3 });
    results.push(...(await measured(`${format}: one line of 18 MB`, directory, place('line'), line)));
  }
  return results;
}

async function measured(
  name: string,
  directory: string,
  logs: string,
  { bytes, files }: { readonly bytes: number; readonly files: readonly string[] },
): Promise<readonly Measurement[]> {
  const results = await measureIngest(name, { directory, logs, files, bytes, rounds: ROUNDS });
  return results.filter((result) => !result.name.includes('library size'));
}
