/** Columns of scores: one per scorer, or per key of a scorer's dictionary. */
import type { RolloutRow } from '../../../shared/api/contract.ts';
import type { FilterNode } from '../../../shared/domain/filter/node.ts';
import { filterText } from '../../../shared/domain/filter/print.ts';
import {
  gradeOfReward,
  parseScores,
  type Scores,
  type ScoreValue,
  scoreConditionText,
} from '../../../shared/domain/scores.ts';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count, counted, figure, reward } from '../../ui/numbers.ts';
import type { RolloutColumn } from './rolloutColumns.tsx';

/** Columns are not virtual. The first names that were seen get one. */
export const MOST_SCORE_COLUMNS = 30;

/** Names of scores in the rows, after the names that are already shown. Returns `shown` if there is no new one. */
export function scoreNames(rows: readonly RolloutRow[], shown: readonly string[] = []): readonly string[] {
  const names = new Set(shown);
  for (const row of rows) for (const name of Object.keys(scoresOf(row))) names.add(name);
  return names.size === shown.length ? shown : [...names];
}

/** Each row is parsed once, since every column reads all its scores. */
const PARSED = new WeakMap<RolloutRow, Scores>();

function scoresOf(row: RolloutRow): Scores {
  const known = PARSED.get(row);
  if (known !== undefined) return known;
  const scores = parseScores(row.scores);
  PARSED.set(row, scores);
  return scores;
}

export function scoreOf(row: RolloutRow, name: string): ScoreValue | undefined {
  const scores = scoresOf(row);
  return Object.hasOwn(scores, name) ? scores[name] : undefined;
}

/** The parts of a score's column that are the same in every table. */
export function scoreColumn(name: string) {
  return {
    id: `scores.${name}`,
    label: plainLogText(name),
    hint: 'Score as logged. C: correct, I: incorrect, P: partial, N: no answer',
    align: 'end',
    // The notation of a sort in the URL separates with these characters.
    ...(/[,:]/.test(name) ? {} : { sorts: 'descending' as const }),
    minWidth: Math.min(160, 30 + 7 * name.length),
    grow: 0.6,
  } as const;
}

export function scoreColumns(names: readonly string[]): readonly RolloutColumn[] {
  return names.slice(0, MOST_SCORE_COLUMNS).map((name): RolloutColumn => {
    const value = (row: RolloutRow) => scoreOf(row, name);
    return {
      ...scoreColumn(name),
      value,
      filterField: 'scores',
      filterCondition: (row, isWithout) => scoreFilter(name, value(row), isWithout),
      cell: (row) => <Score value={value(row)} />,
    };
  });
}

/** The grade that the reward was translated from. Undefined: the reward was logged. */
export const gradeOf = (row: RolloutRow): string | undefined => gradeOfReward(scoresOf(row), row.reward);

/** In italics if it was translated from a grade. */
export function rewardCell(row: RolloutRow | undefined) {
  const grade = row === undefined ? undefined : gradeOf(row);
  if (grade === undefined) return reward(row?.reward);
  return (
    <i className="muted" title={`derived from the score “${grade}”`}>
      {reward(row?.reward)}
    </i>
  );
}

/** States how many scores have no column. */
export function ScoreNote({ names }: { readonly names: readonly string[] }) {
  if (names.length <= MOST_SCORE_COLUMNS) return null;
  return (
    <p className="score-note">
      The first {count(MOST_SCORE_COLUMNS)} scores are columns. The rollouts seen so far have at least{' '}
      {counted(names.length - MOST_SCORE_COLUMNS, 'more score')}. The record of a rollout has all of its
      scores.
    </p>
  );
}

/** Without a value: rows without this score. */
function scoreFilter(name: string, value: ScoreValue | undefined, isWithout: boolean): string {
  const text = scoreConditionText(name, value);
  const node: FilterNode = { kind: 'word', field: 'scores', text, isPattern: false };
  return filterText(isWithout === (value === undefined) ? node : { kind: 'not', node });
}

const GRADE_CLASS: Readonly<Record<string, string>> = { C: 'is-right', I: 'is-wrong' };

/** A number, or a word such as the grade C. */
export function Score({ value }: { readonly value: ScoreValue | undefined }) {
  if (value === undefined) return null;
  const text = typeof value === 'number' ? figure(value) : String(value);
  return (
    <span
      className={Object.hasOwn(GRADE_CLASS, text) ? GRADE_CLASS[text] : undefined}
      title={plainLogText(String(value))}
    >
      <LogText text={text} />
    </span>
  );
}
