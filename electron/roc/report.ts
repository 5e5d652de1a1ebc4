/** Resample-on-Correct of a step or a whole run: logged, recomputed, and under a what-if. */
import type { GroupsBehind, PenaltyKind, RocBasis, RocReport } from '../../shared/api/rocRows.ts';
import type { GroupDecision } from '../../shared/domain/resample.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type PoolRecord,
  type PoolRun,
  poolOfStep,
  poolRun,
  responseReader,
} from '../storage/queries/pool.ts';
import { basisOf, isStated, type UncheckedChoice } from './basis.ts';
import { decideStep, keptShare, ledgerDecision, penaltiesOf } from './decideStep.ts';
import { type Cause, differencesOf } from './differences.ts';
import { loggedOf } from './ledger.ts';
import { LENGTH_BINS } from './likenessTally.ts';
import { type SideGroup, type SideRow, SideTally } from './sideTally.ts';
import { Counter, GroupKeys } from './tallies.ts';

export interface ReportRequest {
  readonly runId: number;
  readonly step?: number | undefined;
  readonly basis: UncheckedChoice;
  readonly whatIf?: UncheckedChoice | undefined;
}

export interface FinishedReport {
  readonly report: Omit<RocReport, 'reportId' | 'elapsedMs'>;
  readonly keys: GroupKeys;
  readonly differences: ChangeCounts;
  readonly flips: ChangeCounts;
}

/** Rollouts whose two decisions differ, by group id. Only groups with a rollout that has both decisions. */
type ChangeCounts = ReadonlyMap<number, number>;

/** The groups behind a number of the report, with the changed decisions of each. */
export function groupsBehind(
  { keys, differences, flips }: Omit<FinishedReport, 'report'>,
  key: string,
): GroupsBehind {
  const ids = keys.idsOf(key);
  const countsIn = (counts: ChangeCounts) => Int32Array.from(ids, (id) => counts.get(id) ?? -1);
  return {
    ids,
    ...(differences.size === 0 ? {} : { differences: countsIn(differences) }),
    ...(flips.size === 0 ? {} : { flips: countsIn(flips) }),
  };
}

const LOGGED_TOLERANCE = 1e-6;

/**
 * Works step by step, so that the caller can show progress and stop.
 *
 * @throws SettingError for an invalid value
 */
export class ReportBuilder {
  readonly steps: readonly number[];
  private readonly db: ReadableLibrary;
  private readonly run: PoolRun;
  private readonly request: ReportRequest;
  private readonly responseOf: (rolloutId: number) => string;
  private readonly keys = new GroupKeys();
  private readonly basis: RocBasis;
  private readonly chosen: RocBasis | undefined;
  private readonly logged: SideTally;
  private readonly recomputed: SideTally;
  private readonly whatIf: SideTally | undefined;
  private readonly differences: Counter;
  private readonly flips: Counter;
  private readonly errDifferences: Counter;
  private readonly formatDifferences: Counter;
  private readonly differencesByGroup = new Map<number, number>();
  private readonly flipsByGroup = new Map<number, number>();
  private readonly causes = new Map<string, Cause & { rollouts: number; groups: number }>();
  private readonly isStated: boolean;
  private groups = 0;
  private rollouts = 0;
  private loggedRows = 0;

  /** @returns undefined when there is no such run or step */
  static open(db: ReadableLibrary, request: ReportRequest): ReportBuilder | undefined {
    const run = poolRun(db, request.runId);
    if (run === undefined) return undefined;
    if (request.step !== undefined && !run.steps.includes(request.step)) return undefined;
    return new ReportBuilder(db, run, request);
  }

