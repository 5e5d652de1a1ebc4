/** Pushes whose process is killed at a request that it sends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'electron', 'cli.js');

export interface Killer {
  /**
   * Runs one push after the other, to one address: a push keeps what it has read in a library for its address.
   *
   * @param what the logs, or `--library` and its path
   * @param at number of the request at which it is killed, from 1. Those with an odd number still reach the server
   * @param env of its process
   * @returns whether it was killed, or ended before
   * @throws Error with what it printed, if it failed otherwise
   */
  push(what: readonly string[], at: number, env?: NodeJS.ProcessEnv): Promise<'killed' | 'ended'>;
  close(): Promise<void>;
}

/** Issues in the logs, which are pushed nevertheless. */
const PUSHED_WITH_ISSUES = 3;

/** @param to URL of the warehouse */
export async function killerOfPushes(to: string): Promise<Killer> {
  const target = new URL(to);
  let child: ChildProcess;
  let requests = 0;
  let last = 0;
  const relay = createServer((incoming, answer) => {
    requests += 1;
    if (requests === last) child.kill('SIGKILL');
    if (requests === last && last % 2 === 0) return void answer.destroy();
    const { method, url, headers } = incoming;
    const forwarded = request(
      { host: target.hostname, port: target.port, method, path: url, headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer).on('error', () => undefined);
      },
    );
    forwarded.on('error', () => answer.destroy());
    incoming.on('error', () => forwarded.destroy());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const address = relay.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    push: async (what, at, env = process.env) => {
      [requests, last] = [0, at];
      const args = ['warehouse', 'push', ...what, '--to', `http://127.0.0.1:${port}${target.pathname}`];
      const started = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env });
      child = started;
      const printed = text(started.stderr);
      const [code, signal] = (await once(started, 'exit')) as [number | null, string | null];
      if (signal === 'SIGKILL') return 'killed';
      if (code === 0 || code === PUSHED_WITH_ISSUES) return 'ended';
      throw new Error(`the push ended with ${code ?? signal}: ${await printed}`);
    },
    close: async () => {
      relay.closeAllConnections();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}
