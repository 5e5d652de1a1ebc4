/** Sums of one set of decisions (logged, recomputed or what-if) over the groups of a run. */
import type { RocBasis, RocSide, RocStep } from '../../shared/api/rocRows.ts';
import type { GroupOutcome } from '../../shared/domain/resample.ts';
import type { PoolRecord } from '../storage/queries/pool.ts';
import { LikenessTally } from './likenessTally.ts';
import { Sums } from './sums.ts';
import { Buckets, Counter, type GroupKeys, PART_EDGES, PENALTY_EDGES } from './tallies.ts';

/** One rollout under one set of decisions. undefined: unknown. */
export interface SideRow {
  /** Kept fraction, 0 … 1; NaN: undecided. */
  readonly share: number;
  readonly reason: string | undefined;
  readonly penalty: number | undefined;
  readonly advantage: number | undefined;
  readonly isTie: boolean;
}

export interface SideGroup {
  readonly groupId: number;
  readonly records: readonly PoolRecord[];
  /** Parallel to the records. */
  readonly rows: readonly SideRow[];
  readonly outcome: GroupOutcome | undefined;
  readonly mixture: 'allWrong' | 'mixed' | 'allRight' | undefined;
}

/** p_err and p_format of a record, as the report counts them. */
type PartsOf = (record: PoolRecord) => readonly [pErr: number | null, pFormat: number | null];

interface StepCount {
  readonly step: number;
  readonly positives: Counter;
  readonly negatives: Counter;
  groups: number;
  allWrong: number;
  mixed: number;
  allRight: number;
  callsBefore: number;
  errorsBefore: number;
  callsAfter: number;
  errorsAfter: number;
}

export class SideTally {
  private readonly name: string;
  private readonly keys: GroupKeys;
  private readonly partsOf: PartsOf;
  private readonly sums = new Sums();
  private readonly positives: Counter;
  private readonly negatives: Counter;
  private readonly byPenalty: Buckets;
  private readonly byErr: Buckets;
  private readonly byFormat: Buckets;
  private readonly keptPositives: LikenessTally;
  private readonly discardedPositives: LikenessTally;
  private readonly outcomes = new Map<GroupOutcome, string>();
  private readonly reasons = new Map<string, Counter>();
  private readonly steps: StepCount[] = [];

  constructor(name: string, keys: GroupKeys, partsOf: PartsOf) {
    this.name = name;
    this.keys = keys;
    this.partsOf = partsOf;
    this.positives = this.counter('positives');
    this.negatives = this.counter('negatives');
    this.keptPositives = new LikenessTally(this.keyOf('kept_positives'), keys);
    this.discardedPositives = new LikenessTally(this.keyOf('discarded_positives'), keys);
    this.byPenalty = new Buckets(`${name}:penalty`, PENALTY_EDGES, keys);
    this.byErr = new Buckets(`${name}:p_err`, PART_EDGES, keys);
    this.byFormat = new Buckets(`${name}:p_format`, PART_EDGES, keys);
  }

  beginStep(step: number): void {
    const counts = { groups: 0, allWrong: 0, mixed: 0, allRight: 0 };
    const calls = { callsBefore: 0, errorsBefore: 0, callsAfter: 0, errorsAfter: 0 };
    const positives = this.counter(`step:${step}:positives`);
    const negatives = this.counter(`step:${step}:negatives`);
    this.steps.push({ step, positives, negatives, ...counts, ...calls });
  }

