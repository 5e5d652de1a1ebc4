/** Runs the desktop application, and explains why it did not start. */
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Environment variables that would change how Electron runs. The terminals of some editors set them. */
const FOREIGN = ['ELECTRON_RUN_AS_NODE', 'NODE_OPTIONS'];

/**
 * Resolves when the application has ended, with its exit code in `process.exitCode`.
 *
 * @param {string} binary
 * @param {readonly string[]} args
 * @returns {Promise<string | undefined>} why the application did not start; undefined if it did
 */
export function runElectron(binary, args) {
  return new Promise((resolve) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.includes(name)));
    const child = spawn(binary, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
    let isUp = false;
    let isStopped = false;
    const stop = (signal) => {
      isStopped = true;
      // The terminal sends Ctrl-C to the child directly.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, stop);
    const finish = (reason) => {
      for (const signal of signals) process.off(signal, stop);
      resolve(reason);
    };
    // The only message; see `tellStarter` in electron/main/main.ts.
    child.once('message', () => {
      isUp = true;
    });
    child.once('error', (error) => finish(`Electron did not start (${error.message})`));
    child.once('exit', (code, signal) => {
      if (!isUp && !isStopped && code !== 0) {
        const how = signal === null ? `with code ${code}` : `by ${signal}`;
        return finish(`Electron ended ${how} before its window was open`);
      }
      process.exitCode = code ?? 1;
      finish(undefined);
    });
  });
}

function readSetting(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined; // this kernel does not have the setting
  }
}

function isSetuidRoot(path) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && status.uid === 0 && (status.mode & 0o4000) !== 0;
}

/** Facts about the system for `sandboxAdvice`. */
const SYSTEM = { platform: process.platform, isRoot: process.getuid?.() === 0, readSetting, isSetuidRoot };

/**
 * @param {string} binary
 * @returns {string[]} lines: how to allow Electron's sandbox where the system does not
 */
export function sandboxAdvice(binary, system = SYSTEM) {
  if (system.platform !== 'linux') return [];
  if (system.isRoot)
    return ['Electron does not run as root with its sandbox; without it: npm start -- --no-sandbox'];
  const isRestricted =
    system.readSetting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1' ||
    system.readSetting('/proc/sys/kernel/unprivileged_userns_clone') === '0';
  const helper = join(dirname(binary), 'chrome-sandbox');
  if (!isRestricted || system.isSetuidRoot(helper)) return [];
  return [
    "this system does not allow Electron's sandbox; these two commands do:",
    `  sudo chown root:root '${helper}'`,
    `  sudo chmod 4755 '${helper}'`,
  ];
}
