/**
 * Writes one rollout and everything below it: problem, prompt, group, texts, segments, turns, tool calls,
 * tokens. `addressedLines.ts` writes lines about rollouts of other files.
 */
import { FLAGS } from '../../shared/domain/flags.ts';
import type { JoinAddress, ParsedDecision, RolloutAddress } from '../../shared/format/format.ts';
import { AddressedLines } from './addressedLines.ts';
import {
  bytesOf,
  numbersAt,
  type PackedBatch,
  type PackedItem,
  type PackedRollout,
  type PackedTokens,
  SEGMENT_STRIDE,
  TURN_STRIDE,
} from './batch.ts';
import { storedJoinKey } from './contentHash.ts';
import type { DirtyAggregates } from './dirtyAggregates.ts';
import { atStep, type GroupEntry, GroupRegistry, promptMismatch } from './groupRegistry.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { type Scopes, scopeOfDirectory } from './joins.ts';
import { type RunPlace, runPlaceOf } from './runPlace.ts';
import type { RunEntry, RunRegistry } from './runRegistry.ts';
import { unpackUtf8 } from './textCodec.ts';
import { TokenWriter } from './tokenWriter.ts';

/** Format name of failure packs, which repeat rollouts of other files. */
const PACK = 'turnwise-pack';

interface SourceFile {
  readonly fileId: number;
  readonly path: string;
  readonly format: string;
  /** Hash of the file's first record. It is the key of a run that logs no id. */
  readonly runHash: string;
}

export class RolloutWriter {
  private readonly sql: IngestStatements;
  private readonly runs: RunRegistry;
  private readonly lines: AddressedLines;
  private readonly tokens: TokenWriter;
  private readonly selections: Selections;
  private readonly groups: GroupRegistry;
  private file: SourceFile = { fileId: 0, path: '', format: '', runHash: '' };
  /** Location of the run, for records that do not name a run. */
  private place: RunPlace = { place: '', home: '' };
  private scope = '';
  private batch: PackedBatch | undefined;
  private dirty: DirtyAggregates | undefined;
  /** Runs that got rollouts from this batch. */
  private readonly runsOfFile = new Set<number>();
  /** block_id by index into the batch's blocks. */
  private blocks: (number | undefined)[] = [];

  constructor(sql: IngestStatements, runs: RunRegistry) {
    this.sql = sql;
    this.runs = runs;
    this.tokens = new TokenWriter(sql);
    this.lines = new AddressedLines(sql, this.tokens);
    this.selections = new Selections(sql);
    this.groups = new GroupRegistry(sql);
  }

  forget(): void {
    this.groups.begin();
  }

  begin(file: SourceFile, batch: PackedBatch, dirty: DirtyAggregates): void {
    this.groups.begin();
    // Another process may have written a reward that is neither 0 nor 1, so the cached runs may be stale.
    this.runs.forget();
    this.runsOfFile.clear();
    this.file = file;
    this.place = runPlaceOf(file.path, file.format);
    this.scope = this.runs.scopeOf(this.place);
    this.batch = batch;
    this.dirty = dirty;
    this.blocks = new Array(batch.blocks.length).fill(undefined);
    this.sql.rows.begin();
    this.lines.begin();
    this.selections.begin();
  }

  /** Call after the last item of a batch. */
  finish(dirty: DirtyAggregates): void {
    this.sql.rows.flush();
    this.selections.apply(dirty);
  }

  write(item: PackedItem): void {
    switch (item.kind) {
      case 'rollout':
        this.writeRollout(item.rollout);
        break;
      case 'run':
        this.writeRun(item.run.run ?? this.scope, item.run.config);
        break;
      case 'stage': {
        const { run = this.scope, fromStep, name, changes } = item.stage;
        this.sql.addStage.run(run, fromStep, name, JSON.stringify(changes), this.file.fileId);
        this.touchRuns(run);
        break;
      }
      case 'metric': {
        const { run = this.scope, step, metrics } = item.metric;
        for (const [name, value] of Object.entries(metrics)) {
          this.sql.addMetric.run(run, step, name, value, this.file.fileId);
        }
        this.touchRuns(run);
        break;
      }
      case 'decision':
        this.writeAddressed('decision', item.decision.address, item.line, item.decision.decision);
        break;
      case 'signal':
        this.writeAddressed('signal', item.signal.address, item.signal.line, item.signal.tokens);
        break;
      case 'annotation':
      case 'reading':
      case 'taxonomy':
        // `annotations.ts` merges annotations, for a whole batch at once.
        break;
    }
  }

  /** Merges repeated lines about a run. The last value of each field is kept. */
  private writeRun(run: string, config: Readonly<Record<string, unknown>>): void {
    const before = this.sql.runConfig.get(run);
    const merged = { ...(before === undefined ? {} : (JSON.parse(before) as object)), ...config };
    this.sql.setRunConfig.run(run, JSON.stringify(merged));
    this.touchRuns(run);
  }

