/**
 * `turnwise serve` and `npm start` without Electron: one host and one loopback server, until the user stops
 * them.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithin } from '../host/endWithin.ts';
import type { LibraryManager } from '../host/host.ts';
import { createLibraryManager } from '../host/libraryManager.ts';
import { namedLibrary } from '../host/libraryPath.ts';
import { libraryPage, openAtStart, openPaths } from '../host/openPaths.ts';
import { printProblem, printWarnings } from '../host/printProblem.ts';
import { keepLessMemory } from './keepLessMemory.ts';
import { startServer } from './startServer.ts';

export interface ServeOptions {
  /** Absolute paths, which are granted and ingested. */
  readonly paths: readonly string[];
  /** Absolute paths of directories whose logs pages may open. */
  readonly allowed?: readonly string[];
  /** If no paths are given, reads the demo run into an empty library. */
  readonly opensDemo?: boolean;
  /** Value of `--library`: an absolute path, or the address of a warehouse. */
  readonly library?: string;
  /** Absolute paths of further libraries to open. */
  readonly furtherLibraries?: readonly string[];
  readonly port?: number;
  readonly opensBrowser: boolean;
}

const RENDERER = fileURLToPath(new URL('../../dist/renderer', import.meta.url));

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function untilSignalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/** @returns the page to show */
async function openGiven(host: LibraryManager, { paths, opensDemo = false }: ServeOptions): Promise<string> {
  const opened = await (opensDemo ? openAtStart(host, paths) : openPaths(host, paths));
  if (!opened.ok) printProblem(opened.failure.message);
  return opened.ok && opened.value.library !== undefined ? libraryPage(opened.value.library) : '/';
}

/** Grants the path, because the user has named it. */
async function openLibrary(host: LibraryManager, path: string): Promise<void> {
  if (existsSync(path)) await host.grant(path);
  const opened = await host.dispatch('library.open', { path });
  if (!opened.ok) printProblem(opened.failure.message);
}

/** Prints the URL as the only line on stdout. Resolves when everything is closed. */
export async function serve(options: ServeOptions): Promise<void> {
  if (!existsSync(RENDERER)) throw new Error('the interface has not been built; run: npm run build');
  keepLessMemory();
  const { libraryPath, warehouse } = namedLibrary(options.library);
  // The threads of the library read it there.
  if (warehouse !== undefined) process.env['TURNWISE_WAREHOUSE'] = warehouse;
  mkdirSync(dirname(libraryPath), { recursive: true, mode: 0o700 });
  const host = await createLibraryManager({
    libraryPath,
    shell: 'browser',
    version: packageVersion(),
    isForPages: true,
  });
  const ended = untilSignalled();
  try {
    const server = await startServer({
      host,
      rendererDirectory: RENDERER,
      ...(options.port === undefined ? {} : { port: options.port }),
    });
    for (const path of options.furtherLibraries ?? []) await openLibrary(host, path);
    const url = new URL(server.url);
    url.pathname =
      warehouse !== undefined && options.paths.length === 0 ? '/warehouse' : await openGiven(host, options);
    for (const path of options.allowed ?? []) await host.grant(path);
    await printWarnings(host);
    process.stdout.write(`${url.href}\n`);
    if (options.opensBrowser) openBrowser(url.href);
    await ended;
    endWithin();
    await server.close();
  } finally {
    await host.close();
  }
}

/** The command that opens a URL in the user's browser; undefined without a display. */
function opener(): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  // `start` would interpret `&` and `#` of the URL; this command takes it as one argument.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Best effort: the URL has been printed, so a failure is ignored. */
function openBrowser(url: string): void {
  const command = opener();
  if (command === undefined) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => printProblem(`${program} is not available; open the URL yourself`));
  child.unref();
}
