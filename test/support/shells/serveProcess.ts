/** The loopback host as `npm start -- --browser` runs it, in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('../../../electron/start/start.mjs', import.meta.url));

export interface ServedHost {
  /** Includes the token in its fragment. */
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** The first line on stdout is the URL; nothing else may be printed there. */
export async function serveProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServedHost> {
  const child = spawn(process.execPath, [START, '--browser', '--no-open', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the host ended (${code}):\n${said}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    async close() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      if (code !== 0) throw new Error(`the host ended with ${code}:\n${said}`);
    },
  };
}
