/** One group's pool with every decision: logged, recomputed, and under a what-if. */
import type {
  GroupLedger,
  LedgerDecision,
  LedgerRow,
  LedgerSide,
  PenaltyDisagreement,
  RocBasis,
  RocSums,
} from '../../shared/api/rocRows.ts';
import { disagreements, penaltyInputOf } from '../../shared/domain/penalty.ts';
import type { GroupDecision } from '../../shared/domain/resample.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type PoolGroupPlace,
  type PoolRecord,
  placeOfGroup,
  poolOfStep,
  poolRun,
  responseReader,
  stepRevision,
} from '../storage/queries/pool.ts';
import { getRollout } from '../storage/queries/rollout.ts';
import { basisOf, isStated, type UncheckedChoice } from './basis.ts';
import { decideStep, keptShare, ledgerDecision } from './decideStep.ts';
import { differencesOf } from './differences.ts';
import { Sums } from './sums.ts';

export interface LedgerRequest {
  readonly groupId: number;
  readonly basis: UncheckedChoice;
  readonly whatIf?: UncheckedChoice | undefined;
}

/** @throws SettingError for an invalid value. @returns undefined when there is no such group */
export function getLedger(db: ReadableLibrary, request: LedgerRequest): GroupLedger | undefined {
  const { groupId } = request;
  const place = placeOfGroup(db, groupId);
  const run = place === undefined ? undefined : poolRun(db, place.runId);
  if (place === undefined || run === undefined) return undefined;
  // Reads the whole step, because truncation to a multiple of the world size depends on all groups.
  const batch = batchOf(db, place);
  const index = batch.findIndex(([first]) => first?.groupId === groupId);
  const records = batch[index];
  if (records === undefined) return undefined;
  const responseOf = responseReader(db);
  const basis = basisOf(run.config, request.basis);
  const decide = (under: RocBasis) => decideStep(batch, under, responseOf)[index] as GroupDecision;
  const recomputed = decide(basis);
  const chosen = request.whatIf === undefined ? undefined : basisOf(run.config, request.whatIf);
  const whatIf = chosen === undefined ? undefined : decide(chosen);

  const rows = records.map((record, i): LedgerRow => {
    const logged = loggedOf(record);
    const row = ledgerDecision(recomputed.rows[i]);
    return {
      rolloutId: record.rolloutId,
      ordinal: record.ordinal,
      penalties: penaltiesOf(record),
      ...(logged === undefined ? {} : { logged }),
      recomputed: row,
      ...(whatIf === undefined ? {} : { whatIf: ledgerDecision(whatIf.rows[i]) }),
      disagreements: disagreementsOf(db, record),
    };
  });
  const source = rows.some(({ logged }) => logged?.kept !== undefined)
    ? 'logged'
    : isStated(basis)
      ? 'recomputed'
      : 'unknown';
  const { asLogged, ...differences } = differencesOf(records, rows, { basis, decide });
  const again = asLogged === undefined ? undefined : decide(asLogged);
  return {
    groupId,
    ...place,
    rows,
    recomputed: sideOf(basis, recomputed, records),
    ...(asLogged === undefined || again === undefined
      ? {}
      : { asLogged: { side: sideOf(asLogged, again, records), rows: again.rows.map(ledgerDecision) } }),
    ...(chosen === undefined || whatIf === undefined ? {} : { whatIf: sideOf(chosen, whatIf, records) }),
    ...(source === 'logged' ? { logged: loggedSums(records) } : {}),
    source,
    differences,
    flips: rows.filter((row) => isFlip(row, source)).length,
  };
}

type Batch = ReturnType<typeof poolOfStep>;
/** The last step per connection, because a what-if requests the same step repeatedly. */
const lastBatches = new WeakMap<ReadableLibrary, { readonly key: string; readonly batch: Batch }>();

