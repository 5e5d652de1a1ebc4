import type { FollowRow } from '../../shared/api/contract.ts';
import type { Host } from '../host/host.ts';

/** Says on stdout what each look brought, until interrupted. @returns the exit code */
export async function followUntilStopped(
  host: Host,
  paths: readonly string[],
  signal: { readonly aborted: boolean; addEventListener(type: 'abort', listener: () => void): void },
): Promise<number> {
  let told = 0;
  const unsubscribe = host.subscribe(({ event, payload }) => {
    if (event !== 'follow.changed') return;
    const rollouts = payload.follows.reduce((sum: number, follow: FollowRow) => sum + follow.rollouts, 0);
    if (rollouts > told)
      process.stdout.write(`${new Date().toISOString()}  ${rollouts - told} new rollouts\n`);
    told = rollouts;
  });
  await host.dispatch('follow.start', { paths });
  process.stderr.write('following; Ctrl-C ends it\n');
  // The follower's own timer keeps no process alive.
  const heartbeat = setInterval(() => undefined, 60_000);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
  clearInterval(heartbeat);
  unsubscribe();
  return 0;
}
