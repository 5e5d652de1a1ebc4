/**
 * A warehouse for tests: the server of `TURNWISE_CLICKHOUSE`, or ClickHouse's own engine (`server.ts`), which is
 * installed beside this file the first time.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Platforms that the engine's package has binaries for. */
export const hasEngine =
  process.env['TURNWISE_CLICKHOUSE'] !== undefined || ['linux', 'darwin'].includes(process.platform);

export interface Engine {
  /** Without a database. */
  readonly server: string;
  /** The data of a stopped engine are there again after it. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

const HERE = import.meta.dirname;

export async function openEngine(): Promise<Engine> {
  const given = process.env['TURNWISE_CLICKHOUSE'];
  if (given !== undefined)
    return {
      server: given,
      restart: async () => undefined,
      stop: async () => undefined,
      remove: async () => undefined,
    };
  install();
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-engine-'));
  let { child, port } = await start(directory, '0');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  return {
    server: `http://127.0.0.1:${port}`,
    stop,
    restart: async () => {
      await stop();
      ({ child, port } = await start(directory, port));
    },
    remove: async () => {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function install(): void {
  if (existsSync(join(HERE, 'node_modules', 'chdb', 'package.json'))) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: HERE, stdio: 'pipe' });
}

async function start(directory: string, wanted: string) {
  const child = spawn(process.execPath, [join(HERE, 'server.ts'), directory, wanted], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, port };
}
