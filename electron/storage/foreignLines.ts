/**
 * Decisions and signals about a file's rollouts that stand in other files: when the file is
 * forgotten to be read again, they go back to waiting, for the rollouts to return.
 */
import type { RunKind } from '../../shared/domain/model.ts';
import type { ParsedDecision } from '../../shared/format/format.ts';
import type { PackedTokens } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { PendingLines } from './pendingLines.ts';

interface Addressed {
  logged_id: string;
  split: RunKind;
  step: number;
  group_key: string;
  ordinal: number;
  file_id: number;
  line: number;
}

interface DecisionRecord extends Addressed {
  kept: number | null;
  reason: string | null;
  p_err: number | null;
  p_format: number | null;
  penalty: number | null;
  advantage: number | null;
  rule: string | null;
}

interface SignalRecord
  extends Addressed,
    Pick<PackedTokens, 'count' | 'ends' | 'ids' | 'mask' | 'entropy' | 'logprob'> {
  trainer_logprob: Uint8Array | null;
  advantage: Uint8Array | null;
  top: Uint8Array | null;
  entropy_of: string | null;
}

export function setForeignLinesWaiting(sql: IngestStatements, fileId: number): void {
  const pending = new PendingLines(sql);
  const addressOf = (row: Addressed) => ({
    run: row.logged_id,
    kind: row.split,
    step: row.step,
    group: row.group_key,
    index: row.ordinal,
  });
  for (const row of sql.foreignDecisions.all(fileId) as DecisionRecord[]) {
    const decision: ParsedDecision = {
      kept: row.kept === null ? undefined : row.kept === 1,
      reason: row.reason ?? undefined,
      pErr: row.p_err ?? undefined,
      pFormat: row.p_format ?? undefined,
      penalty: row.penalty ?? undefined,
      advantage: row.advantage ?? undefined,
      rule: row.rule ?? undefined,
    };
    pending.add('decision', addressOf(row), decision, row.file_id, row.line);
  }
  for (const row of sql.foreignSignals.all(fileId) as SignalRecord[]) {
    const { count, ends, ids, mask, entropy, logprob, advantage, top } = row;
    const tokens: PackedTokens = {
      ...{ count, ends, ids, mask, entropy, logprob, advantage, top },
      trainerLogprob: row.trainer_logprob,
      entropyOf: row.entropy_of,
      // Worked out anew from mask and entropy when the line is merged.
      ...{ policyTokens: null, entropySum: 0, entropyTokens: 0 },
    };
    pending.add('signal', addressOf(row), tokens, row.file_id, row.line);
  }
}
