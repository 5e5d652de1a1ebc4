import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

const env = {
  TZ: 'UTC',
  LC_ALL: 'C',
  // Worker threads and child processes keep what they compile, as the command line does.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/turnwise-compile', import.meta.url)),
};

/** Below the limit of a test, so that the failure says which value did not come. */
const POLL = { poll: { timeout: 30_000 } };

/** Limits of time detect hangs rather than slowness, because a busy machine takes its time. */
const COMMON = {
  pool: 'forks',
  maxWorkers: 2,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: POLL,
  env,
} as const;

/** Workers run from the bundle, as for users: a test would spend more time on loading their sources. */
const bundledWorkers = {
  name: 'bundled-workers',
  transform: (code: string, id: string) =>
    id.endsWith('/worker/entry.ts')
      ? code.replaceAll('import.meta.url', JSON.stringify(new URL('../dist/electron/', import.meta.url).href))
      : undefined,
};

/**
 * One run of everything. Components are a project of their own, because each file has a document, which modules
 * keep. So are end-to-end files, because each drives a browser.
 */
export default defineConfig({
  root,
  test: {
    reporters: ['default', fileURLToPath(new URL('support/closingLine.ts', import.meta.url))],
    passWithNoTests: false,
    globalSetup: ['support/buildOnce.ts', 'support/preparedLibrary.ts'].map((path) =>
      fileURLToPath(new URL(path, import.meta.url)),
    ),
    projects: [
      {
        root,
        plugins: [bundledWorkers],
        test: {
          ...COMMON,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          // A quarter of the time would go into loading the same modules for each file.
          isolate: false,
        },
      },
      {
        root,
        plugins: [bundledWorkers],
        test: {
          ...COMMON,
          name: 'components',
          include: ['test/**/*.test.tsx'],
          environment: 'happy-dom',
          setupFiles: [fileURLToPath(new URL('support/patience.ts', import.meta.url))],
        },
      },
      {
        root,
        plugins: [bundledWorkers],
        test: { ...COMMON, name: 'e2e', include: ['test/e2e/**/*.test.ts'] },
      },
    ],
  },
});
