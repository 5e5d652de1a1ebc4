/**
 * A warehouse for tests: the server of `TURNWISE_CLICKHOUSE`, or ClickHouse's own engine (`server.ts`), which is
 * installed beside this file the first time.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
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

/** Two files of tests may install it at once, so it appears here as a whole. */
function install(): void {
  const modules = join(HERE, 'node_modules');
  if (existsSync(modules)) return;
  const cache = join(HERE, '..', '..', 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'turnwise-engine-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(HERE, name), join(directory, name));
    // Not `npm ci`, which refuses a lock file without the binaries of every other platform.
    const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', ...options], { cwd: directory, stdio: 'pipe' });
    renameSync(join(directory, 'node_modules'), modules);
  } catch (error) {
    if (!existsSync(modules)) throw error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function start(directory: string, wanted: string) {
  const child = spawn(process.execPath, [join(HERE, 'server.ts'), directory, wanted], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code, signal) => reject(new Error(`the engine ended (${code ?? signal})`)));
  });
  return { child, port };
}
