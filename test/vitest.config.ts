import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

const env = {
  TZ: 'UTC',
  LC_ALL: 'C',
  // Worker threads and child processes compile TypeScript; the cache keeps the result, as for the command
  // line.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/turnwise-compile', import.meta.url)),
};

/** Formulas and parsers keep no state between calls, so their files share a process: that saves 20 s. */
const PURE = ['test/domain/**/*.test.ts', 'test/format/**/*.test.ts'];

/**
 * One run of everything. End-to-end files are a project of their own, because each drives a browser and they
 * would time each other out side by side on a small machine.
 */
export default defineConfig({
  root,
  test: {
    reporters: ['default', fileURLToPath(new URL('support/closingLine.ts', import.meta.url))],
    passWithNoTests: false,
    globalSetup: fileURLToPath(new URL('support/preparedLibrary.ts', import.meta.url)),
    projects: [
      {
        root,
        test: {
          name: 'pure',
          include: PURE,
          isolate: false,
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 60_000,
          env,
        },
      },
      {
        root,
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/e2e/**', ...PURE, 'node_modules/**'],
          pool: 'forks',
          maxWorkers: 2,
          // Detects hangs rather than slowness, because a busy machine takes its time.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          env,
        },
      },
      {
        root,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: fileURLToPath(new URL('support/shells/buildOnce.ts', import.meta.url)),
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          env,
        },
      },
    ],
  },
});
