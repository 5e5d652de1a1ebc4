/** The process of the loopback host starts again with other settings of glibc and V8. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { scratch } from '../support/library.ts';

const MODULE = fileURLToPath(new URL('../../electron/headless/keepLessMemory.ts', import.meta.url));

async function started(env: Readonly<Record<string, string>>) {
  const place = scratch();
  const script = place.file(
    'start.mjs',
    `import { getHeapSpaceStatistics } from 'node:v8';
     import { parentPort, Worker } from 'node:worker_threads';
     import { keepLessMemory } from ${JSON.stringify(MODULE)};
     const young = () => {
       const kept = [];
       for (let i = 0; i < 6_000_000; i++) kept[i % 400_000] = { i };
       return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20;
     };
     if (parentPort !== null) {
       parentPort.postMessage(young());
       process.exit();
     }
     keepLessMemory();
     const worker = new Worker(new URL(import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: 96 } });
     const inWorker = await new Promise((resolve) => worker.once('message', resolve));
     const newSpaces = { main: young(), worker: inWorker };
     const settings = Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')).sort();
     console.log(JSON.stringify({ pid: process.pid, args: process.argv.slice(2), flags: process.execArgv, settings, newSpaces }));`,
  );
  const rest = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('MALLOC_')),
  );
  const child = spawn(process.execPath, ['--stack-size=900', script, 'a b', '--c'], {
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  place.remove();
  return { child: child.pid, printed: JSON.parse(printed) as Record<string, unknown> };
}

it.skipIf(process.platform !== 'linux')('keeps its id and arguments when it starts again', async () => {
  const { child, printed } = await started({});
  const { newSpaces, ...rest } = printed;
  const { main = 0, worker = 0 } = newSpaces as Record<string, number>;
  expect(main).toBeLessThanOrEqual(17);
  expect(worker).toBeGreaterThan(main);
  expect(rest).toEqual({
    ...{ pid: child, args: ['a b', '--c'], flags: ['--stack-size=900', '--max-semi-space-size=8'] },
    settings: [
      ['MALLOC_ARENA_MAX', '2'],
      ['MALLOC_MMAP_THRESHOLD_', '65536'],
      ['MALLOC_TRIM_THRESHOLD_', '65536'],
    ],
  });
});

it('keeps what the user has set', async () => {
  const { printed } = await started({ MALLOC_TRIM_THRESHOLD_: '1' });
  expect(printed['settings']).toEqual([['MALLOC_TRIM_THRESHOLD_', '1']]);
});
