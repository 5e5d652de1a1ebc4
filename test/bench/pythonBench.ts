/**
 * Python calls run again: the first run, a later one, and 1,000 different calls verified by all processes of the host.
 * The floor is CPython where there is one: its start with the same code, and a call in an interpreter that runs.
 */
import { spawnSync } from 'node:child_process';
import { PythonPool, PythonRunner } from '../../electron/host/pythonRunner.ts';
import { type Measurement, percentile } from './measurement.ts';

const FIRST_S = 4;
/** Over the code's own time. */
const LATER_MS = 150;
const VERIFIED_S = 60;
const LATER_RUNS = 40;
const CALLS = 1000;
const LIMIT_MS = 10_000;

/** A small call of a tool, as policies write them. No two are equal. */
const callOf = (i: number): string => `print(sum(k * k for k in range(${1000 + i})))`;

export async function benchPython(): Promise<Measurement[]> {
  const floor = cpythonStart();
  const runner = new PythonRunner();
  const run = async (i: number): Promise<{ readonly wall: number; readonly own: number }> => {
    const started = performance.now();
    const answer = await runner.run({ cells: [{ code: callOf(i) }], seed: 1 }, LIMIT_MS);
    if (answer.kind !== 'done' || answer.stdout === '') throw new Error(`call ${i} did not run`);
    return { wall: performance.now() - started, own: answer.milliseconds };
  };
  const later: number[] = [];
  let first = 0;
  try {
    first = (await run(0)).wall / 1000;
    for (let i = 1; i <= LATER_RUNS; i++) {
      const { wall, own } = await run(i);
      later.push(wall - own);
    }
  } finally {
    runner.close();
  }
  const median = percentile(later, 0.5);
  const verified = await verifiedSeconds();
  return [
    {
      name: 'the first Python call, with the start of the process',
      ...{ value: first, unit: 's', budget: FIRST_S, within: first <= FIRST_S },
      ...overFloor(first, floor),
    },
    {
      name: 'a later Python call, over its own time',
      ...{ value: median, unit: 'ms', budget: LATER_MS, within: median <= LATER_MS },
      ...overFloor(median, floor && floor * 1000),
    },
    {
      name: `${CALLS} different Python calls`,
      ...{ value: verified, unit: 's', budget: VERIFIED_S, within: verified <= VERIFIED_S },
      ...overFloor(verified, floor && floor * CALLS),
    },
  ];
}

async function verifiedSeconds(): Promise<number> {
  const pool = new PythonPool();
  const started = performance.now();
  try {
    await Promise.all(
      Array.from({ length: CALLS }, (_, i) => pool.run({ cells: [{ code: callOf(i) }], seed: 1 }, LIMIT_MS)),
    );
    return (performance.now() - started) / 1000;
  } finally {
    pool.close();
  }
}

const overFloor = (value: number, floor: number | undefined): Pick<Measurement, 'floor' | 'ratio'> =>
  floor === undefined ? {} : { floor, ratio: value / floor };

/** Seconds that CPython needs for one call, from the start of its process. Undefined: there is none. */
function cpythonStart(): number | undefined {
  const times = Array.from({ length: 5 }, (_, i) => {
    const started = performance.now();
    const { status } = spawnSync('python3', ['-c', callOf(i)]);
    return status === 0 ? (performance.now() - started) / 1000 : Number.NaN;
  });
  const median = percentile(times, 0.5);
  return Number.isNaN(median) ? undefined : median;
}
