/**
 * `npm test`: everything once, and an end-to-end file that failed a second time.
 *
 *   npm test                        all
 *   npm test -- test/cli            files whose path contains this
 *
 * A browser on a machine that stands still for a minute is no defect. The whole file is repeated, because its
 * tests build on each other. The report names what was repeated; what fails twice fails the run.
 */
import { fileURLToPath } from 'node:url';
import { createVitest, parseCLI, type TestModule } from 'vitest/node';

const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url));

const hasFailed = (module: TestModule) => module.state() === 'failed';

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const vitest = await createVitest({ ...options, config, watch: false });
try {
  let { testModules, unhandledErrors } = await vitest.start([...filter]);
  const failed = testModules.filter(hasFailed);
  if (
    failed.length > 0 &&
    unhandledErrors.length === 0 &&
    failed.every(({ project }) => project.name === 'e2e')
  ) {
    const names = failed.map(({ relativeModuleId }) => relativeModuleId).join(', ');
    process.stdout.write(`\nOnce more, because an end-to-end file failed: ${names}\n`);
    ({ testModules, unhandledErrors } = await vitest.runTestSpecifications(
      failed.map((module) => module.toTestSpecification()),
    ));
  }
  process.exitCode = testModules.some(hasFailed) || unhandledErrors.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await vitest.close();
}
