/** Pairs of rollouts for a pack: both sides, and which turns and segments the comparison puts on one row. */
import type { Direction } from '../../../shared/api/contract.ts';
import { alignLanes, type LaneRow } from '../../../shared/domain/alignLanes.ts';
import type { ReadableLibrary } from '../../storage/open.ts';
import { TranscriptReader } from '../../storage/queries/transcripts.ts';
import { type CaseReaderOptions, readCases } from './caseReader.ts';
import { booleanFact, type PackCase } from './packCase.ts';

/** The rollout before and the one after. */
export type PairIds = readonly [from: number, to: number];

/** A row of the comparison. An entry is undefined if that side has nothing there. */
export interface PairRow {
  readonly turns: readonly [from: number | undefined, to: number | undefined];
  /** Both sides have the turn, with equal segments. */
  readonly isEqual: boolean;
  /** Indices among the segments of the responses, from 0. */
  readonly segments: readonly (readonly [from: number | undefined, to: number | undefined])[];
}

export interface PackPair {
  readonly from: PackCase;
  readonly to: PackCase;
  readonly rows: readonly PairRow[];
}

interface PairReaderOptions extends CaseReaderOptions {
  readonly isCancelled?: () => boolean;
}

/**
 * Leaves out pairs of which a rollout was removed meanwhile.
 *
 * @throws AlignmentCancelled
 */
export async function* readPairs(
  db: ReadableLibrary,
  pairs: readonly PairIds[],
  options: PairReaderOptions,
): AsyncGenerator<PackPair> {
  const transcripts = new TranscriptReader(db);
  for (const ids of pairs) {
    const sides = new Map<unknown, PackCase>();
    for await (const one of readCases(db, Uint32Array.from(ids), options))
      sides.set(one.rollout.row['rollout_id'], one);
    const [from, to] = [sides.get(ids[0]), sides.get(ids[1])];
    const [a, b] = [transcripts.read(ids[0]), transcripts.read(ids[1])];
    if (from === undefined || to === undefined || a === undefined || b === undefined) continue;
    const { isCancelled } = options;
    const { rows } = alignLanes([a, b], 0, isCancelled === undefined ? {} : { isCancelled });
    yield { from, to, rows: rows.map((row) => rowOf(row, from, to)) };
  }
}

/** Transcripts count the segments of the prompt, packs only those of the response. */
function rowOf({ turns, isEqual, blocks }: LaneRow, from: PackCase, to: PackCase): PairRow {
  const inResponse = (segment: number | undefined, { rollout }: PackCase): number | undefined =>
    segment === undefined ? undefined : segment - rollout.promptSegments.length;
  return {
    turns: [turns[0], turns[1]],
    isEqual,
    segments: blocks.map(({ segments }) => [inResponse(segments[0], from), inResponse(segments[1], to)]),
  };
}

/** Undefined: both rollouts have the same correctness, or that of one is unknown. */
export function becameOf({ from, to }: PackPair): Direction | undefined {
  const [before, after] = [booleanFact(from, 'is_correct'), booleanFact(to, 'is_correct')];
  if (before === undefined || after === undefined || before === after) return undefined;
  return after ? 'correct' : 'incorrect';
}
