/**
 * Installs the dependencies of package-lock.json, unless they are installed already. Has no dependencies
 * itself, because it runs first, on the machine's Node (18 or later).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, StartFailure, say } from './run.mjs';

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // incomplete lock file of an interrupted install
  }
}

/**
 * npm writes its state to node_modules/.package-lock.json. Comparing that with the lock file also accepts a
 * manual install.
 */
function isInstalledByNpm(lockText, hiddenText) {
  const wanted = parse(lockText)?.packages;
  const installed = parse(hiddenText)?.packages;
  if (wanted === undefined || installed === undefined) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = installed[path];
    // Optional packages depend on the platform.
    if (found === undefined ? !entry.optional : found.version !== entry.version) return false;
  }
  // An entry that is not wanted belongs to a package that was added without saving.
  return Object.keys(installed).every((path) => path in wanted);
}

/** The npm that started us, as a file that Node can run: on Windows `npm` alone is a script. */
function npmCommand() {
  const script = process.env.npm_execpath;
  // Uses npm's Node, because `npm ci` deletes the one in node_modules.
  if (script?.endsWith('.js'))
    return { command: process.env.npm_node_execpath ?? process.execPath, first: [script] };
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', first: [] };
}

/** The optional dependency that contains Node 24 for this machine. The lock file has its hash. */
export function nodePackage() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  // The name without "bin" was never published for this platform.
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform}-${process.arch}`;
}

/** @param {string} root the checkout @returns {string} the Node that the lock file installs */
export const nodeBinary = (root) =>
  join(root, 'node_modules', nodePackage(), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const nodeLink = (root) =>
  join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

/** @param {string} root the checkout */
export function isInstalled(root) {
  const lockText = readText(join(root, 'package-lock.json'));
  if (lockText === undefined) throw new StartFailure(`there is no package-lock.json in ${root}`);
  const hash = createHash('sha256').update(lockText).digest('hex');
  const isReady = existsSync(nodeBinary(root)) && existsSync(nodeLink(root));
  const stampPath = join(root, 'node_modules', '.turnwise-lock');
  if (readText(stampPath) === hash) return isReady;
  const hiddenText = readText(join(root, 'node_modules', '.package-lock.json'));
  if (!isReady || hiddenText === undefined || !isInstalledByNpm(lockText, hiddenText)) return false;
  writeFileSync(stampPath, hash);
  return true;
}

/** @param {string} root the checkout @throws StartFailure */
export async function install(root) {
  const npm = npmCommand();
  say('installing dependencies (once per change of package-lock.json) …');
  // No install scripts: none is needed, and Electron's would download its binary.
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const problem = await run(npm.command, [...npm.first, ...flags], { cwd: root });
  if (problem !== undefined) {
    throw new StartFailure(
      `dependencies could not be installed (npm ci: ${problem}); is the npm registry reachable?`,
    );
  }
  if (!existsSync(nodeBinary(root)) || !existsSync(nodeLink(root))) {
    throw new StartFailure(
      `Node 24 (the npm package ${nodePackage()}) was not installed; optional dependencies must not be omitted`,
    );
  }
  if (!isInstalled(root)) throw new StartFailure('npm ci left node_modules different from package-lock.json');
}
