/** Lists the token signals that a scope has. Columns are counted without being read. */
import type { AvailableSignal, AvailableSignals } from '../../../shared/api/contract.ts';
import { SIGNALS, type SignalName } from '../../../shared/domain/tokenSignal.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, query } from '../rows.ts';
import type { MeasuredScope } from './measured.ts';

/** `IS NOT NULL` would read all bytes of a column. `typeof` only reads the row header. */
const has = (column: string): string => `(typeof(t.${column}) <> 'null')`;

/**
 * The columns that `tokenSignal` needs for each signal. If no entropy was logged, listed alternatives give
 * a bound.
 */
const SIGNAL_COLUMNS = [
  ['entropy', 'logged', `${has('entropy')}`],
  ['entropy', 'bound', `NOT ${has('entropy')} AND ${has('top')}`],
  ['surprisal', 'logged', `${has('logprob')}`],
  ['logprob', 'logged', `${has('logprob')}`],
  ['trainer_logprob', 'logged', `${has('trainer_logprob')}`],
  ['gap', 'logged', `${has('logprob')} AND ${has('trainer_logprob')}`],
  ['advantage', 'logged', `${has('advantage')}`],
] as const satisfies readonly (readonly [SignalName, 'logged' | 'bound', string])[];

const COUNT_NAMES = SIGNAL_COLUMNS.flatMap(([name, origin]) => [
  `${name}_${origin}`,
  `${name}_${origin}_masked`,
]);
const COUNTS = SIGNAL_COLUMNS.map(
  ([name, origin, isThere]) =>
    `total(${isThere}) AS ${name}_${origin}, total(${isThere} AND ${has('mask')}) AS ${name}_${origin}_masked`,
).join(', ');
const SELECT = `SELECT count(*) AS rollouts, count(t.rollout_id) AS withTokens, ${COUNTS}
  FROM rollout_row r LEFT JOIN token_row t ON t.rollout_id = r.rollout_id`;

export const AVAILABLE = {
  run: `${SELECT} WHERE r.run_id = :runId`,
  step: `${SELECT} WHERE r.run_id = :runId AND r.step = :step`,
  group: `${SELECT} WHERE r.group_id = :groupId`,
  rollout: `${SELECT} WHERE r.rollout_id = :rolloutId`,
} as const;

type Counts = Readonly<Record<string, number>>;
const COUNTS_ROW = Object.fromEntries(
  ['rollouts', 'withTokens', ...COUNT_NAMES].map((name) => [name, number]),
);

export function availableSignals(db: ReadableLibrary, scope: MeasuredScope): AvailableSignals {
  const { runId, step, groupId, rolloutId } = scope;
  const read = (sql: string, values: Readonly<Record<string, number>>): Counts =>
    query<Counts>(db, sql, COUNTS_ROW).get(values) ?? {};
  const counts =
    rolloutId !== undefined
      ? read(AVAILABLE.rollout, { rolloutId })
      : groupId !== undefined
        ? read(AVAILABLE.group, { groupId })
        : step !== undefined
          ? read(AVAILABLE.step, { runId, step })
          : read(AVAILABLE.run, { runId });
  const found = SIGNAL_COLUMNS.flatMap(([signal, origin]): AvailableSignal[] => {
    const rollouts = counts[`${signal}_${origin}`] ?? 0;
    const withMask = counts[`${signal}_${origin}_masked`] ?? 0;
    return rollouts === 0 ? [] : [{ signal, isBound: origin === 'bound', rollouts, withMask }];
  });
  return {
    rollouts: counts['rollouts'] ?? 0,
    withTokens: counts['withTokens'] ?? 0,
    signals: found.sort((a, b) => SIGNALS.indexOf(a.signal) - SIGNALS.indexOf(b.signal)),
  };
}
