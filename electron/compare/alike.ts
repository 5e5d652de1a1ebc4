import type { AlikeList } from '../../shared/api/contract.ts';
import { type AlignOptions, checkpointOf } from '../../shared/domain/align.ts';
import { alike } from '../../shared/domain/alike.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { countOfProblem, groupsOfProblem, rolloutsOfGroups } from '../storage/queries/compared.ts';
import { TranscriptReader } from '../storage/queries/transcripts.ts';

/** Of the same problem: its own group, then those nearest in step. Reading and comparing them takes about a second. */
const MAX_ROLLOUTS = 512;
const MAX_GROUPS = 1_000;
/** Of the time; the rest is comparing. */
const READING_SHARE = 0.3;

export interface AlikeRequest {
  readonly rolloutId: number;
  readonly limit: number;
}

/** @returns undefined when the library has no such rollout. @throws AlignmentCancelled */
export function findAlike(
  db: ReadableLibrary,
  { rolloutId, limit }: AlikeRequest,
  options: AlignOptions,
): AlikeList | undefined {
  const transcripts = new TranscriptReader(db);
  const target = transcripts.read(rolloutId);
  if (target === undefined) return undefined;
  const groupIds = groupsOfProblem(db, rolloutId, MAX_GROUPS);
  const { rollouts, total: inGroups } = rolloutsOfGroups(db, groupIds, MAX_ROLLOUTS);
  // Also of the groups beyond those that were asked for: what is left out is said.
  const total = countOfProblem(db, rolloutId) ?? inGroups;
  const checkpoint = checkpointOf(options);
  const addresses = new Map(rollouts.map((address) => [address.rolloutId, address]));
  const candidates = rollouts.flatMap(({ rolloutId: id }, i) => {
    checkpoint();
    options.onShare?.((READING_SHARE * i) / rollouts.length);
    const candidate = id === rolloutId ? undefined : transcripts.read(id);
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
