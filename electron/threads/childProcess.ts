/**
 * A process for what can end or block one: what a user wrote, and files from elsewhere. It can be killed at any moment.
 * Node's fork starts it, or a shell's own way (Electron's utilityProcess).
 */
import { fork } from 'node:child_process';

export interface ChildProcess<Sent, Received> {
  send(message: Sent): void;
  onMessage(listener: (message: Received) => void): void;
  /** @param listener gets the exit code, null for a kill, or the reason why the process could not be started */
  onExit(listener: (why: number | null | Error) => void): void;
  kill(): void;
}

export interface ProcessOptions {
  /** Shown by the system's list of processes, where the shell supports it. */
  readonly name: string;
  readonly execArgv?: readonly string[];
  /** Starts the process without the variables of this one. */
  readonly isWithoutEnvironment?: boolean;
}

/** @param entry path of the process's code */
export type StartProcess = <Sent, Received>(
  entry: string,
  options: ProcessOptions,
) => ChildProcess<Sent, Received>;

/** Windows cannot load its libraries without this variable. */
export const emptyEnvironment = (): Record<string, string> =>
  process.env['SystemRoot'] === undefined ? {} : { SystemRoot: process.env['SystemRoot'] };

export function forkProcess<Sent, Received>(
  entry: string,
  { execArgv = [], isWithoutEnvironment = false }: ProcessOptions,
): ChildProcess<Sent, Received> {
  const child = fork(entry, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [...execArgv],
    ...(isWithoutEnvironment && { env: emptyEnvironment() }),
  });
  return {
    // A child that has exited is disconnected; its exit event settles the request.
    send: (message) => void (child.connected && child.send(message as object)),
    onMessage: (listener) => void child.on('message', (message) => listener(message as Received)),
    onExit: (listener) => {
      child.on('exit', listener);
      // Without a listener, the error would end this process.
      child.on('error', listener);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
