/**
 * A host and its server in a separate process, so that event loop gaps are its own. Prints its URL. For each
 * list of paths it ingests them and prints the longest gap.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startServer } from '../../electron/headless/startServer.ts';
import { createHost } from '../../electron/host/createHost.ts';
import type { ResultOf } from '../../shared/api/contract.ts';

const [libraryPath = '', rendererDirectory = ''] = process.argv.slice(2);
const host = await createHost({ libraryPath, shell: 'browser', version: 'bench' });
const server = await startServer({ host, rendererDirectory });

process.on('message', async (paths: readonly string[]) => {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await host.ingest(paths);
  delays.disable();
  const runs = await host.dispatch('run.list', {});
  const runKey = runs.ok ? (runs.value as ResultOf<'run.list'>)[0]?.runKey : undefined;
  process.send?.({ longestGapMs: delays.max / 1e6, runKey });
});
process.on('disconnect', async () => {
  await server.close();
  await host.close();
});
process.send?.({ url: server.url });
