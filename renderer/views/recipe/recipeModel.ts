/** The recipe of a training: its stages with their limits, and how many rollouts reached them. */
import type { RunDetail, SolvedProblems, StepSummary } from '../../../shared/api/contract.ts';
import { csvFile } from '../../../shared/domain/delimited.ts';
import { ratio } from '../../ui/numbers.ts';
import { responseLimits, type StageSpan, stageSpans } from '../overview/stageModel.ts';

export interface RecipeRow extends Omit<StageSpan, 'changes'> {
  readonly changes: StageSpan['changes'];
  /** Number of steps that were read. */
  readonly steps: number;
  readonly rollouts: number;
  /** Share stopped by the length limit, among rollouts with a logged stop reason. */
  readonly truncated?: number;
  readonly stopsLogged: number;
  /** The step with the largest share. */
  readonly worst?: { readonly step: number; readonly share: number };
  /** Share of groups at the last step whose rollouts are all correct. */
  readonly solvedAtEnd?: number;
}

/** A run without logged stages has a single stage. */
export function recipeRows(run: RunDetail, rows: readonly StepSummary[]): readonly RecipeRow[] {
  const steps = rows.map(({ step }) => step);
  const spans = stageSpans(run, steps);
  const [limit] = responseLimits(run, steps);
  const whole: StageSpan = {
    name: 'Whole run',
    from: steps[0] ?? 0,
    to: steps.at(-1) ?? 0,
    changes: [],
    ...(limit === undefined ? {} : { maxResponseTokens: limit }),
  };
  return (spans.length === 0 ? [whole] : spans).map((span) => {
    const within = rows.filter(({ step }) => step >= span.from && step <= span.to);
    const stopsLogged = sum(within, (row) => row.stopsLogged);
    const share = ratio(
      sum(within, (row) => row.truncated ?? 0),
      stopsLogged,
    );
    const last = within.at(-1);
    const solved =
      last === undefined
        ? undefined
        : ratio(last.groupsAllRight, last.groupsAllWrong + last.groupsMixed + last.groupsAllRight);
    const worst = worstOf(within);
    return {
      ...span,
      steps: within.length,
      rollouts: sum(within, (row) => row.rollouts),
      stopsLogged,
      ...(share === undefined ? {} : { truncated: share }),
      ...(worst === undefined ? {} : { worst }),
      ...(solved === undefined ? {} : { solvedAtEnd: solved }),
    };
  });
}

/**
 * The share of rollouts whose policy tokens reach the limit, among those with known tokens. A lower bound, since the
 * limit may count tokens of tool responses as well.
 */
export function atLimit(
  { from, to }: Pick<RecipeRow, 'from' | 'to'>,
  reached: readonly Counted[],
  known: readonly Counted[],
): number | undefined {
  const within = (rows: readonly Counted[]): number =>
    rows.reduce((all, { step, rollouts }) => (step >= from && step <= to ? all + rollouts : all), 0);
  return ratio(within(reached), within(known));
}

interface Counted {
  readonly step: number;
  readonly rollouts: number;
}

function worstOf(rows: readonly StepSummary[]): RecipeRow['worst'] {
  let worst: RecipeRow['worst'];
  for (const row of rows) {
    const share = row.truncated === undefined ? undefined : ratio(row.truncated, row.stopsLogged);
    if (share !== undefined && share > (worst?.share ?? 0)) worst = { step: row.step, share };
  }
  return worst;
}

function sum(rows: readonly StepSummary[], of: (row: StepSummary) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

/** The problems to leave out of the next stage's data. */
export function solvedCsv(of: string, { solved, known, groups }: SolvedProblems): string {
  return csvFile(
    `${of}: ${solved.length} of ${known} groups have every rollout correct (${groups} groups in all)`,
    ['problem', 'group', 'rollouts', 'data source', 'ground truth', 'question (its beginning)'],
    solved.map((one) => [
      one.problemId,
      one.groupKey,
      one.rollouts,
      one.source,
      one.groundTruth,
      one.question,
    ]),
  );
}
