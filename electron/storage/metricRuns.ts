/**
 * Finds the run of a metrics file that does not name one: the file of verl's file logger, or verl's console
 * output.
 *
 *   outputs/exp.jsonl         runs in outputs/exp/ or below     by its name
 *   outputs/exp/train.log     runs in outputs/exp/              by its directory
 *   outputs/exp/metrics.jsonl runs in outputs/exp/rollouts/     by the directory above, if it contains one training run
 *
 * Never guesses: if several training runs match, the file stays without a run and gets an issue.
 */
import { dirname } from 'node:path';
import { verlConsole } from '../../shared/format/verlConsole.ts';
import { verlMetrics } from '../../shared/format/verlMetrics.ts';
import { scopeOfDirectory } from './joins.ts';
import type { WritableLibrary } from './open.ts';
import { number, query, queryValue, text } from './rows.ts';
import { runPlaceOf } from './runPlace.ts';

/** Older versions of verl round the console numbers, so the file logger's take precedence. */
const FORMATS = [verlConsole.name, verlMetrics.name];
const WAITING = 'metrics_without_run';

export interface PlacedRun {
  readonly runId: number;
  readonly kind: string;
  /** The directory that the run's files share. */
  readonly home: string;
  readonly directory: string;
}

/** Must run inside a transaction. @returns the runs whose metrics changed */
export function linkMetrics(db: WritableLibrary): readonly number[] {
  const files = query(
    db,
    `SELECT file_id AS fileId, path, format FROM file_row WHERE format IN (?, ?) ORDER BY file_id`,
    { fileId: number, path: text, format: text },
  ).all(...FORMATS);
  const before = linksOf(db);
  if (files.length === 0 && before.size === 0) return [];
  const runs = query(db, 'SELECT run_id AS runId, kind, home, directory FROM run_row', {
    ...{ runId: number, kind: text, home: text, directory: text },
  }).all();
  db.exec('DELETE FROM metric_run_row');
  const add = db.prepare<[number, string, number]>('INSERT OR REPLACE INTO metric_run_row VALUES (?, ?, ?)');
  const dropIssue = db.prepare<[number, string]>('DELETE FROM issue_row WHERE file_id = ? AND code = ?');
  const addIssue = db.prepare<[number, string, string]>(
    "INSERT INTO issue_row (file_id, line, severity, code, message) VALUES (?, NULL, 'warning', ?, ?)",
  );
  for (const { fileId, path, format } of files) {
    const found = runsOfMetricsFile(path, runs);
    const scope = scopeOfDirectory(runPlaceOf(path, format).place);
    const rank = FORMATS.indexOf(format) * 2 ** 40 + fileId;
    for (const { runId } of found.runs) add.run(runId, scope, rank);
    dropIssue.run(fileId, WAITING);
    if (found.reason !== undefined) addIssue.run(fileId, WAITING, found.reason);
  }
  const after = linksOf(db);
  const changed = [...before, ...after].filter((link) => !(before.has(link) && after.has(link)));
  return [...new Set(changed.map((link) => Number(link.split(' ', 1)[0])))];
}

/** @returns the runs that the metrics belong to, or the reason why that is unknown */
export function runsOfMetricsFile(
  path: string,
  runs: readonly PlacedRun[],
): { readonly runs: readonly PlacedRun[]; readonly reason?: string } {
  const directory = dirname(path);
  const named = path.replace(/(?:\.metrics)?\.[^./\\]*$/, '');
  const byName = runs.filter(({ home }) => home === named || isBelow(home, named));
  if (byName.length > 0) return { runs: ofTraining(byName) };
  const here = runs.filter((run) => run.home === directory || run.directory === directory);
  if (here.length > 0) return { runs: ofTraining(here) };
  const below = runs.filter(({ home }) => dirname(home) === directory);
  const [first, ...others] = ofTraining(below);
  if (first === undefined) {
    const deeper = runs.filter(({ home }) => isBelow(home, directory)).length;
    const reason =
      deeper === 0
        ? 'trainer metrics without a run: no run was read from this directory'
        : `trainer metrics without a run: ${deeper} ${deeper === 1 ? 'run is' : 'runs are'} in directories further below; put the file into the directory of its run`;
    return { runs: [], reason };
  }
  if (others.length === 0 || first.kind !== 'train') return { runs: ofTraining(below) };
  const reason = `trainer metrics without a run: ${others.length + 1} training runs are in directories beside the file; put the file into the directory of its run`;
  return { runs: [], reason };
}

/** Metrics belong to training runs. If none exist, they belong to evaluation runs. */
function ofTraining(runs: readonly PlacedRun[]): readonly PlacedRun[] {
  const training = runs.filter(({ kind }) => kind === 'train');
  return training.length > 0 ? training : runs;
}

function isBelow(directory: string, above: string): boolean {
  return directory.startsWith(above) && /^[\\/]/.test(directory.slice(above.length));
}

function linksOf(db: WritableLibrary): ReadonlySet<string> {
  const sql = "SELECT run_id || ' ' || rank || ' ' || logged_id FROM metric_run_row";
  return new Set(queryValue(db, sql, text).all());
}
