import type { Result } from '../../shared/api/errors.ts';
import { AlignmentCancelled, type AlignOptions } from '../../shared/domain/align.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { type AlignRequest, compareRollouts, NoSuchRollout } from './align.ts';
import { type AlikeRequest, findAlike } from './alike.ts';
import { growTree } from './tree.ts';

export type CompareQuestion =
  | ({ readonly about: 'alignment' } & AlignRequest)
  | { readonly about: 'tree'; readonly groupIds: readonly number[] }
  | ({ readonly about: 'alike' } & AlikeRequest);

/** One question about a few rollouts, with the ways it can fail as data. */
export function answerComparison(
  db: ReadableLibrary,
  question: CompareQuestion,
  options: AlignOptions,
): Result<unknown> | 'cancelled' {
  try {
    const value = answerTo(db, question, options);
    // A tree is returned as far as it got.
    if (options.isCancelled?.() === true) return 'cancelled';
    if (value !== undefined) return { ok: true, value };
    const what = question.about === 'tree' ? 'rollouts in these groups' : 'such rollout';
    return { ok: false, failure: { code: 'not_found', message: `the library has no ${what}` } };
  } catch (error) {
    if (error instanceof AlignmentCancelled) return 'cancelled';
    if (error instanceof NoSuchRollout)
      return { ok: false, failure: { code: 'not_found', message: error.message } };
    if (error instanceof RangeError)
      return { ok: false, failure: { code: 'bad_request', message: error.message } };
    throw error;
  }
}

function answerTo(db: ReadableLibrary, question: CompareQuestion, options: AlignOptions): unknown {
  switch (question.about) {
    case 'alignment':
      return compareRollouts(db, question, options);
    case 'tree':
      return growTree(db, question.groupIds, options);
    case 'alike':
      return findAlike(db, question, options);
  }
}
