import type { AlignableRollout } from '../../shared/domain/align.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { getRollout } from '../storage/queries/rollout.ts';
import { tokenEndsOf } from '../storage/queries/tokens.ts';

/** @returns undefined when the library has no such rollout */
export function alignableRollout(db: ReadableLibrary, rolloutId: number): AlignableRollout | undefined {
  const detail = getRollout(db, rolloutId);
  if (detail === undefined) return undefined;
  const { response, segments, toolCalls } = detail;
  const tokenEnds = tokenEndsOf(db, rolloutId);
  return { response, segments, toolCalls, ...(tokenEnds === undefined ? {} : { tokenEnds }) };
}
