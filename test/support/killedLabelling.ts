/**
 * Labels rollouts through a host, one by one, and prints each id once it is answered: `node
 * killedLabelling.ts <library> <labels>`. The test kills it.
 */
import { createHost } from '../../electron/host/createHost.ts';
import type { AppliedChanges } from '../../shared/api/annotationRows.ts';
import type { RunSummary } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';

const [libraryPath = '', labels = '0'] = process.argv.slice(2);
const host = await createHost({ libraryPath, shell: 'browser', version: 'test' });

async function ask<T>(method: string, params: unknown): Promise<T> {
  const result = (await host.dispatch(method, params)) as Result<T>;
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

const [run] = await ask<readonly RunSummary[]>('run.list', {});
const { ids } = await ask<{ ids: Uint32Array }>('rollout.order', { runId: run?.runId ?? 0 });
for (let i = 0; i < Number(labels); i++) {
  const rolloutId = ids[i % ids.length] ?? 0;
  const put = { rolloutId, target: { kind: 'rollout' }, label: 'loops', note: `number ${i}` };
  const { annotations } = await ask<AppliedChanges>('annotation.apply', {
    author: 'ann',
    changes: [{ put }, { read: rolloutId, verdict: 'read' }],
  });
  process.stdout.write(`${annotations[0]?.id}\n`);
}
process.stdout.write('done\n');
await host.close();
