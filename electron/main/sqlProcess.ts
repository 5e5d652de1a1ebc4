/** The process of a user's statement as Electron's utility process: the RunAsNode fuse is off, so Node's fork is not there. */
import type { ForkOptions, UtilityProcess } from 'electron';
import type { StartSqlProcess } from '../host/runSql.ts';

type Fork = (
  entry: string,
  args: string[],
  options: ForkOptions,
) => Pick<UtilityProcess, 'pid' | 'postMessage' | 'on' | 'kill'>;

/** @param end ends a process by its id at once; a statement that runs hears no request to end */
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
      // Not started yet, or gone: there is no process of ours with that id.
      if (pid === undefined || hasEnded) return;
      try {
        end(pid);
      } catch {
        // It has ended in this moment.
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
