/**
 * Builds the renderer, the bundles of everything else (main, preload, browser shell, command line, workers), and the
 * memory of a started Python, each if its sources have changed.
 *
 *   node electron/start/build.mjs [renderer] [electron] [python]
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { run, StartFailure, say } from './run.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SNAPSHOT = 'python.snapshot';

/** In the order of building. */
const TARGETS = {
  renderer: {
    name: 'the interface',
    sources: ['renderer', 'shared', 'package-lock.json'],
    commands: (out) => [bundling('renderer/vite.config.ts', out)],
    directory: 'dist/renderer',
    product: 'index.html',
  },
  electron: {
    name: 'the application',
    sources: ['electron', 'shared', 'package-lock.json'],
    commands: (out) => [
      bundling('electron/main/vite.config.ts', out),
      bundling('electron/preload/vite.config.ts', out),
    ],
    directory: 'dist/electron',
    product: 'main.js',
  },
  python: {
    name: 'the start of Python',
    sources: ['electron/python', 'package-lock.json'],
    commands: (out) => [
      ['dist/electron/python.js', '--snapshot', join(ROOT, 'node_modules', 'pyodide'), join(out, SNAPSHOT)],
    ],
    directory: 'dist/python',
    product: SNAPSHOT,
  },
};

function bundling(config, out) {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  return [vite, 'build', '--config', config, '--outDir', out, '--logLevel', 'warn'];
}

function addTo(hash, path) {
  const status = statSync(path);
  if (status.isDirectory()) {
    for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
  } else if (!path.endsWith('.md')) {
    hash.update(`${relative(ROOT, path)}\0${status.size}\0${status.mtimeMs}\n`);
  }
}

/** Compares size and time, because hashing every source would cost more than the builds it saves. */
function fingerprint(sources) {
  const hash = createHash('sha256');
  for (const source of sources) addTo(hash, join(ROOT, source));
  return hash.digest('hex');
}

const stampPath = (target) => join(ROOT, 'dist', `.stamp-${target}`);

function isFresh(target) {
  const { sources, directory, product } = TARGETS[target];
  if (!existsSync(join(ROOT, directory, product)) || !existsSync(stampPath(target))) return false;
  return readFileSync(stampPath(target), 'utf8') === fingerprint(sources);
}

async function buildOne(target) {
  const { name, sources, commands, directory, product } = TARGETS[target];
  // Computed before the build, so that changes during the build make it stale.
  const before = fingerprint(sources);
  say(`building ${name} …`);
  const finished = join(ROOT, directory);
  // Built beside the old output and then renamed, so that a running host always serves complete files.
  const next = `${finished}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  for (const args of commands(next)) {
    // Set for tests too: under NODE_ENV=test Vite would build the development version of React, which is
    // several times slower.
    const env = { ...process.env, NODE_ENV: 'production' };
    const problem = await run(process.execPath, args, { cwd: ROOT, env });
    if (problem !== undefined) throw new StartFailure(`building ${name} failed (${problem})`);
  }
  if (!existsSync(join(next, product))) throw new StartFailure(`building ${name} did not write ${product}`);
  rmSync(finished, { recursive: true, force: true });
  renameSync(next, finished);
  writeFileSync(stampPath(target), before);
}

/** @param {readonly ('renderer' | 'electron' | 'python')[]} targets @throws StartFailure */
export async function build(targets) {
  if (targets.every(isFresh)) return;
  await withLock(
    join(ROOT, 'dist'),
    async () => {
      for (const target of targets) if (!isFresh(target)) await buildOne(target);
    },
    { onWait: () => say('waiting for another build of this checkout …') },
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  const unknown = named.find((name) => !Object.hasOwn(TARGETS, name));
  try {
    if (unknown !== undefined) throw new StartFailure(`there is no build target "${unknown}"`);
    await build(named.length > 0 ? named : Object.keys(TARGETS));
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