  private constructor(db: ReadableLibrary, run: PoolRun, request: ReportRequest) {
    this.db = db;
    this.run = run;
    this.request = request;
    this.steps = request.step === undefined ? run.steps : [request.step];
    this.responseOf = responseReader(db);
    this.basis = basisOf(run.config, request.basis);
    this.chosen = request.whatIf === undefined ? undefined : basisOf(run.config, request.whatIf);
    this.isStated = isStated(this.basis);
    const { keys } = this;
    const partsOf = (kind: PenaltyKind) => (record: PoolRecord) => penaltiesOf(record, kind);
    this.logged = new SideTally('logged', keys, partsOf('logged'));
    this.recomputed = new SideTally('recomputed', keys, partsOf(this.basis.penalty));
    this.whatIf =
      this.chosen === undefined ? undefined : new SideTally('whatIf', keys, partsOf(this.chosen.penalty));
    this.differences = new Counter('differences', keys);
    this.flips = new Counter('flips', keys);
    this.errDifferences = new Counter('penalties:p_err', keys);
    this.formatDifferences = new Counter('penalties:p_format', keys);
  }

  addStep(step: number): void {
    const batch = poolOfStep(this.db, this.run.runId, step);
    const recomputed = decideStep(batch, this.basis, this.responseOf);
    const whatIf = this.chosen === undefined ? undefined : decideStep(batch, this.chosen, this.responseOf);
    for (const side of [this.logged, this.recomputed, this.whatIf]) side?.beginStep(step);
    for (const [i, records] of batch.entries()) this.addGroup(records, recomputed[i], whatIf?.[i]);
    this.addCauses(batch, recomputed);
  }

  /** Counts the likely causes of differences from the log. Each rule and penalty source is tried once per step. */
  private addCauses(batch: readonly (readonly PoolRecord[])[], recomputed: readonly GroupDecision[]): void {
    const tried = new Map<string, readonly GroupDecision[]>();
    const decisionsUnder = (basis: RocBasis): readonly GroupDecision[] => {
      const key = JSON.stringify(basis);
      const decisions = tried.get(key) ?? decideStep(batch, basis, this.responseOf);
      tried.set(key, decisions);
      return decisions;
    };
    for (const [i, records] of batch.entries()) {
      if ((this.differencesByGroup.get(records[0]?.groupId ?? -1) ?? 0) <= 0) continue;
      const rows = records.map((record, row) => {
        const logged = loggedOf(record);
        const again = ledgerDecision(recomputed[i]?.rows[row]);
        return { ...(logged === undefined ? {} : { logged }), recomputed: again };
      });
      const decide = (basis: RocBasis) => decisionsUnder(basis)[i] as GroupDecision;
      const found = differencesOf(records, rows, { basis: this.basis, decide });
      for (const cause of found.causes) {
        const { rollouts, groups } = this.causes.get(cause.sentence) ?? { rollouts: 0, groups: 0 };
        this.causes.set(cause.sentence, { ...cause, rollouts: rollouts + found.rows, groups: groups + 1 });
      }
    }
  }

  finish(): FinishedReport {
    const { keys, basis, chosen } = this;
    const tally = (name: string) => keys.tally(`pool:${name}`);
    const report: FinishedReport['report'] = {
      runId: this.run.runId,
      ...(this.request.step === undefined ? {} : { step: this.request.step }),
      groups: this.groups,
      rollouts: this.rollouts,
      allWrong: tally('allWrong'),
      mixed: tally('mixed'),
      allRight: tally('allRight'),
      rewardUnknown: tally('rewardUnknown'),
      penalty: basis.penalty,
      lengthBins: LENGTH_BINS,
      ...(this.loggedRows === 0 ? {} : { logged: this.logged.finish(undefined) }),
      recomputed: this.recomputed.finish(basis),
      ...(chosen === undefined || this.whatIf === undefined ? {} : { whatIf: this.whatIf.finish(chosen) }),
      source: this.loggedRows > 0 ? 'logged' : this.isStated ? 'recomputed' : 'unknown',
      differences: this.differences.finish(),
      differenceCauses: [...this.causes.values()].sort((a, b) => b.rollouts - a.rollouts),
      ...(chosen === undefined ? {} : { flips: this.flips.finish() }),
      penaltyDifferences: [
        { part: 'pErr', ...this.errDifferences.finish() },
        { part: 'pFormat', ...this.formatDifferences.finish() },
      ],
    };
    return { report, keys, differences: this.differencesByGroup, flips: this.flipsByGroup };
  }

