/**
 * `npm run bench`: every budget, measured. Prints one JSON object on stdout and a table on stderr.
 *
 *   npm run bench                 all
 *   npm run bench -- ingest list  some of: ingest, gigabyte, shapes, gigabytes, tokens, list, scale, browse, search, roc, pack, live, paint, replay, trips, compare, python, align, warehouse
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from './measurement.ts';

const SECTIONS: Readonly<Record<string, (directory: string) => Promise<readonly Measurement[]>>> = {
  ingest: async (directory) => {
    const { benchArchive, benchSmallRollouts, benchVerlIngest } = await import('./ingestBench.ts');
    return [
      ...(await benchVerlIngest(directory, 200)),
      ...(await benchSmallRollouts(directory, 20_000)),
      ...(await benchSmallRollouts(directory, 200_000)),
      ...(await benchArchive(directory, 20_000)),
    ];
  },
  gigabyte: async (directory) => (await import('./ingestBench.ts')).benchVerlIngest(directory, 1024),
  shapes: async (directory) => (await import('./shapeBench.ts')).benchShapes(directory, 128),
  gigabytes: async (directory) => (await import('./shapeBench.ts')).benchShapes(directory, 1024),
  tokens: async (directory) => (await import('./ingestBench.ts')).benchTokenIngest(directory, 200),
  list: async (directory) => (await import('./listBench.ts')).benchFirstPage(directory),
  scale: async (directory) => (await import('./scaleBench.ts')).benchScale(directory),
  browse: async (directory) => (await import('./browseBench.ts')).benchBrowsing(directory),
  search: async (directory) => (await import('./searchBench.ts')).benchSearch(directory),
  roc: async (directory) => (await import('./rocBench.ts')).benchRoc(directory),
  pack: async (directory) => (await import('./packBench.ts')).benchPack(directory),
  live: async (directory) => (await import('./liveBench.ts')).benchLive(directory),
  paint: async (directory) => (await import('./paintBench.ts')).benchPaint(directory),
  replay: async (directory) => (await import('./replayBench.ts')).benchReplay(directory),
  trips: async (directory) => (await import('./tripsBench.ts')).benchTrips(directory),
  compare: async (directory) => (await import('./compareBench.ts')).benchCompare(directory),
  python: async () => (await import('./pythonBench.ts')).benchPython(),
  failures: async (directory) => (await import('./failureBench.ts')).benchFailures(directory),
  warehouse: async (directory) => (await import('./warehouseBench.ts')).benchWarehouse(directory),
  align: async () => (await import('./alignBench.ts')).benchAlignment(),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0) {
  console.error(
    `bench: no section is named ${unknown.join(', ')}; there are ${Object.keys(SECTIONS).join(', ')}`,
  );
  process.exit(2);
}

const results: Measurement[] = [];
for (const [name, section] of Object.entries(SECTIONS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  process.env['TURNWISE_HOME'] = join(directory, 'data');
  try {
    for (const result of await section(directory)) {
      results.push(result);
      console.error(lineOf(result));
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
process.stdout.write(
  `${JSON.stringify({ node: process.version, cpus: cpus().length, model: cpus()[0]?.model, results }, undefined, 1)}\n`,
);

function lineOf({ name, value, unit, floor, ratio, budget, within }: Measurement): string {
  const shown = (number: number): string => (number >= 100 ? number.toFixed(0) : number.toFixed(2));
  const overFloor =
    floor === undefined || ratio === undefined
      ? ''
      : `, ${ratio.toFixed(2)} × the floor of ${shown(floor)} ${unit}`;
  const verdict =
    budget === undefined ? '' : `  (budget ${budget}: ${within === true ? 'held' : 'NOT HELD'})`;
  return `${name}: ${shown(value)} ${unit}${overFloor}${verdict}`;
}
