/**
 * The last lines of a run, for people and scripts that read only those:
 *
 *   e2e targets: browser ✓, electron double ✓, electron — no binary
 *   tests took 312 s
 *   N passed, N failed            (and `, N skipped` when there are any)
 *
 * A file that failed to load has no tests to count and is one failure; so is an error
 * outside any test. A file that ran twice counts as it ended the second time.
 */
import type { Reporter, TestModule } from 'vitest/node';

/** How the files of each target begin; everything in them runs on that target only. */
const TARGETS = [
  ['browser', 'test/e2e/browser'],
  ['electron double', 'test/e2e/electronDouble'],
  ['electron', 'test/e2e/electron.'],
] as const;

function outcomeOf(modules: readonly TestModule[]): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const isFailed = modules.some((module) => module.state() === 'failed');
  if (isFailed || tests.some((test) => test.result().state === 'failed')) return '✗';
  if (tests.some((test) => test.result().state === 'passed')) return '✓';
  // A target that cannot run has one skipped test, whose name is the reason.
  return `— ${tests[0]?.name ?? 'nothing ran'}`;
}

export default class ClosingLine implements Reporter {
  private readonly startedAt = performance.now();
  private readonly modules = new Map<string, TestModule>();
  private errors = 0;

  onInit(): void {
    // After the default reporter's own summary, which is printed when a run ends.
    process.once('exit', () => this.print());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    for (const module of modules) this.modules.set(module.moduleId, module);
    this.errors += unhandledErrors.length;
  }

  private print(): void {
    const modules = [...this.modules.values()];
    let passed = 0;
    let failed = this.errors;
    let skipped = 0;
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failedTests += 1;
        else skipped += 1;
      }
      // Errors of the file or of a suite's hooks, which fail the module without failing a test.
      const isBroken = module.state() === 'failed' && failedTests === 0;
      failed += isBroken ? 1 : failedTests;
    }
    const targets = TARGETS.flatMap(([name, path]) => {
      const found = modules.filter(({ moduleId }) => moduleId.replaceAll('\\', '/').includes(path));
      return found.length === 0 ? [] : [`${name} ${outcomeOf(found)}`];
    });
    const lines = [
      ...(targets.length > 0 ? [`e2e targets: ${targets.join(', ')}`] : []),
      `tests took ${Math.round((performance.now() - this.startedAt) / 1000)} s`,
      `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    ];
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}