function batchOf(db: ReadableLibrary, { runId, step }: PoolGroupPlace): Batch {
  const key = `${runId} ${step} ${stepRevision(db, runId, step)}`;
  const last = lastBatches.get(db);
  if (last?.key === key) return last.batch;
  const batch = poolOfStep(db, runId, step);
  lastBatches.set(db, { key, batch });
  return batch;
}

function isFlip({ logged, recomputed, whatIf }: LedgerRow, source: GroupLedger['source']): boolean {
  const effective =
    source === 'logged' ? logged?.kept : source === 'recomputed' ? recomputed.kept : undefined;
  return effective !== undefined && whatIf?.kept !== undefined && effective !== whatIf.kept;
}

export function loggedOf(record: PoolRecord): LedgerRow['logged'] {
  const { kept, reason, advantage, rule } = record;
  if (kept === null && reason === null && advantage === null) return undefined;
  return {
    ...(kept === null ? {} : { kept: kept === 1 }),
    ...(reason === null ? {} : { reason }),
    ...(advantage === null ? {} : { advantage }),
    ...(rule === null ? {} : { rule }),
  };
}

function penaltiesOf(record: PoolRecord): LedgerRow['penalties'] {
  const { pErr, pFormat, penalty, pErrText, pFormatText, pTextSource, pErrTyped, pFormatTyped } = record;
  return {
    ...(pErr === null && pFormat === null && penalty === null
      ? {}
      : {
          logged: {
            ...(pErr === null ? {} : { pErr }),
            ...(pFormat === null ? {} : { pFormat }),
            ...(penalty === null ? {} : { penalty }),
          },
        }),
    ...(pErrText === null || pFormatText === null || pTextSource === null
      ? {}
      : { text: { pErr: pErrText, pFormat: pFormatText, source: pTextSource } }),
    ...(pErrTyped === null || pFormatTyped === null
      ? {}
      : { typed: { pErr: pErrTyped, pFormat: pFormatTyped } }),
  };
}

/** Reads the text only if the numbers differ, to find the reason. */
function disagreementsOf(db: ReadableLibrary, record: PoolRecord): readonly PenaltyDisagreement[] {
  const { text, typed, logged } = penaltiesOf(record);
  if (text === undefined || typed === undefined) return [];
  const ways = { text, typed, ...(logged === undefined ? {} : { logged }) };
  const isEqual = (a: number | undefined, b: number) => a === undefined || a === b;
  const isAgreed =
    isEqual(text.pErr, typed.pErr) &&
    isEqual(text.pFormat, typed.pFormat) &&
    isEqual(logged?.pErr, text.pErr) &&
    isEqual(logged?.pFormat, text.pFormat);
  if (isAgreed) return [];
  const detail = getRollout(db, record.rolloutId);
  if (detail === undefined) return [];
  const { response, segments, turns, toolCalls, row } = detail;
  return disagreements(
    ways,
    penaltyInputOf({ response, segments, turns, toolCalls, stopReason: row.stopReason }),
  );
}

function sideOf(basis: RocBasis, decision: GroupDecision, records: readonly PoolRecord[]): LedgerSide {
  const { outcome, why, quota, cut, assertion } = decision;
  const sums = new Sums();
  records.forEach((record, i) => {
    const row: LedgerDecision | undefined = decision.rows[i] && ledgerDecision(decision.rows[i]);
    if (row !== undefined) sums.add(record, keptShare(row), row.penalty, row.advantage);
  });
  return {
    basis,
    outcome,
    ...(why === undefined ? {} : { why }),
    ...(quota === undefined ? {} : { quota }),
    ...(cut === undefined ? {} : { cut }),
    ...(assertion === undefined ? {} : { assertion }),
    sums: sums.finish(),
  };
}

function loggedSums(records: readonly PoolRecord[]): RocSums {
  const sums = new Sums();
  for (const record of records) {
    const share = record.kept === null ? Number.NaN : record.kept;
    sums.add(record, share, record.penalty ?? undefined, record.advantage ?? undefined);
  }
  return sums.finish();
}
