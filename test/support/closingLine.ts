/**
 * Prints `N passed, N failed` (and `, N skipped` when there are any) alone on the last
 * line, for people and scripts that read only that. A file that failed to load has no
 * tests to count and is one failure; so is an error outside any test.
 */
import type { Reporter, TestModule } from 'vitest/node';

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
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // After the default reporter's own summary, which is printed in the same phase.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
}
