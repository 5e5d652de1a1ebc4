/**
 * Answers that the reward contradicts itself on: in one problem, the same text was correct in one rollout
 * and incorrect in another.
 */
import type { DisputedAnswer } from '../../shared/api/contract.ts';
import type { GroupFacts } from '../storage/queries/columns.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import type { Matched } from './runOrder.ts';

interface Tally {
  readonly facts: GroupFacts;
  readonly text: string;
  right: number;
  wrong: number;
  /** A rollout of the newest group that has one. */
  rightId: number;
  wrongId: number;
  rightGroup: number;
  wrongGroup: number;
  /** A pair from the newest group that has both, because simultaneous attempts compare best. */
  together: readonly [rightId: number, wrongId: number] | undefined;
}

/**
 * Searches all groups and steps of the run. Sorts by the count of the rarer verdict, descending.
 *
 * @param questionOf returns the beginning of a question by problem number
 */
export function disputedAnswers(
  run: RunTable,
  matched: readonly Matched[],
  questionOf: (problemNo: number) => string,
  checkpoint: Checkpoint,
): readonly DisputedAnswer[] {
  const problems = new Map<string, Map<string, Tally>>();
  const groups = run.groups();
  matched.forEach(({ table, mask }, step) => {
    checkpoint(step, matched.length);
    const texts = table.dictionary('answer');
    const [groupId, answer] = [table.column('groupId'), table.column('answer')];
    const [correct, rolloutId] = [table.column('isCorrect'), table.column('rolloutId')];
    for (let i = 0; i < mask.length; i++) {
      const isRight = correct[i] ?? -1;
      const text = mask[i] === 0 || isRight < 0 ? undefined : texts[(answer[i] ?? 0) - 1];
      const facts = text === undefined ? undefined : groups.get(groupId[i] ?? 0);
      if (text === undefined || facts === undefined) continue;
      const answers = problems.get(facts.problemKey) ?? new Map<string, Tally>();
      problems.set(facts.problemKey, answers);
      const tally = answers.get(text) ?? freshTally(facts, text);
      answers.set(text, tally);
      count(tally, isRight === 1, rolloutId[i] ?? 0, facts.groupId);
    }
  });
  return [...problems.values()]
    .flatMap((answers) => [...answers.values()])
    .filter(({ right, wrong }) => right > 0 && wrong > 0)
    .sort((a, b) => rarer(b) - rarer(a) || b.right + b.wrong - a.right - a.wrong)
    .map(({ facts, text, right, wrong, rightId, wrongId, together }) => ({
      problemId: facts.problemId,
      question: questionOf(facts.problemNo),
      ...(facts.groundTruth === null ? {} : { groundTruth: facts.groundTruth }),
      answer: text,
      right,
      wrong,
      rightId: together?.[0] ?? rightId,
      wrongId: together?.[1] ?? wrongId,
    }));
}

function freshTally(facts: GroupFacts, text: string): Tally {
  const none = { right: 0, wrong: 0, rightId: 0, wrongId: 0, rightGroup: -1, wrongGroup: -1 };
  return { facts, text, ...none, together: undefined };
}

function count(tally: Tally, isRight: boolean, rolloutId: number, groupId: number): void {
  if (isRight) {
    tally.right++;
    tally.rightId = rolloutId;
    tally.rightGroup = groupId;
  } else {
    tally.wrong++;
    tally.wrongId = rolloutId;
    tally.wrongGroup = groupId;
  }
  if (tally.rightGroup === tally.wrongGroup) tally.together = [tally.rightId, tally.wrongId];
}

const rarer = ({ right, wrong }: Tally): number => Math.min(right, wrong);
