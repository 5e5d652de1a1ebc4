/**
 * Runs the command line in this process, because starting Node costs more than most commands. Signals, pipes
 * and leftover processes are tested with real processes.
 */
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../electron/cli/runCommand.ts';

/** The bundled command line, for processes. */
export const CLI = fileURLToPath(new URL('../../dist/electron/cli.js', import.meta.url));

export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * @param directory base of relative paths
 * @param env variables that differ from those of this process
 */
export async function runHere(
  directory: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const text = { stdout: '', stderr: '' };
  const restore: (() => void)[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const { write } = stream;
    const decoder = new TextDecoder();
    stream.write = ((chunk: string | Uint8Array) => {
      text[name] += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      return true;
    }) as typeof write;
    restore.push(() => {
      stream.write = write;
    });
  }
  for (const [name, value] of Object.entries({ ...env, INIT_CWD: directory })) {
    const before = process.env[name];
    process.env[name] = value;
    restore.push(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  // A command relies on the process's end to remove its listeners.
  for (const signal of SIGNALS) {
    const before = process.listeners(signal);
    restore.push(() => {
      for (const listener of process.listeners(signal))
        if (!before.includes(listener)) process.off(signal, listener);
    });
  }
  try {
    const code = await runCommand(argv);
    return { code, out: text.stdout, err: text.stderr };
  } finally {
    for (const undo of restore) undo();
  }
}
