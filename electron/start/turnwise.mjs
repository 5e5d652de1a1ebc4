#!/usr/bin/env node
/**
 * The `turnwise` command of an installed package: the bundled command line, on the user's Node if it is new
 * enough, otherwise on the Node that the package depends on.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePackage } from './install.mjs';

const CLI = new URL('../../dist/electron/cli.js', import.meta.url);

/** @returns {string | undefined} Node 24, an optional dependency per platform */
function packagedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${nodePackage()}/package.json`);
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNew = major > 22 || (major === 22 && minor >= 14);
const node = isNew ? undefined : packagedNode();
if (node === undefined) await import(CLI.href);
else {
  const child = spawn(node, [fileURLToPath(CLI), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to the child directly.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.once('error', (error) => {
    console.error(`turnwise: ${error.message}`);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