  private touchRuns(run: string): void {
    for (const runId of this.sql.runsOfScope.all(run)) this.dirty?.run(runId);
  }

  private writeRollout(rollout: PackedRollout): void {
    const run = this.runOf(rollout);
    const scopes: Scopes = { run: run.scope, directory: scopeOfDirectory(this.place.home) };
    const keys = [...(rollout.joinKeys ?? [])];
    if (this.joinsAnother(rollout, keys, scopes)) return;
    const group = this.groups.of(run, rollout, this.currentBatch);
    if (this.file.format === PACK && this.isStored(group, rollout)) {
      this.runs.addFile(run, this.file.fileId);
      return;
    }
    this.reportPromptMismatch(group, rollout);
    if (rollout.wholeName !== null) keys.push(this.reportOtherPart(rollout.wholeName, rollout.line, scopes));
    const ordinal = this.ordinalFor(run, group, rollout);
    group.nextOrdinal = Math.max(group.nextOrdinal, ordinal + 1);
    if (!this.runsOfFile.has(run.runId)) {
      this.runsOfFile.add(run.runId);
      this.runs.addFile(run, this.file.fileId);
    }
    const rolloutId = this.addRollout(run, group, rollout, ordinal);
    this.addBelow(rolloutId, group, rollout);
    const place = { fileId: this.file.fileId, line: rollout.line };
    if (rollout.decision !== null) this.lines.setDecision(rolloutId, rollout.decision, place);
    if (rollout.isSelection) this.selections.add(run.runId, rollout, place.fileId);
    for (const line of rollout.partLines ?? []) {
      this.lines.joins.record('rollout', rolloutId, place.fileId, line);
    }
    this.lines.joins.addKeys(keys, rolloutId, run.runId, rollout.isSelection);
    const { kind, groupKey } = rollout;
    const address =
      run.loggedId === undefined || rollout.step === null
        ? undefined
        : { run: run.loggedId, kind, step: rollout.step, group: groupKey, index: ordinal };
    this.lines.applyWaiting(rolloutId, address, keys, scopes);
    this.dirty?.group(group.groupId, run.runId, stepOf(rollout));
  }

  private runOf(rollout: PackedRollout): RunEntry {
    const { place, file } = this;
    const hasSteps = rollout.step !== null;
    if (rollout.run === null)
      return this.runs.ofPlace(place, rollout.kind, file.format, file.runHash, hasSteps);
    const named = { id: rollout.run, kind: rollout.kind, key: rollout.runKey };
    return this.runs.logged(named, file.format, place, hasSteps);
  }

  /** Joins a listed rollout with its full record, in whichever order they come. */
  private joinsAnother(rollout: PackedRollout, keys: readonly string[], scopes: Scopes): boolean {
    if (keys.length === 0) return false;
    const { joins } = this.lines;
    const place = { fileId: this.file.fileId, line: rollout.line };
    const isListed = !rollout.isSelection && !rollout.mayRepeat;
    const found = joins.find(keys, scopes, isListed);
    if (found === undefined) return false;
    if (rollout.decision !== null && !rollout.mayRepeat)
      this.lines.setDecision(found.rolloutId, rollout.decision, place);
    if (rollout.tokens !== null) {
      this.tokens.merge(found.rolloutId, rollout.tokens, place.fileId, place.line);
    }
    joins.record('rollout', found.rolloutId, place.fileId, place.line);
    this.sql.addRunFile.run(found.runId, place.fileId);
    if (rollout.isSelection) this.selections.add(found.runId, rollout, place.fileId);
    this.selections.note(found.runId, found.step);
    this.dirty?.group(found.groupId, found.runId, found.step);
    return true;
  }

  private writeAddressed(
    kind: 'decision' | 'signal',
    address: RolloutAddress | JoinAddress,
    line: number,
    payload: ParsedDecision | PackedTokens,
  ): void {
    const place = { fileId: this.file.fileId, line };
    const directory = scopeOfDirectory(this.place.home);
    // A record identified only by its own file searches the whole directory instead.
    const run = this.scope === scopeOfDirectory(this.place.place) ? directory : this.scope;
    const scopes: Scopes = { run, directory };
    const found = this.lines.write(kind, address, payload, place, scopes);
    if (found !== undefined) this.dirty?.group(found.groupId, found.runId, found.step);
  }

