/** Finds incorrect rollouts of a group that are rewarded for the form of their answer only. */
import { GRADES, type Scores, type ScoreValue } from '../scores.ts';

export interface FormatRollout {
  readonly isCorrect?: boolean | undefined;
  readonly reward?: number | undefined;
  /** Whether an answer is where the prompt asks for it. */
  readonly isInForm: boolean;
  readonly scores: Scores;
}

const FORMAT_SCORE =
  /(?:^|[^A-Za-z])[Ff]ormat|[a-z]Format|(?:^|[^A-Za-z])(?:tags?|xml|boxed|structure|schema)(?:$|[^A-Za-z])/;
/** Sums and repetitions of the reward itself. */
const WHOLE_SCORE = /^(?:total|overall|sum|score|reward|final)(?:[_.\s-]?(?:reward|score))?$/i;

/** @returns per rollout; undefined: correctness or reward is unknown */
export function formatWins(group: readonly FormatRollout[]): readonly (boolean | undefined)[] {
  const rewardOfForm = rewardForForm(group);
  return group.map(({ isCorrect, reward, isInForm, scores }) => {
    if (isCorrect === undefined || reward === undefined) return undefined;
    if (isCorrect || reward <= 0) return false;
    return onlyFormatScores(scores) || (isInForm && reward === rewardOfForm);
  });
}

/** The reward that all incorrect rollouts in form have and that is above all other incorrect ones'. */
function rewardForForm(group: readonly FormatRollout[]): number | undefined {
  const wrong = group.filter(({ isCorrect, reward }) => isCorrect === false && reward !== undefined);
  const rewards = (isInForm: boolean): number[] =>
    wrong.filter((one) => one.isInForm === isInForm).map(({ reward = 0 }) => reward);
  const [inForm, others] = [rewards(true), rewards(false)];
  const [first] = inForm;
  if (first === undefined || others.length === 0) return undefined;
  return inForm.every((reward) => reward === first) && others.every((reward) => reward < first)
    ? first
    : undefined;
}

function onlyFormatScores(scores: Scores): boolean {
  const parts = Object.entries(scores).filter(([name]) => !WHOLE_SCORE.test(name));
  const values = (isFormat: boolean): number[] =>
    parts.filter(([name]) => FORMAT_SCORE.test(name) === isFormat).map(([, value]) => amountOf(value));
  const [format, others] = [values(true), values(false)];
  return format.some((value) => value > 0) && others.length > 0 && others.every((value) => value <= 0);
}

/** Words that are no grade count as credit, which makes no finding. */
const amountOf = (value: ScoreValue): number =>
  typeof value === 'string' ? (Object.hasOwn(GRADES, value) ? (GRADES[value] ?? 1) : 1) : Number(value);