  add(group: SideGroup): void {
    const { groupId, records, rows, outcome, mixture } = group;
    const step = this.steps.at(-1);
    if (step === undefined) throw new Error('a group must belong to a step');
    step.groups++;
    if (mixture !== undefined) step[mixture]++;
    if (outcome !== undefined) {
      const key = this.keyOf(`outcome:${outcome}`);
      this.outcomes.set(outcome, key);
      this.keys.note(key, groupId);
    }
    let hasCleanDropped = false;
    let hasErroneousKept = false;
    for (const [i, record] of records.entries()) {
      const row = rows[i];
      if (row === undefined) continue;
      const { share, reason } = row;
      this.sums.add(record, share, row.penalty, row.advantage);
      if (reason !== undefined) this.reasonCounter(reason).add(groupId, share);
      if (row.isTie) this.keys.note(this.keyOf('tie'), groupId);
      if (reason === 'discarded_world_size_truncation') this.keys.note(this.keyOf('truncated'), groupId);
      if (record.reward === null) continue;
      const isPositive = record.reward > 0;
      (isPositive ? this.positives : this.negatives).add(groupId, share);
      (isPositive ? step.positives : step.negatives).add(groupId, share);
      const [pErr, pFormat] = this.partsOf(record);
      this.byPenalty.add(row.penalty, isPositive, groupId, share);
      this.byErr.add(pErr ?? undefined, isPositive, groupId, share);
      this.byFormat.add(pFormat ?? undefined, isPositive, groupId, share);
      if (isPositive) {
        this.addPositive(step, record, share);
        if (share === 0 && (record.toolCalls ?? 0) > 0 && record.toolErrors === 0) hasCleanDropped = true;
        if (share > 0 && (record.toolErrors ?? 0) > 0) hasErroneousKept = true;
      }
    }
    if (hasCleanDropped && hasErroneousKept && outcome !== 'equal_reward') {
      this.keys.note(this.keyOf('clean_dropped'), groupId);
    }
  }

  finish(basis: RocBasis | undefined): RocSide {
    const { keys } = this;
    return {
      ...(basis === undefined ? {} : { basis }),
      sums: this.sums.finish(),
      positives: this.positives.finish(),
      negatives: this.negatives.finish(),
      byPenalty: this.byPenalty.finish(),
      byErr: this.byErr.finish(),
      byFormat: this.byFormat.finish(),
      keptPositives: this.keptPositives.finish(),
      discardedPositives: this.discardedPositives.finish(),
      steps: this.steps.map(
        (step): RocStep => ({
          ...step,
          erroneousBefore: keys.tally(this.keyOf(`step:${step.step}:erroneous_before`)),
          erroneousAfter: keys.tally(this.keyOf(`step:${step.step}:erroneous_after`)),
          positives: step.positives.finish(),
          negatives: step.negatives.finish(),
        }),
      ),
      outcomes: [...this.outcomes].map(([outcome, key]) => ({ outcome, ...keys.tally(key) })),
      reasons: [...this.reasons].map(([reason, counter]) => ({ reason, ...counter.finish() })),
      cleanDropped: keys.tally(this.keyOf('clean_dropped')),
      tiesAtCut: keys.tally(this.keyOf('tie')),
      truncated: keys.tally(this.keyOf('truncated')),
    };
  }

  private addPositive(step: StepCount, record: PoolRecord, share: number): void {
    // A rollout without a text does not count for calls and errors.
    const { toolCalls, toolErrors } = {
      toolCalls: record.toolCalls ?? 0,
      toolErrors: record.toolErrors ?? 0,
    };
    step.callsBefore += toolCalls;
    step.errorsBefore += toolErrors;
    const isErroneous = toolErrors > 0;
    const note = (when: string): void =>
      this.keys.note(this.keyOf(`step:${step.step}:erroneous_${when}`), record.groupId);
    if (isErroneous) note('before');
    if (Number.isNaN(share)) return;
    step.callsAfter += share * toolCalls;
    step.errorsAfter += share * toolErrors;
    if (isErroneous && share > 0) note('after');
    this.keptPositives.add(record, share);
    this.discardedPositives.add(record, 1 - share);
  }

  private keyOf(what: string): string {
    return `${this.name}:${what}`;
  }

  private counter(what: string): Counter {
    return new Counter(this.keyOf(what), this.keys);
  }

  private reasonCounter(reason: string): Counter {
    const known = this.reasons.get(reason);
    if (known !== undefined) return known;
    const counter = this.counter(`reason:${reason}`);
    this.reasons.set(reason, counter);
    return counter;
  }
}
