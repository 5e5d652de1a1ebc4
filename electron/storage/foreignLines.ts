/**
 * Decisions and signals about a file's rollouts that stand in other files: when the file is
 * forgotten to be read again, they go back to waiting, for the rollouts to return.
 */
import type { RunKind } from '../../shared/domain/model.ts';
import type { ParsedDecision } from '../../shared/format/format.ts';
import type { PackedTokens } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { PendingLines } from './pendingLines.ts';

export function setForeignLinesWaiting(sql: IngestStatements, fileId: number): void {
  const pending = new PendingLines(sql);
  for (const row of sql.foreignDecisions.all(fileId)) {
    const { kept, reason, pErr, pFormat, penalty, advantage, rule } = row;
    const decision: ParsedDecision = { kept, reason, pErr, pFormat, penalty, advantage, rule };
    pending.add('decision', addressOf(row), decision, row.fileId, row.line);
  }
  for (const row of sql.foreignSignals.all(fileId)) {
    const { count, ends, ids, mask, entropy, logprob, trainerLogprob, advantage, top, entropyOf } = row;
    const tokens: PackedTokens = {
      ...{ count, ends, ids, mask, entropy, logprob, trainerLogprob, advantage, top, entropyOf },
      // Recomputed from mask and entropy when the line is merged.
      ...{ policyTokens: null, entropySum: 0, entropyTokens: 0 },
    };
    pending.add('signal', addressOf(row), tokens, row.fileId, row.line);
  }
}

interface Addressed {
  readonly loggedId: string;
  readonly split: RunKind;
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
}

const addressOf = ({ loggedId, split, step, groupKey, ordinal }: Addressed) => ({
  ...{ run: loggedId, kind: split, step, group: groupKey, index: ordinal },
});
