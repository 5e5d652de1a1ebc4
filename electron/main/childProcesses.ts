/**
 * Starts processes for what a user wrote as Electron's utility processes. The RunAsNode fuse is off, so Node's
 * fork is not available.
 */
import type { ForkOptions, UtilityProcess } from 'electron';
import { emptyEnvironment, type StartProcess } from '../threads/childProcess.ts';

type Fork = (
  entry: string,
  args: string[],
  options: ForkOptions,
) => Pick<UtilityProcess, 'pid' | 'postMessage' | 'on' | 'kill'>;

/** @param end kills a process by its id; running code cannot receive a request to end */
export function childProcesses(
  utilityProcess: { readonly fork: Fork },
  end: (pid: number) => void = (pid) => process.kill(pid, 'SIGKILL'),
): StartProcess {
  return (entry, { name, execArgv = [], isWithoutEnvironment = false }) => {
    const child = utilityProcess.fork(entry, [], {
      serviceName: name,
      stdio: 'ignore',
      execArgv: [...execArgv],
      ...(isWithoutEnvironment && { env: emptyEnvironment() }),
    });
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
      send: (message) => {
        if (!hasEnded) child.postMessage(message);
      },
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void child.on('exit', listener),
      kill,
    };
  };
}