  /**
   * A pack may repeat rollouts that were read from the logs. Equal text at the same address is the same
   * rollout.
   */
  private isStored(group: GroupEntry, rollout: PackedRollout): boolean {
    if (rollout.ordinal === null) return false;
    const taken = this.sql.rolloutByOrdinal.get(group.groupId, rollout.ordinal);
    const span = this.currentBatch.blocks[rollout.text.block];
    if (taken === undefined || span === undefined) return false;
    const { start, end } = rollout.text;
    const stored = this.sql.textPlace.get(taken.rolloutId);
    // Texts of other lengths differ. To unpack a long one for each of thousands of short ones would take minutes.
    if (stored === undefined || stored.end - stored.start !== end - start) return false;
    const theirs = unpackUtf8(span.codec, bytesOf(this.currentBatch, span)).subarray(start, end);
    const ours = unpackUtf8(stored.codec, stored.bytes).subarray(stored.start, stored.end);
    return ours.equals(theirs);
  }

  /**
   * The logged index, else the order of appearance. Takes the next free ordinal if another rollout has the
   * logged one.
   */
  private ordinalFor(run: RunEntry, group: GroupEntry, rollout: PackedRollout): number {
    // Logged indices count within the logged groups.
    if (rollout.ordinal === null || run.groupRule !== undefined) return group.nextOrdinal;
    const taken = this.sql.rolloutByOrdinal.get(group.groupId, rollout.ordinal);
    if (taken === undefined) return rollout.ordinal;
    const what =
      taken.contentHash === rollout.contentHash
        ? 'a record with the same content'
        : 'a record with other content';
    const message = `index ${rollout.ordinal} of group ${rollout.groupKey}${atStep(rollout.step)} is already used by ${what} (${taken.path}, line ${taken.line}); stored as index ${group.nextOrdinal}`;
    this.sql.issues.add(this.file.fileId, rollout.line, 'warning', 'duplicate_rollout', message);
    return group.nextOrdinal;
  }

  private reportPromptMismatch(group: GroupEntry, rollout: PackedRollout): void {
    const promptHash = this.currentBatch.problems[rollout.problem]?.promptHash;
    const issue = promptMismatch(group.promptHash, promptHash, rollout.groupKey, rollout.step);
    if (issue === undefined) return;
    this.sql.issues.add(this.file.fileId, rollout.line, issue.severity, issue.code, issue.message);
  }

  /**
   * Reports that another rollout is a part of the same unit. They cannot be joined, because the text of a rollout comes
   * from one record of one file.
   *
   * @returns the key by which later parts find this one
   */
  private reportOtherPart(name: string, line: number, scopes: Scopes): string {
    const key = storedJoinKey(`${this.file.format} ${name}`);
    const other = this.lines.joins.find([key], scopes);
    const place = other === undefined ? undefined : this.sql.placeOfRollout.get(other.rolloutId);
    if (place === undefined) return key;
    const message = `${name} is also in ${place.path}, line ${place.line}; each file is read by itself, so it is more than one rollout. Join the files to one to read it whole`;
    this.sql.issues.add(this.file.fileId, line, 'warning', 'split_rollout', message);
    return key;
  }

  private addRollout(run: RunEntry, group: GroupEntry, rollout: PackedRollout, ordinal: number): number {
    const { reward, tokens } = rollout;
    if (run.hasBinaryRewards && reward !== null && reward !== 0 && reward !== 1) {
      run.hasBinaryRewards = false;
      this.sql.forgetBinaryRewards.run(run.runId);
      if (this.sql.forgetDerivedChips.run(run.runId).changes > 0) this.dirty?.wholeRun(run.runId);
    }
    const derived = run.hasBinaryRewards && reward !== null ? Number(reward > 0) : null;
    const meanEntropy =
      tokens !== null && tokens.entropyTokens > 0 ? tokens.entropySum / tokens.entropyTokens : null;
    const added = this.sql.addRollout.run(
      run.runId,
      stepOf(rollout),
      group.groupId,
      ordinal,
      reward,
      rollout.isCorrect,
      rollout.isCorrect ?? derived,
      rollout.answer,
      rollout.answerSource,
      rollout.turnsTo - rollout.turnsFrom || null,
      rollout.toolCalls,
      rollout.toolErrors,
      rollout.toolCalls === null ? null : rollout.calls.length - rollout.toolCalls,
      rollout.stopReason,
      rollout.stopReasonSource,
      rollout.stopReasonLogged,
      rollout.policyTokens,
      rollout.responseChars,
      meanEntropy,
      meanEntropy === null ? null : (tokens?.entropyTokens ?? null),
      rollout.startedAt,
      rollout.endedAt,
      rollout.contentHash,
      this.file.fileId,
      rollout.line,
      rollout.byteOffset,
      rollout.byteLength,
      this.blockOf(rollout.text.block),
      rollout.text.start,
      rollout.text.end,
      rollout.text.extraEnd,
      rollout.isCorrectSource,
      run.groupRule === undefined ? null : rollout.groupKey,
      run.groupRule === undefined ? null : rollout.groupRule,
      run.groupRule === undefined ? null : rollout.ordinal,
      run.groupRule === undefined ? null : this.groups.problemOf(rollout, this.currentBatch),
      rollout.textPenalties?.pErr ?? null,
      rollout.textPenalties?.pFormat ?? null,
      rollout.textPenalties?.source ?? null,
      rollout.typedPenalties?.pErr ?? null,
      rollout.typedPenalties?.pFormat ?? null,
      rollout.flags.bits,
      rollout.scores,
      rollout.origin,
    );
    return Number(added.lastInsertRowid);
  }

