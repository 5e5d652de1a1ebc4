/** Clusters and detectors of 10,000 rollouts, over one read and parse of their log lines in the same run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import type { DetectorReport, FailureClusters } from '../../shared/api/contract.ts';
import { type Measurement, ratioOf } from './measurement.ts';

const ROLLOUTS = 10_000;
const STEPS = 10;
const ROUNDS = 3;
const BUDGET_S = 5;

export async function benchFailures(directory: string): Promise<Measurement[]> {
  const logs = join(directory, 'failures');
  const rolloutsPerStep = ROLLOUTS / STEPS;
  writeVerlDump(logs, Number.MAX_SAFE_INTEGER, { seed: 5, rolloutsPerStep, padding: 0, steps: STEPS });
  const floor = floorOf(logs);
  const host = await createHost({
    ...{ libraryPath: join(directory, 'failures.sqlite'), shell: 'browser', version: 'bench' },
  });
  try {
    const report = await host.ingest([logs]);
    if (report.rollouts !== ROLLOUTS) throw new Error(`${report.rollouts} rollouts instead of ${ROLLOUTS}`);
    const clusters = await bestOf(host, 'problem.failures');
    const { wrong } = clusters.value as FailureClusters;
    const detectors = await bestOf(host, 'detector.report');
    const { rollouts } = detectors.value as DetectorReport;
    return [
      { name: `clusters of the ${wrong} incorrect of 10,000 rollouts`, seconds: clusters.seconds },
      { name: `detectors over ${rollouts} rollouts`, seconds: detectors.seconds },
    ].map(({ name, seconds }) => ({
      ...ratioOf(name, seconds, floor, 's', BUDGET_S),
      within: seconds <= BUDGET_S,
    }));
  } finally {
    await host.close();
  }
}

async function bestOf(host: Host, method: 'problem.failures' | 'detector.report') {
  let seconds = Number.POSITIVE_INFINITY;
  let value: unknown;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    const found = await host.dispatch(method, { runId: 1 });
    if (!found.ok) throw new Error(found.failure.message);
    seconds = Math.min(seconds, (performance.now() - started) / 1000);
    value = found.value;
  }
  return { seconds, value };
}

/** Seconds to read and parse the log. */
function floorOf(logs: string): number {
  const started = performance.now();
  for (const name of readdirSync(logs))
    for (const line of readFileSync(join(logs, name), 'utf8').split('\n')) if (line !== '') JSON.parse(line);
  return (performance.now() - started) / 1000;
}
