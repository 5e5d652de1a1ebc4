/**
 * Runs a user's statement in Electron's utility process. The RunAsNode fuse is off, so Node's fork is not
 * available.
 */
import type { ForkOptions, UtilityProcess } from 'electron';
import type { StartSqlProcess } from '../host/runSql.ts';

type Fork = (
  entry: string,
  args: string[],
  options: ForkOptions,
) => Pick<UtilityProcess, 'pid' | 'postMessage' | 'on' | 'kill'>;

/** @param end kills a process by its id; a running statement cannot receive a request to end */
export function sqlProcesses(
  utilityProcess: { readonly fork: Fork },
  end: (pid: number) => void = (pid) => process.kill(pid, 'SIGKILL'),
): StartSqlProcess {
  return (entry) => {
    const child = utilityProcess.fork(entry, [], { serviceName: 'Turnwise SQL', stdio: 'ignore' });
    let isWanted = true;
    let hasEnded = false;
    const kill = (): void => {
      isWanted = false;
      const { pid } = child;
      // The process has not started yet, or has ended, so the id is not ours.
      if (pid === undefined || hasEnded) return;
      try {
        end(pid);
      } catch {
        // The process has just ended.
        child.kill();
      }
    };
    child.on('spawn', () => {
      if (!isWanted) kill();
    });
    child.on('exit', () => {
      hasEnded = true;
    });
    return {
      send: (request) => {
        if (!hasEnded) child.postMessage(request);
      },
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void child.on('exit', listener),
      kill,
    };
  };
}
