/**
 * The last lines of a run, for people and scripts that read only those:
 *
 *   e2e targets: browser ✓, electron double ✓, electron — no binary
 *   N passed, N failed            (and `, N skipped` when there are any)
 *
 * A file that failed to load has no tests to count and is one failure; so is an error
 * outside any test.
 */
import type { Reporter, TestModule } from 'vitest/node';

/** Each target's own file; everything in it runs on that target and nothing else. */
const TARGETS = [
  ['browser', 'test/e2e/browser.test.ts'],
  ['electron double', 'test/e2e/electronDouble.test.ts'],
  ['electron', 'test/e2e/electron.test.ts'],
] as const;

function outcomeOf(module: TestModule): string {
  const tests = [...module.children.allTests()];
  if (module.state() === 'failed' || tests.some((test) => test.result().state === 'failed')) return '✗';
  if (tests.some((test) => test.result().state === 'passed')) return '✓';
  // A target that cannot run here has one skipped test, named by the reason.
  return `— ${tests[0]?.name ?? 'nothing ran'}`;
}

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failedTests += 1;
        else skipped += 1;
      }
      // Errors of the file or of a suite's hooks, which fail it without failing a test.
      const isBroken = module.state() === 'failed' && failedTests === 0;
      failed += isBroken ? 1 : failedTests;
    }
    const targets = TARGETS.flatMap(([name, path]) => {
      const module = modules.find(({ moduleId }) => moduleId.replaceAll('\\', '/').endsWith(path));
      return module === undefined ? [] : [`${name} ${outcomeOf(module)}`];
    });
    const lines = [
      ...(targets.length > 0 ? [`e2e targets: ${targets.join(', ')}`] : []),
      `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    ];
    // After the default reporter's own summary, which is printed in the same phase.
    process.once('exit', () => process.stdout.write(`\n${lines.join('\n')}\n`));
  }
}