  private addGroup(
    records: readonly PoolRecord[],
    recomputed: GroupDecision | undefined,
    whatIf: GroupDecision | undefined,
  ): void {
    const groupId = records[0]?.groupId;
    if (groupId === undefined || recomputed === undefined) return;
    this.groups++;
    this.rollouts += records.length;
    const mixture = mixtureOf(records);
    this.keys.note(`pool:${mixture ?? 'rewardUnknown'}`, groupId);
    const group = (rows: readonly SideRow[], decision?: GroupDecision): SideGroup => ({
      groupId,
      records,
      rows,
      outcome: decision?.outcome,
      mixture,
    });
    const loggedRows = records.map(loggedRow);
    this.logged.add(group(loggedRows));
    const computed = sideRows(records, recomputed);
    this.recomputed.add(group(computed, recomputed));
    const supposed = whatIf === undefined ? undefined : sideRows(records, whatIf);
    if (supposed !== undefined) this.whatIf?.add(group(supposed, whatIf));
    // If the log decided some rows of a group, its other rows are unknown and are not taken from the
    // recomputation.
    const isLogged = loggedRows.some(({ share }) => !Number.isNaN(share));
    records.forEach((record, i) => {
      const logged = loggedRows[i]?.share ?? Number.NaN;
      const again = computed[i]?.share ?? Number.NaN;
      if (!Number.isNaN(logged)) this.loggedRows++;
      if (decisionsDiffer(logged, again)) this.differences.add(groupId, logged);
      countChange(this.differencesByGroup, groupId, logged, again);
      const effective = !isLogged && this.isStated ? again : logged;
      const supposedShare = supposed?.[i]?.share ?? Number.NaN;
      if (decisionsDiffer(effective, supposedShare)) this.flips.add(groupId, supposedShare);
      countChange(this.flipsByGroup, groupId, effective, supposedShare);
      this.comparePenalties(record, groupId, effective);
    });
  }

  private comparePenalties(record: PoolRecord, groupId: number, share: number): void {
    const { pErrText, pErrTyped, pFormatText, pFormatTyped } = record;
    // Either all four are known or none is, if there is no text.
    if (pErrText === null || pErrTyped === null || pFormatText === null || pFormatTyped === null) return;
    if (Math.abs(pErrText - pErrTyped) > LOGGED_TOLERANCE) this.errDifferences.add(groupId, share);
    if (Math.abs(pFormatText - pFormatTyped) > LOGGED_TOLERANCE) this.formatDifferences.add(groupId, share);
  }
}

/** Only two definite decisions can differ; a probability is not one. */
function decisionsDiffer(a: number, b: number): boolean {
  return isDefinite(a) && isDefinite(b) && a !== b;
}

function countChange(counts: Map<number, number>, groupId: number, a: number, b: number): void {
  if (!isDefinite(a) || !isDefinite(b)) return;
  counts.set(groupId, (counts.get(groupId) ?? 0) + (a === b ? 0 : 1));
}

const isDefinite = (share: number): boolean => share === 0 || share === 1;

function loggedRow(record: PoolRecord): SideRow {
  const { kept, reason, penalty, advantage } = record;
  return {
    share: kept ?? Number.NaN,
    reason: reason ?? undefined,
    penalty: penalty ?? undefined,
    advantage: advantage ?? undefined,
    isTie: reason?.endsWith('_tie') === true,
  };
}

const OUTSIDE: SideRow = {
  share: Number.NaN,
  reason: undefined,
  penalty: undefined,
  advantage: undefined,
  isTie: false,
};

function sideRows(records: readonly PoolRecord[], decision: GroupDecision): readonly SideRow[] {
  return records.map((_record, i) => {
    const row = decision.rows[i];
    if (row === undefined) return OUTSIDE;
    const { reason, penalty, advantage, isTie } = row;
    return { share: keptShare(row), reason, penalty, advantage, isTie };
  });
}

/** The class of a group by reward, as in RoC; undefined when a reward is unknown. */
function mixtureOf(records: readonly PoolRecord[]): SideGroup['mixture'] {
  let positives = 0;
  for (const { reward } of records) {
    if (reward === null) return undefined;
    if (reward > 0) positives++;
  }
  return positives === 0 ? 'allWrong' : positives === records.length ? 'allRight' : 'mixed';
}