  private addBelow(rolloutId: number, group: GroupEntry, rollout: PackedRollout): void {
    const { segments, turns, calls, flags, timings } = this.sql.rows;
    const base = group.promptSegments;
    const batch = this.currentBatch;
    for (let i = rollout.segmentsFrom; i < rollout.segmentsTo; i++) {
      const [kind, turn, from, to, innerFrom, innerTo] = numbersAt(batch.segments, i * SEGMENT_STRIDE);
      segments.add(rolloutId, base + i - rollout.segmentsFrom, turn, kind, from, to, innerFrom, innerTo);
    }
    for (let i = rollout.turnsFrom; i < rollout.turnsTo; i++) {
      const [turn, parts, called, failed, tokens] = numbersAt(batch.turns, i * TURN_STRIDE);
      turns.add(rolloutId, turn, known(parts), known(called), known(failed), known(tokens));
    }
    for (const [i, call] of rollout.calls.entries()) {
      const response = call.responseSegment === null ? null : base + call.responseSegment;
      const { turn, name, outcome, latencyMs, isLatencyLogged, queueMs, worker, startedAt } = call;
      calls.add(
        rolloutId,
        i,
        turn,
        name,
        outcome,
        latencyMs,
        base + call.callSegment,
        response,
        Number(call.isRepeat),
        isLatencyLogged,
        queueMs,
        worker,
        startedAt,
      );
    }
    for (const { flag, segment, start, end } of rollout.flags.evidence)
      flags.add(rolloutId, FLAGS.indexOf(flag), segment, start, end);
    const { timing } = rollout;
    if (timing !== null) {
      const { durationMs = null, worker = null, gpu = null, kvCache } = timing;
      timings.add(rolloutId, durationMs, worker, gpu, kvCache === undefined ? null : JSON.stringify(kvCache));
    }
    if (rollout.tokens !== null) this.tokens.add(rolloutId, rollout.tokens);
  }

  private blockOf(index: number): number {
    const known = this.blocks[index];
    if (known !== undefined) return known;
    const span = this.currentBatch.blocks[index];
    if (span === undefined) throw new Error(`batch has no block ${index}`);
    const added = this.sql.addBlock.run(this.file.fileId, span.codec, bytesOf(this.currentBatch, span));
    const blockId = Number(added.lastInsertRowid);
    this.blocks[index] = blockId;
    return blockId;
  }

  private get currentBatch(): PackedBatch {
    if (this.batch === undefined) throw new Error('no batch has begun');
    return this.batch;
  }
}

/** A count of `PackedBatch.turns`. */
function known(count: number): number | null {
  return count < 0 ? null : count;
}

/** Runs without steps store everything at step 0 and are marked by `run_row.has_steps`. */
function stepOf(rollout: PackedRollout): number {
  return rollout.step ?? 0;
}

/**
 * Steps whose kept rollouts are listed in a separate file: prime-rl writes `effective` beside `all`.
 * Rollouts missing from the list were discarded. While the list is being written, a rollout may count as
 * discarded until its line arrives.
 */
class Selections {
  private readonly sql: IngestStatements;
  /** Steps of this batch that may have a list of kept rollouts. */
  private readonly noted = new Map<string, { runId: number; step: number }>();

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  begin(): void {
    this.noted.clear();
  }

  /** Notes a record of such a list. */
  add(runId: number, rollout: PackedRollout, fileId: number): void {
    const step = rollout.step ?? 0;
    this.sql.addSelection.run(runId, step, fileId, rollout.decision?.rule ?? 'listed');
    this.note(runId, step);
  }

  note(runId: number, step: number): void {
    this.noted.set(`${runId} ${step}`, { runId, step });
  }

  /** Call after all rollouts of the batch are written. */
  apply(dirty: DirtyAggregates): void {
    for (const { runId, step } of dirty.steps()) this.note(runId, step);
    for (const { runId, step } of this.noted.values()) {
      const selection = this.sql.selectionOf.get(runId, step);
      if (selection === undefined) continue;
      const groupIds = this.sql.discardUnlisted.all({ runId, step, ...selection });
      for (const groupId of groupIds) dirty.group(groupId, runId, step);
    }
  }
}
