/** Evaluation results per step, by the data source of the problems, computed from columns. */
import type { EvaluationPanel, EvaluationPoint } from '../../shared/api/contract.ts';
import { evaluate, meanReward, type ProblemSamples } from '../../shared/domain/evaluation.ts';
import { UNKNOWN_I32 } from '../storage/columnNames.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import type { Matched } from './runOrder.ts';

/** Sources in order of first appearance. Problems without a logged source form one panel. */
export function evaluationPanels(
  run: RunTable,
  matched: readonly Matched[],
  checkpoint: Checkpoint,
): readonly EvaluationPanel[] {
  const groups = run.groups();
  const panels = new Map<string | null, EvaluationPoint[]>();
  for (const [at, { table, mask }] of matched.entries()) {
    // Check for cancellation here, because sampling majorities takes longer than matching.
    checkpoint(at, matched.length);
    const tallies = new Map<string | null, SourceTally>();
    const groupId = table.column('groupId');
    const correct = table.column('isCorrect');
    const reward = table.column('reward');
    const answer = table.column('answer');
    const tokens = table.column('policyTokens');
    const chars = table.column('responseChars');
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 0) continue;
      const group = groups.get(groupId[i] ?? 0);
      const source = group?.source ?? null;
      let tally = tallies.get(source);
      if (tally === undefined) {
        tally = new SourceTally();
        tallies.set(source, tally);
      }
      tally.add({
        problem: group?.problemKey ?? '',
        correct: correct[i] ?? -1,
        reward: reward[i] ?? Number.NaN,
        answer: answer[i] ?? 0,
        tokens: tokens[i] ?? UNKNOWN_I32,
        chars: chars[i] ?? UNKNOWN_I32,
      });
    }
    for (const [source, tally] of tallies) {
      const points = panels.get(source) ?? [];
      points.push(tally.point(table.step));
      panels.set(source, points);
    }
  }
  return [...panels].map(([source, points]) => (source === null ? { points } : { source, points }));
}

interface Sample {
  readonly problem: string;
  /** -1: unknown. */
  readonly correct: number;
  /** NaN: unknown. */
  readonly reward: number;
  /** Code; 0: unknown. */
  readonly answer: number;
  readonly tokens: number;
  readonly chars: number;
}

interface Tally {
  samples: number;
  correct: number;
}

/** The problems of one source at one step. Samples of several groups of a problem are pooled. */
class SourceTally {
  private readonly problems = new Map<string, Tally & { readonly answers: Map<number, Tally> }>();
  private readonly rewards = new Map<string, { sum: number; known: number }>();
  private rollouts = 0;
  private tokens = 0;
  private tokensKnown = 0;
  private chars = 0;
  private charsKnown = 0;

  add(sample: Sample): void {
    this.rollouts++;
    if (sample.tokens !== UNKNOWN_I32) {
      this.tokens += sample.tokens;
      this.tokensKnown++;
    }
    if (sample.chars !== UNKNOWN_I32) {
      this.chars += sample.chars;
      this.charsKnown++;
    }
    if (!Number.isNaN(sample.reward)) {
      const rewards = this.rewards.get(sample.problem) ?? { sum: 0, known: 0 };
      rewards.sum += sample.reward;
      rewards.known++;
      this.rewards.set(sample.problem, rewards);
    }
    if (sample.correct < 0) return;
    let problem = this.problems.get(sample.problem);
    if (problem === undefined) {
      problem = { samples: 0, correct: 0, answers: new Map() };
      this.problems.set(sample.problem, problem);
    }
    problem.samples++;
    problem.correct += sample.correct;
    if (sample.answer === 0) return;
    const answer = problem.answers.get(sample.answer) ?? { samples: 0, correct: 0 };
    answer.samples++;
    answer.correct += sample.correct;
    problem.answers.set(sample.answer, answer);
  }

  point(step: number): EvaluationPoint {
    const problems = [...this.problems.values()].map(
      ({ samples, correct, answers }): ProblemSamples => ({
        samples,
        correct,
        answers: [...answers.values()],
      }),
    );
    const mean = meanReward([...this.rewards.values()].map(({ sum, known }) => sum / known));
    return {
      step,
      rollouts: this.rollouts,
      ...evaluate(problems),
      ...(mean === undefined ? {} : { meanReward: mean }),
      ...(this.tokensKnown > 0 ? { meanTokens: this.tokens / this.tokensKnown } : {}),
      ...(this.charsKnown > 0 ? { meanChars: this.chars / this.charsKnown } : {}),
    };
  }
}
