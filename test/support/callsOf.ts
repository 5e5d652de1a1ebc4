import { type Profiler, Session } from 'node:inspector';

/**
 * Counts the calls of functions while `run` runs, of every script and of callbacks. The count does not depend on the
 * speed of the machine. A search of a whole list for each of its items shows as four times the calls for twice the
 * items. Calls of built-in functions do not count.
 */
export function callsOf(run: () => void): number {
  const session = new Session();
  session.connect();
  try {
    // Answers of a session on its own thread arrive before `post` returns.
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    run();
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error;
      scripts = answer.result;
    });
    session.post('Profiler.stopPreciseCoverage');
    return scripts
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0))
      .reduce((sum, count) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}
