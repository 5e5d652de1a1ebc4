/** Answers questions about a few rollouts side by side. */
import type { ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ApiError, found } from '../../shared/api/errors.ts';
import { packComparison } from '../../shared/api/packedRows.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import type { AlignOptions } from '../../shared/domain/align.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import type { Task } from '../threads/task.ts';
import { compareRollouts } from './align.ts';
import { findAlike } from './alike.ts';
import { growTree } from './tree.ts';

type CompareMethod = 'compare.align' | 'compare.tree' | 'compare.alike';
type CompareHandlers = {
  [M in CompareMethod]: (params: ParsedParams<M>, task: Task) => ResultOf<M>;
};

export function compareHandlers(db: ReadableLibrary): CompareHandlers {
  return {
    'compare.align': (params, task) => packComparison(compareRollouts(db, params, optionsOf(task))),
    'compare.tree': ({ groupIds }, task) => {
      const tree = growTree(db, groupIds, optionsOf(task));
      // A tree is returned as far as it got.
      if (task.isCancelled()) throw new ApiError(CANCELLED);
      return found(tree, 'rollouts in these groups');
    },
    'compare.alike': (params, task) => {
      const alike = findAlike(db, params, optionsOf(task));
      if (task.isCancelled()) throw new ApiError(CANCELLED);
      return found(alike, 'such rollout');
    },
  };
}

function optionsOf(task: Task): AlignOptions {
  return { isCancelled: task.isCancelled, onShare: (share) => task.progress(0, 1, share) };
}
