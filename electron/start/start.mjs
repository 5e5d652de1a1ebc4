/**
 * `npm start -- [options] [PATH…]`: the desktop application if Electron can run, otherwise the same
 * application in the browser.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { obtainElectron } from './electronBinary.mjs';
import { StartFailure, say } from './run.mjs';
import { runElectron, sandboxAdvice } from './runElectron.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const HELP = `npm start -- [options] [PATH…]

Opens Turnwise on the logs at PATH (files or directories). Without PATH it opens your library; an empty
one gets the demo run.

  --browser        serve on loopback for a browser even where Electron is available
  --allow DIR      with the browser: a directory whose logs the page may open; repeat it for several
  --library FILE   use this library instead of your own; or open a warehouse, clickhouse://HOST:8123/DATABASE
  --port N         with the browser: listen on this port (default: any free one)
  --no-open        with the browser: only print the URL
  --no-sandbox     start Electron without its sandbox, where the system does not allow one
  --help           print this
`;

/** As `isWarehouseAddress` of electron/host/libraryPath.ts, which is not built yet. */
const IS_ADDRESS = /^(?:clickhouse|https?):\/\//i;

/** npm runs scripts in the package's directory; INIT_CWD has the user's directory. */
function fromUser(path) {
  if (path.startsWith('file://') && URL.canParse(path)) return fileURLToPath(path);
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}

export function parseStart(argv) {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        browser: { type: 'boolean', default: false },
        allow: { type: 'string', multiple: true, default: [] },
        library: { type: 'string' },
        port: { type: 'string' },
        'no-open': { type: 'boolean', default: false },
        'no-sandbox': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartFailure(`${error.message} (npm start -- --help)`);
  }
  const { values, positionals } = parsed;
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new StartFailure(`--port expects a number from 0 to 65535, not "${values.port}"`);
  }
  const paths = positionals.map(fromUser);
  const allowed = values.allow.map(fromUser);
  const missing = [...paths, ...allowed].find((path) => !existsSync(path));
  if (missing !== undefined) throw new StartFailure(`there is nothing at ${missing}`);
  return {
    paths,
    allowed,
    port,
    isBrowser: values.browser,
    library:
      values.library === undefined || IS_ADDRESS.test(values.library)
        ? values.library
        : fromUser(values.library),
    isQuiet: values['no-open'],
    hasSandbox: !values['no-sandbox'],
    isHelp: values.help,
  };
}

function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY) || Boolean(process.env.WAYLAND_DISPLAY);
}

/** @returns the binary, or the reason why there is no desktop */
async function chooseShell(options) {
  if (options.isBrowser) return {};
  if (!hasDisplay()) return { reason: 'there is no display' };
  return obtainElectron(ROOT);
}

function electronArguments({ library, hasSandbox, paths }) {
  const args = [ROOT];
  if (!hasSandbox) args.push('--no-sandbox');
  if (library !== undefined) args.push(`--library=${library}`);
  // Chromium ignores switches after `--`.
  return [...args, '--', ...paths];
}

async function start(argv) {
  const options = parseStart(argv);
  if (options.isHelp) return void process.stdout.write(HELP);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    throw new StartFailure(
      `Node ${process.versions.node} is too old; start with \`npm start\`, which brings its own`,
    );
  }
  let { binary, reason } = await chooseShell(options);
  if (binary !== undefined) {
    await build(['renderer', 'electron']);
    reason = await runElectron(binary, electronArguments(options));
    if (reason === undefined) return;
    for (const line of options.hasSandbox ? sandboxAdvice(binary) : []) say(line);
  }
  if (reason !== undefined) say(`${reason}; serving the same application for your browser instead`);
  await build(['renderer', 'electron']);
  const { serve } = await import(new URL('../../dist/electron/serve.js', import.meta.url).href);
  await serve({
    paths: options.paths,
    allowed: options.allowed,
    opensDemo: true,
    library: options.library,
    port: options.port,
    opensBrowser: !options.isQuiet,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await start(process.argv.slice(2));
  } catch (error) {
    if (error instanceof StartFailure) say(error.message);
    else if (error.code === 'EADDRINUSE') say(`port ${error.port} is in use`);
    // Expected failures, such as a newer library, are printed as one sentence.
    else if (error.name === 'ApiError') say(error.message);
    else throw error;
    process.exitCode = 1;
  }
}
