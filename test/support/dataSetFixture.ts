/**
 * Writes `fixtures/turnwise-parquet/one-group/run=…/part-0.parquet`: one group of the demo run as a data set.
 * `node test/support/dataSetFixture.ts`
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDataSet } from '../../electron/export/dataSet.ts';
import { createHost } from '../../electron/host/createHost.ts';
import { openReader } from '../../electron/storage/open.ts';
import { demoLines } from '../../fixtures/generate/demo.ts';

const directory = mkdtempSync(join(realpathSync(tmpdir()), 'turnwise-data-set-'));
try {
  const log = join(directory, 'log.jsonl');
  const lines = demoLines().filter((line) => {
    const { type, step, group, index, split } = JSON.parse(line) as Record<string, unknown>;
    const isOfGroup = step === 0 && group === 'pairs-of-divisors' && split !== 'eval' && Number(index) < 3;
    return type === 'run' || ((type === 'rollout' || type === 'decision') && isOfGroup);
  });
  writeFileSync(log, `${lines.join('\n')}\n`);
  const library = join(directory, 'library.sqlite');
  const host = await createHost({ libraryPath: library, shell: 'browser', version: 'fixture' });
  await host.ingest([log]);
  await host.close();
  const db = openReader(library);
  const to = join(directory, 'data');
  for (const _ of writeDataSet(db, { directory: to }));
  db.close();
  const below = join('run=synthetic-grpo-roc-demo', 'step=0');
  const place = join(import.meta.dirname, '..', '..', 'fixtures', 'turnwise-parquet', 'one-group', below);
  mkdirSync(place, { recursive: true });
  cpSync(join(to, 'rollouts', below, 'part-0.parquet'), join(place, 'part-0.parquet'));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
