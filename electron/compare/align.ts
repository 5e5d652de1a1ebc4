import type { ComparedBlock, ComparedRow, Comparison } from '../../shared/api/contract.ts';
import { ApiError, notFound } from '../../shared/api/errors.ts';
import type { AlignOptions } from '../../shared/domain/align.ts';
import { alignLanes, type LaneBlock } from '../../shared/domain/alignLanes.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { TranscriptReader } from '../storage/queries/transcripts.ts';
import { actionForkOf, forkOf, idForkOf, policyForkOf } from './forks.ts';

export interface AlignRequest {
  readonly rolloutIds: readonly number[];
  /** Index into `rolloutIds`. */
  readonly baseline: number;
}

/**
 * The same rollout may be in several lanes.
 *
 * @throws ApiError when a rollout does not exist or the baseline is not a lane; AlignmentCancelled
 */
export function compareRollouts(
  db: ReadableLibrary,
  { rolloutIds, baseline }: AlignRequest,
  options: AlignOptions,
): Comparison {
  const transcripts = new TranscriptReader(db);
  const lanes = rolloutIds.map((rolloutId) => {
    const rollout = transcripts.read(rolloutId);
    if (rollout === undefined) throw notFound(`the library has no rollout ${rolloutId}`);
    return rollout;
  });
  if (baseline >= lanes.length) {
    const message = `expected a baseline below ${lanes.length}, found ${baseline}`;
    throw new ApiError({ code: 'bad_request', message });
  }
  const { rows, pairs } = alignLanes(lanes, baseline, options);
  const compared = pairs.map((pair, lane) => {
    if (pair === undefined) return null;
    const sides = { rolloutIds, lanes, baseline, lane };
    const fork = pair.divergence === undefined ? undefined : forkOf(db, pair.divergence, sides);
    const policyFork = policyForkOf(db, fork, sides);
    const idFork = idForkOf(db, sides);
    const actionFork = actionForkOf(sides);
    return {
      prefix: pair.prefix,
      cost: pair.cost,
      ...(fork === undefined ? {} : { fork }),
      ...(policyFork === undefined ? {} : { policyFork }),
      ...(idFork === undefined ? {} : { idFork }),
      ...(actionFork === undefined ? {} : { actionFork }),
    };
  });
  return {
    rows: rows.map(
      (row): ComparedRow => ({ ...row, turns: row.turns.map(orNull), blocks: row.blocks.map(blockOf) }),
    ),
    lanes: compared,
  };
}

const orNull = <T>(value: T | undefined): T | null => value ?? null;

const blockOf = ({ segments, relations, edits }: LaneBlock): ComparedBlock => ({
  segments: segments.map(orNull),
  relations: relations.map(orNull),
  edits: edits.map(orNull),
});
