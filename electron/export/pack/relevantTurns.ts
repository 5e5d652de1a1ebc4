/** The turns of a failure that a report shows in full. */
import type { AnnotationRow } from '../../../shared/api/contract.ts';
import type { CaseTurn, PackCase } from './packCase.ts';

/** The first and last turn, and turns with annotations, flags or failed calls. */
export function relevantTurns(one: PackCase, turns: readonly CaseTurn[]): ReadonlySet<number> {
  const matter = new Set<number>();
  const [first] = turns;
  const last = turns.at(-1);
  if (first !== undefined) matter.add(first.turn);
  if (last !== undefined) matter.add(last.turn);
  for (const { turn, calls } of turns) if (calls.some(({ isError }) => isError)) matter.add(turn);
  for (const row of one.annotations) {
    const turn = turnOfAnnotation(one, row);
    if (turn !== undefined) matter.add(turn);
  }
  for (const { evidence } of one.flags)
    for (const { segment } of evidence) {
      const at = one.rollout.segments[segment];
      if (at !== undefined) matter.add(at.turn);
    }
  return matter;
}

/** 0: the prompt; undefined: the whole rollout, or the text no longer exists. */
export function turnOfAnnotation(
  { rollout }: PackCase,
  { target, place }: AnnotationRow,
): number | undefined {
  if (target.kind === 'rollout' || place?.start === undefined) return undefined;
  if (target.anchor.text === 'prompt') return 0;
  if (target.kind === 'turn') return target.turn;
  const { start } = place;
  return (rollout.segments.find((segment) => start < segment.end) ?? rollout.segments.at(-1))?.turn;
}
