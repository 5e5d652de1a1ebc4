/** Problems of a run by step, and suspicious problems and rewards. */
import type { ProblemMap, ProblemSuspect } from '../../shared/api/contract.ts';
import { isSameAnswer } from '../../shared/domain/sameAnswer.ts';
import type { GroupFacts } from '../storage/queries/columns.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import type { Matched } from './runOrder.ts';

interface Cell {
  readonly problem: number;
  readonly step: number;
  readonly groupId: number;
  groups: number;
  rollouts: number;
  known: number;
  correct: number;
  answers: number;
}

/**
 * One cell per problem and step. Several groups of a problem at one step are merged.
 *
 * @param questionOf returns the beginning of a question by problem number
 */
export function problemMap(
  run: RunTable,
  matched: readonly Matched[],
  questionOf: (problemNo: number) => string,
  checkpoint: Checkpoint,
): ProblemMap {
  const problems = new Map<string, { readonly index: number; readonly facts: GroupFacts }>();
  const cells: Cell[] = [];
  /** Groups without a matching rollout. They distinguish such steps from steps at which the problem was not tried. */
  const beside: { readonly problemKey: string; readonly step: number; readonly groupId: number }[] = [];
  matched.forEach(({ table, mask }, step) => {
    checkpoint(step, matched.length);
    const ofStep = new Map<number, Cell>();
    const sumOf = groupSums(table, mask);
    eachGroup(table.column('groupId'), (groupId, from, to) => {
      const facts = run.groups().get(groupId);
      if (facts === undefined) return;
      const sums = sumOf(from, to);
      if (sums.rollouts === 0) {
        beside.push({ problemKey: facts.problemKey, step, groupId });
        return;
      }
      const problem = problems.get(facts.problemKey) ?? { index: problems.size, facts };
      problems.set(facts.problemKey, problem);
      const cell = ofStep.get(problem.index);
      if (cell === undefined) {
        const fresh = { problem: problem.index, step, groupId, groups: 1, ...sums };
        ofStep.set(problem.index, fresh);
        cells.push(fresh);
        return;
      }
      cell.groups++;
      cell.rollouts += sums.rollouts;
      cell.known += sums.known;
      cell.correct += sums.correct;
      cell.answers = Math.max(cell.answers, sums.answers);
    });
  });
  const cellKeys = new Set(cells.map(({ problem, step }) => problem * matched.length + step));
  for (const { problemKey, step, groupId } of beside) {
    const problem = problems.get(problemKey)?.index;
    if (problem === undefined || cellKeys.has(problem * matched.length + step)) continue;
    cellKeys.add(problem * matched.length + step);
    cells.push({ problem, step, groupId, groups: 0, rollouts: 0, known: 0, correct: 0, answers: 0 });
  }
  const column = (of: (cell: Cell) => number): Uint32Array => Uint32Array.from(cells, of);
  return {
    steps: matched.map(({ table }) => table.step),
    problems: [...problems.values()].map(({ facts: { problemId, problemNo, source, groundTruth } }) => ({
      problemId,
      question: questionOf(problemNo),
      ...(source === null ? {} : { source }),
      ...(groundTruth === null ? {} : { groundTruth }),
    })),
    cells: {
      problem: column((cell) => cell.problem),
      step: column((cell) => cell.step),
      groupId: column((cell) => cell.groupId),
      groups: column((cell) => cell.groups),
      rollouts: column((cell) => cell.rollouts),
      known: column((cell) => cell.known),
      correct: column((cell) => cell.correct),
      answers: column((cell) => cell.answers),
    },
  };
}

function eachGroup(
  groupId: ArrayLike<number>,
  visit: (groupId: number, from: number, to: number) => void,
): void {
  for (let from = 0; from < groupId.length; ) {
    let to = from + 1;
    while (to < groupId.length && groupId[to] === groupId[from]) to++;
    visit(groupId[from] ?? 0, from, to);
    from = to;
  }
}

/** Sums of one group at a time. A stamp per answer marks answers that already occurred in the current group. */
function groupSums(table: Matched['table'], mask: Uint8Array) {
  const correct = table.column('isCorrect');
  const answer = table.column('answer');
  const stamps = new Uint32Array(table.dictionary('answer').length + 1);
  let stamp = 0;
  return (from: number, to: number) => {
    stamp++;
    const sums = { rollouts: 0, known: 0, correct: 0, answers: 0 };
    for (let i = from; i < to; i++) {
      if (mask[i] === 0) continue;
      sums.rollouts++;
      const isCorrect = correct[i] ?? -1;
      if (isCorrect >= 0) sums.known++;
      if (isCorrect === 1) sums.correct++;
      const code = answer[i] ?? 0;
      if (code === 0 || stamps[code] === stamp) continue;
      stamps[code] = stamp;
      sums.answers++;
    }
    return sums;
  };
}

/** A majority counts as consistent from this fraction of the answers. */
const MAJORITY_SHARE = 0.5;
const LEAST_ANSWERS = 4;

interface Tally {
  readonly facts: GroupFacts;
  readonly counts: Map<string, number>;
  answers: number;
  /** The newest step with this problem. */
  step: number;
  groupId: number;
}

/**
 * Problems whose rollouts mostly agree on an answer other than the ground truth, by agreement, descending.
 *
 * @param questionOf returns the beginning of a question by problem number
 */
export function suspiciousGroundTruths(
  run: RunTable,
  matched: readonly Matched[],
  questionOf: (problemNo: number) => string,
  checkpoint: Checkpoint,
): readonly ProblemSuspect[] {
  const tallies = new Map<string, Tally>();
  matched.forEach(({ table, mask }, i) => {
    checkpoint(i, matched.length);
    const texts = table.dictionary('answer');
    const answer = table.column('answer');
    eachGroup(table.column('groupId'), (groupId, from, to) => {
      const facts = run.groups().get(groupId);
      if (facts === undefined || facts.groundTruth === null) return;
      const tally = tallies.get(facts.problemKey) ?? {
        facts,
        counts: new Map(),
        answers: 0,
        step: 0,
        groupId,
      };
      tallies.set(facts.problemKey, tally);
      tally.step = table.step;
      tally.groupId = groupId;
      for (let at = from; at < to; at++) {
        const text = mask[at] === 0 ? undefined : texts[(answer[at] ?? 0) - 1];
        if (text === undefined) continue;
        tally.answers++;
        tally.counts.set(text, (tally.counts.get(text) ?? 0) + 1);
      }
    });
  });
  return [...tallies.values()]
    .flatMap((tally) => suspectOf(tally, questionOf) ?? [])
    .sort((a, b) => b.rollouts / b.answers - a.rollouts / a.answers || b.rollouts - a.rollouts);
}

/** Answers that normalize to the same text count as one. */
function suspectOf(
  { facts, counts, answers, step, groupId }: Tally,
  questionOf: (problemNo: number) => string,
): ProblemSuspect | undefined {
  const { groundTruth, problemId, problemNo } = facts;
  if (groundTruth === null || answers < LEAST_ANSWERS) return undefined;
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (most === undefined) return undefined;
  let rollouts = 0;
  for (const [text, count] of counts) if (isSameAnswer(text, most[0])) rollouts += count;
  if (rollouts < MAJORITY_SHARE * answers || isSameAnswer(most[0], groundTruth)) return undefined;
  const question = questionOf(problemNo);
  return { problemId, question, groundTruth, answer: most[0], rollouts, answers, step, groupId };
}
