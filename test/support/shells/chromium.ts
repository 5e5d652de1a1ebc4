/**
 * A Chromium for the end-to-end tests: the one that TURNWISE_CHROMIUM names, an installed one, else the one
 * in the npm package @sparticuz/chromium. Without any, the tests fail; they are never skipped.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ChromiumBinary {
  readonly executablePath: string;
  /** Libraries from the package that the machine lacks. */
  readonly env: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'turnwise-chromium');

const INSTALLED_NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
const INSTALLED_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

function installed(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter);
  const onPath = INSTALLED_NAMES.flatMap((name) => directories.map((directory) => join(directory, name)));
  return [...onPath, ...INSTALLED_PATHS].find((path) => existsSync(path));
}

/**
 * The package unpacks into the temporary directory and trusts any existing file there. So it gets its own
 * directory, which is moved into place when complete.
 */
const UNPACK = `
  import { createRequire } from 'node:module';
  import { dirname, join } from 'node:path';
  import chromium, { inflate } from '@sparticuz/chromium';
  await chromium.executablePath();
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  await inflate(join(dirname(entry), '..', 'bin', 'al2023.tar.br'));
`;

function unpacked(): ChromiumBinary {
  if (!existsSync(join(CACHE, 'chromium'))) {
    mkdirSync(join(CACHE, '..'), { recursive: true });
    const partial = mkdtempSync(`${CACHE}-`);
    execFileSync(process.execPath, ['--input-type=module', '-e', UNPACK], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: partial },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      renameSync(partial, CACHE);
    } catch (error) {
      // Another process was faster; its copy is equal.
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(join(CACHE, 'chromium'))) throw error;
    }
  }
  const executablePath = join(CACHE, 'chromium');
  return { executablePath, env: missingLibraries(executablePath) };
}

/** NSS and related libraries are usually installed; the package provides them otherwise. */
function missingLibraries(executablePath: string): Record<string, string> {
  if (process.platform !== 'linux') return {};
  const linked = execFileSync('ldd', [executablePath], { encoding: 'utf8' });
  const bundled = join(CACHE, 'al2023', 'lib');
  if (!linked.includes('not found') || !existsSync(bundled) || readdirSync(bundled).length === 0) return {};
  const path = [bundled, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  return { LD_LIBRARY_PATH: path };
}

/** @throws with instructions if none exists */
export function findChromium(): ChromiumBinary {
  const named = process.env.TURNWISE_CHROMIUM;
  if (named !== undefined && named !== '') return { executablePath: named, env: {} };
  const found = installed();
  if (found !== undefined) return { executablePath: found, env: {} };
  try {
    return unpacked();
  } catch (cause) {
    throw new Error('no Chromium to test with: install one, or name it in TURNWISE_CHROMIUM', { cause });
  }
}

/**
 * Root (in containers) cannot use Chromium's sandbox. The pages under test are our own, and their hostile
 * rollouts are harmless.
 */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  // Rollouts must not reach the network from a test either.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE ::1',
];
