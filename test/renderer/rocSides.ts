/** Ledgers for the tests of the renderer, decided by the real rules, so that no test invents a quota. */
import type {
  GroupLedger,
  LedgerSide,
  PenaltyKind,
  RocBasis,
  RolloutRow,
} from '../../shared/api/contract.ts';
import {
  type DownSamplingSettings,
  RELEASE_DEFAULTS,
  type ResampleRule,
} from '../../shared/domain/downSampling.ts';
import { type GroupDecision, type PoolGroup, type PoolRow, resample } from '../../shared/domain/resample.ts';
import { rolloutRow } from '../support/preview/previewData.ts';

/** The example script's, without the rejection of equal rewards. */
export const EXAMPLE: DownSamplingSettings = {
  ...RELEASE_DEFAULTS,
  roc_error_ratio: true,
  roc_answer_format: true,
  min_zero_reward_trace_num: 2,
  min_non_zero_reward_trace_num: 2,
  down_sample_to_n: 16,
};

/** `+3` a positive of p_err 0.3, `-` a negative, `?` an unknown reward, `+?` a positive of unknown penalty; `x4` repeats. */
function drawPool(picture: string): PoolGroup {
  const rows = picture
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      const [mark = '', times = '1'] = word.split('x');
      const pErr = mark.slice(1) === '?' ? undefined : Number(mark.slice(1)) / 10;
      const reward = mark.startsWith('+') ? 1 : mark.startsWith('-') ? 0 : undefined;
      return Array.from({ length: Number(times) }, (): PoolRow => ({ reward, pErr, pFormat: 0 }));
    });
  return { rows };
}

export function basisFor(
  settings: DownSamplingSettings,
  rule: ResampleRule = 'release',
  penalty: PenaltyKind = 'text',
): RocBasis {
  return { rule, ruleSource: 'default', penalty, settings, logged: [], unreadable: [], chosen: [] };
}

interface Side {
  readonly side: LedgerSide;
  readonly decision: GroupDecision;
}

export function decide(
  picture: string,
  settings: DownSamplingSettings = EXAMPLE,
  rule: ResampleRule = 'release',
): Side {
  const [decision] = resample([drawPool(picture)], rule, settings);
  if (decision === undefined) throw new Error('one group gives one decision');
  const { outcome, why, quota, cut, assertion } = decision;
  const side: LedgerSide = {
    basis: basisFor(settings, rule),
    outcome,
    ...(why === undefined ? {} : { why }),
    ...(quota === undefined ? {} : { quota }),
    ...(cut === undefined ? {} : { cut }),
    ...(assertion === undefined ? {} : { assertion }),
    sums: {},
  };
  return { side, decision };
}

/** A ledger without logged decisions: the recomputation applies. */
export function ledgerOf(picture: string, settings = EXAMPLE, whatIf?: DownSamplingSettings): GroupLedger {
  const { side, decision } = decide(picture, settings);
  const other = whatIf === undefined ? undefined : decide(picture, whatIf);
  const pool = drawPool(picture).rows;
  return {
    groupId: 1,
    runId: 1,
    step: 0,
    rows: decision.rows.map((row, i) => {
      const pErr = pool[i]?.pErr ?? 0;
      const after = other?.decision.rows[i];
      return {
        rolloutId: 100 + i,
        ordinal: i,
        penalties: { text: { pErr, pFormat: 0, source: 'text' }, typed: { pErr: pErr / 2, pFormat: 0 } },
        recomputed: row,
        ...(after === undefined ? {} : { whatIf: after }),
        disagreements: [],
      };
    }),
    recomputed: side,
    ...(other === undefined ? {} : { whatIf: other.side }),
    source: 'recomputed',
    differences: { rows: 0, causes: [] },
    flips: 0,
  };
}

export function rolloutsOf(picture: string): (rolloutId: number) => RolloutRow {
  const pool = drawPool(picture).rows;
  return (rolloutId) => {
    const { reward } = pool[rolloutId - 100] ?? {};
    return {
      ...rolloutRow(100),
      rolloutId,
      ordinal: rolloutId - 100,
      reward,
      isCorrect: reward === undefined ? undefined : reward > 0,
    };
  };
}
