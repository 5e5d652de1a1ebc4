/** Ingest relative to its floor, on the same files and disk, one after the other. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectArchive } from '../../fixtures/generate/inspectArchive.ts';
import { writeTokenLog } from '../../fixtures/generate/tokenLog.ts';
import { writeSmallRollouts, writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import { CLI } from '../support/commandLine.ts';
import { type Measurement, ratioOf } from './measurement.ts';

const FLOOR = join(import.meta.dirname, 'floor.ts');
const MIB = 1 << 20;

export async function benchVerlIngest(directory: string, mebibytes: number): Promise<Measurement[]> {
  const logs = join(directory, `verl-${mebibytes}`);
  const { bytes, files } = writeVerlDump(logs, mebibytes * MIB, { seed: 1 });
  return measureIngest(`ingest of ${mebibytes} MiB verl JSONL`, { directory, logs, files, bytes });
}

/** Many rollouts of 2 kB, each with a prompt of its own, at one step. */
export async function benchSmallRollouts(directory: string, rollouts: number): Promise<Measurement[]> {
  const logs = join(directory, `small-${rollouts}.jsonl`);
  const { bytes, files } = writeSmallRollouts(logs, rollouts, 1);
  const name = `ingest of ${rollouts.toLocaleString('en')} rollouts of 2 kB`;
  const results = await measureIngest(name, { directory, logs, files, bytes, mostRatio: 2.5 });
  rmSync(logs);
  return results.filter((result) => !result.name.includes('library size'));
}

/** An Inspect archive with samples of 16 kB, deflated to a quarter. */
export async function benchArchive(directory: string, samples: number): Promise<Measurement[]> {
  const logs = join(directory, 'samples.eval');
  writeFileSync(logs, inspectArchive(samples, 1));
  const name = `ingest of an .eval of ${samples.toLocaleString('en')} samples`;
  const bytes = statSync(logs).size;
  const results = await measureIngest(name, { directory, logs, files: [logs], bytes, mostRatio: 2 });
  rmSync(logs);
  return results.filter((result) => !result.name.includes('library size'));
}

export async function benchTokenIngest(directory: string, mebibytes: number): Promise<Measurement[]> {
  const logs = join(directory, `tokens-${mebibytes}`);
  const { bytes, files, tokens } = writeTokenLog(logs, mebibytes * MIB, 1);
  const name = `ingest of ${mebibytes} MiB with per-token arrays`;
  const results = await measureIngest(name, { directory, logs, files, bytes });
  // Four columns per token: offsets, mask, entropy, log-probability. Texts count too, so this is an upper bound.
  const size = statSync(join(directory, 'bench.sqlite')).size / tokens / 4;
  return [
    ...results.filter((result) => !result.name.includes('library size')),
    { name: 'library bytes per token and signal', value: size, unit: 'bytes', budget: 4, within: size <= 4 },
  ];
}

export async function measureIngest(
  name: string,
  {
    directory,
    logs,
    files,
    bytes,
    rounds = 3,
    mostRatio = 1.5,
  }: {
    readonly directory: string;
    readonly logs: string;
    readonly files: readonly string[];
    readonly bytes: number;
    readonly rounds?: number;
    readonly mostRatio?: number;
  },
): Promise<Measurement[]> {
  const library = join(directory, 'bench.sqlite');
  const floorLibrary = join(directory, 'floor.sqlite');
  const floors: number[] = [];
  const ingests: number[] = [];
  let peak = 0;
  // Interleaved, so that noise affects both; the best of each shows what the machine can do.
  for (let round = 0; round < rounds; round++) {
    for (const path of [library, floorLibrary]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
    const floor = await run([FLOOR, floorLibrary, ...files]);
    floors.push((JSON.parse(floor.out) as { seconds: number }).seconds);
    const ingest = await run([CLI, 'ingest', logs, '--library', library, '--json']);
    ingests.push((JSON.parse(ingest.out) as { seconds: number }).seconds);
    peak = Math.max(peak, ingest.peakMebibytes);
  }
  rmSync(floorLibrary, { force: true });
  const size = statSync(library).size / bytes;
  return [
    ratioOf(name, Math.min(...ingests), Math.min(...floors), 's', mostRatio),
    { name: `${name}: peak memory`, value: peak, unit: 'MiB', budget: 700, within: peak <= 700 },
    { name: `${name}: library size`, value: size, unit: '× the logs', budget: 0.8, within: size <= 0.8 },
  ];
}

function run(args: readonly string[]): Promise<{ out: string; peakMebibytes: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    let peakMebibytes = 0;
    const status = `/proc/${child.pid}/status`;
    // The kernel keeps the high-water mark, which must be read before the process ends.
    const timer = setInterval(() => {
      if (!existsSync(status)) return;
      const kib = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8'))?.[1];
      if (kib !== undefined) peakMebibytes = Math.max(peakMebibytes, Math.round(Number(kib) / 1024));
    }, 20);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      if (code === 0) resolve({ out, peakMebibytes });
      else reject(new Error(`${args.join(' ')} ended with code ${code}`));
    });
  });
}
