/** A push whose process is killed at a request that it sends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'electron', 'cli.js');

/**
 * @param to URL of the warehouse
 * @param at number of the request, from 1. Those with an odd number still reach the server
 * @returns whether the push was killed, or ended before
 */
export async function killedPush(library: string, to: string, at: number): Promise<'killed' | 'ended'> {
  const target = new URL(to);
  let requests = 0;
  const relay = createServer((incoming, answer) => {
    requests += 1;
    const isLast = requests === at;
    if (isLast) child.kill('SIGKILL');
    if (isLast && at % 2 === 0) return void answer.destroy();
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
  const child = spawn(
    process.execPath,
    [CLI, 'warehouse', 'push', '--library', library, '--to', `http://127.0.0.1:${port}${target.pathname}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  relay.closeAllConnections();
  await new Promise((resolve) => relay.close(resolve));
  if (signal === 'SIGKILL') return 'killed';
  if (code !== 0) throw new Error(`the push ended with ${code ?? signal}`);
  return 'ended';
}
