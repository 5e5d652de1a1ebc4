/** Runs child processes of the start scripts. Their output goes to stderr, because stdout is for results. */
import { spawn } from 'node:child_process';

export function say(line) {
  process.stderr.write(`turnwise: ${line}\n`);
}

/** A failure that is reported in one line, without a stack. */
export class StartFailure extends Error {}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, timeoutMs?: number, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<string | undefined>} undefined on success, else how it ended
 */
export function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      stdio: ['ignore', 2, 2],
      env: options.env ?? process.env,
      timeout: options.timeoutMs,
      windowsHide: true,
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(signal === null ? `exit code ${code}` : `ended by ${signal}`);
    });
  });
}
