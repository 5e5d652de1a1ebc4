import { replaceEqualDeep } from '@tanstack/react-query';

/** react-query compares plain JSON only; a list of ids that has not changed must stay the same object, too. */
export function sharedAnswer(before: unknown, now: unknown): unknown {
  const [a, b] = [idsOf(before), idsOf(now)];
  if (a === undefined || b === undefined) return replaceEqualDeep(before, now);
  return a.length === b.length && a.every((id, i) => id === b[i]) ? before : now;
}

function idsOf(answer: unknown): Uint32Array | undefined {
  if (typeof answer !== 'object' || answer === null || !('ids' in answer)) return undefined;
  return answer.ids instanceof Uint32Array ? answer.ids : undefined;
}
