/** Decides the pools of one step under one basis. */
import type { LedgerDecision, PenaltyKind, RocBasis } from '../../shared/api/rocRows.ts';
import { repetitionOf } from '../../shared/domain/repetition.ts';
import {
  type GroupDecision,
  type PoolGroup,
  type PoolRow,
  type RowDecision,
  resample,
} from '../../shared/domain/resample.ts';
import type { PoolRecord } from '../storage/queries/pool.ts';

type PoolPart = readonly [pErr: number | null, pFormat: number | null];

/** The unit of `length_weight`: 1,000 tokens, or 4,000 characters if tokens are unknown. */
const TOKENS_PER_UNIT = 1000;
const CHARS_PER_UNIT = 4000;

export function penaltiesOf(row: PoolRecord, kind: PenaltyKind): PoolPart {
  switch (kind) {
    case 'logged':
      return [row.pErr, row.pFormat];
    case 'text':
      return [row.pErrText, row.pFormatText];
    case 'typed':
      return [row.pErrTyped, row.pFormatTyped];
  }
}

/**
 * @param batch groups of one step in order of first appearance; a step whose down-sampling left nothing has several pools
 * @param responseOf reads a rollout's text; called only if repetition counts
 * @returns one decision per group; rows beyond `groupSize` have none
 */
export function decideStep(
  batch: readonly (readonly PoolRecord[])[],
  basis: RocBasis,
  responseOf: (rolloutId: number) => string,
): readonly GroupDecision[] {
  const { settings, penalty, groupSize = Number.POSITIVE_INFINITY } = basis;
  const toRow = (record: PoolRecord): PoolRow => {
    const [pErr, pFormat] = penaltiesOf(record, penalty);
    const row: PoolRow = {
      reward: record.reward ?? undefined,
      pErr: pErr ?? undefined,
      pFormat: pFormat ?? undefined,
    };
    if (settings.length_weight === 0 && settings.repetition_weight === 0) return row;
    const { policyTokens, responseChars } = record;
    // Without tokens and text, the length is unknown, and so is the penalty.
    const length =
      policyTokens !== null ? policyTokens / TOKENS_PER_UNIT : (responseChars ?? Number.NaN) / CHARS_PER_UNIT;
    if (settings.repetition_weight === 0) return { ...row, length, repetition: 0 };
    const repetition = responseChars === null ? Number.NaN : repetitionOf(responseOf(record.rolloutId));
    return { ...row, length, repetition };
  };
  const toGroup = (records: readonly PoolRecord[]): PoolGroup => ({
    rows: (records.length > groupSize ? records.slice(0, groupSize) : records).map(toRow),
  });
  // The cuts to the world size are of one pool.
  const poolOf = (records: readonly PoolRecord[]): number => records[0]?.pool ?? 0;
  const decisions = new Map<readonly PoolRecord[], GroupDecision>();
  for (const number of new Set(batch.map(poolOf))) {
    const pool = batch.filter((records) => poolOf(records) === number);
    const decided = resample(pool.map(toGroup), basis.rule, settings);
    pool.forEach((records, i) => {
      const decision = decided[i];
      if (decision !== undefined) decisions.set(records, decision);
    });
  }
  return batch.flatMap((records) => decisions.get(records) ?? []);
}

/** The decision of a row outside the pool. */
const OUTSIDE: LedgerDecision = { isTie: false, isOutside: true };

export function ledgerDecision(row: RowDecision | undefined): LedgerDecision {
  if (row === undefined) return OUTSIDE;
  const { kept, reason, inclusion, inclusionError, penalty, advantage, advantageOfAll, isTie } = row;
  return {
    ...(kept === undefined ? {} : { kept }),
    ...(reason === undefined ? {} : { reason }),
    ...(inclusion === undefined ? {} : { inclusion }),
    ...(inclusionError === undefined ? {} : { inclusionError }),
    ...(penalty === undefined ? {} : { penalty }),
    ...(isKnown(advantage) ? { advantage } : {}),
    ...(isKnown(advantageOfAll) ? { advantageOfAll } : {}),
    isTie,
  };
}

/** Checks for infinity, because the mean of rewards near the largest number overflows. */
const isKnown = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value);

/** Fraction of a row that enters the update: 1, 0, or a probability; NaN: undecided. */
export function keptShare(row: {
  readonly kept?: boolean | undefined;
  readonly inclusion?: number | undefined;
}): number {
  if (row.kept !== undefined) return Number(row.kept);
  return row.inclusion ?? Number.NaN;
}
