/** Handlers of comparisons of a few rollouts. */
import type { AlikeList, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import { ApiError, found } from '../../shared/api/errors.ts';
import { packComparison } from '../../shared/api/packedRows.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import type { AlignOptions } from '../../shared/domain/align.ts';
import { alike } from '../../shared/domain/alike.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { countOfProblem, groupsOfProblem, rolloutsOfGroups } from '../storage/queries/compared.ts';
import { resolveAddress } from '../storage/queries/places.ts';
import { TranscriptReader } from '../storage/queries/transcripts.ts';
import type { Task } from '../threads/task.ts';
import { compareRollouts } from './align.ts';
import { readTranscripts } from './readTranscripts.ts';
import { growActionTree, growTree } from './tree.ts';

type CompareMethod = 'compare.align' | 'compare.tree' | 'compare.actionTree' | 'compare.alike';
type CompareHandlers = {
  [M in CompareMethod]: (params: ParsedParams<M>, task: Task) => ResultOf<M>;
};

export function compareHandlers(db: ReadableLibrary): CompareHandlers {
  return {
    'compare.align': ({ rollouts, baseline }, task) => {
      const rolloutIds = rollouts.map((each) =>
        typeof each === 'number' ? each : found(resolveAddress(db, each).rolloutId, 'such rollout'),
      );
      return packComparison(compareRollouts(db, { rolloutIds, baseline }, optionsOf(task)));
    },
    'compare.tree': ({ groupIds }, task) => {
      const tree = growTree(db, groupIds, optionsOf(task));
      return found(wholeTree(tree, task), 'rollouts in these groups');
    },
    'compare.actionTree': ({ groupIds }, task) => {
      const tree = growActionTree(db, groupIds, optionsOf(task));
      return found(wholeTree(tree, task), 'rollouts in these groups');
    },
    'compare.alike': (params, task) => {
      const alike = findAlike(db, params, optionsOf(task));
      if (task.isCancelled()) throw new ApiError(CANCELLED);
      return found(alike, 'such rollout');
    },
  };
}

/**
 * A cancelled tree has its completed part only, which is not a valid result.
 *
 * @throws ApiError
 */
function wholeTree<Tree>(tree: Tree, task: Task): Tree {
  if (task.isCancelled()) throw new ApiError(CANCELLED);
  return tree;
}

function optionsOf(task: Task): AlignOptions {
  return { isCancelled: task.isCancelled, onShare: (share) => task.progress(0, 1, share) };
}

/**
 * Rollouts of the same problem: the own group, then groups nearest in step. Reading and comparing them
 * takes about 1 s.
 */
const MAX_ROLLOUTS = 512;
const MAX_GROUPS = 1_000;
/** Share of reading in the progress. Comparing has the rest. */
const READING_SHARE = 0.3;

interface AlikeRequest {
  readonly rolloutId: number;
  readonly limit: number;
}

/**
 * @returns undefined when there is no such rollout
 * @throws AlignmentCancelled
 */
function findAlike(
  db: ReadableLibrary,
  { rolloutId, limit }: AlikeRequest,
  options: AlignOptions,
): AlikeList | undefined {
  const transcripts = new TranscriptReader(db);
  const target = transcripts.read(rolloutId);
  if (target === undefined) return undefined;
  const groupIds = groupsOfProblem(db, rolloutId, MAX_GROUPS);
  const { rollouts, total: inGroups } = rolloutsOfGroups(db, groupIds, MAX_ROLLOUTS);
  // Includes groups that were not read, so that the page can show the number left out.
  const total = countOfProblem(db, rolloutId) ?? inGroups;
  const addresses = new Map(rollouts.map((address) => [address.rolloutId, address]));
  const others = rollouts.flatMap(({ rolloutId: id }) => (id === rolloutId ? [] : [id]));
  const read = readTranscripts(transcripts, others, {
    ...options,
    onShare: (share) => options.onShare?.(READING_SHARE * share),
  });
  const candidates = others.flatMap((id, i) => {
    const candidate = read[i];
    return candidate === undefined ? [] : [{ id, ...candidate }];
  });
  const onShare = (share: number): void => options.onShare?.(READING_SHARE + (1 - READING_SHARE) * share);
  const ranked = alike(target, candidates, { ...options, onShare }).slice(0, limit);
  return {
    rollouts: ranked.flatMap(({ id, ...likeness }) => {
      const address = addresses.get(id);
      return address === undefined
        ? []
        : [{ ...address, isSibling: address.groupId === groupIds[0], ...likeness }];
    }),
    considered: candidates.length,
    total: total - 1,
  };
}
