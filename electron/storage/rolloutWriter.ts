/**
 * One rollout and everything below it: problem, prompt, group, texts, segments, turns, tool
 * calls, tokens; and the `decision` and `signal` lines that speak of it, in whatever order
 * and from whatever file they come.
 */
import { dirname } from 'node:path';
import type { ParsedDecision, RolloutAddress } from '../../shared/format/format.ts';
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
import { type GroupEntry, GroupRegistry } from './groupRegistry.ts';
import type { IngestStatements } from './ingestWrites.ts';
import { SEGMENT_COLUMNS, SEGMENTS_PER_INSERT } from './ingestWrites.ts';
import { PendingLines } from './pendingLines.ts';
import type { RunEntry, RunRegistry } from './runRegistry.ts';
import { TokenWriter } from './tokenWriter.ts';
import type { Touched } from './touched.ts';

interface SourceFile {
  readonly fileId: number;
  readonly path: string;
  readonly format: string;
  /** Of the file's first record; names runs that log no id. */
  readonly runHash: string;
}

export class RolloutWriter {
  private readonly sql: IngestStatements;
  private readonly runs: RunRegistry;
  private readonly pending: PendingLines;
  private readonly tokens: TokenWriter;
  private readonly groups: GroupRegistry;
  private file: SourceFile = { fileId: 0, path: '', format: '', runHash: '' };
  private directory = '';
  private batch: PackedBatch | undefined;
  private touched: Touched | undefined;
  /** Runs this batch has brought rollouts of. */
  private readonly runsOfFile = new Set<number>();
  /** block_id by index into the batch's blocks. */
  private blocks: (number | undefined)[] = [];

  constructor(sql: IngestStatements, runs: RunRegistry) {
    this.sql = sql;
    this.runs = runs;
    this.pending = new PendingLines(sql);
    this.tokens = new TokenWriter(sql);
    this.groups = new GroupRegistry(sql);
  }

  forget(): void {
    this.groups.begin();
  }

  begin(file: SourceFile, batch: PackedBatch, touched: Touched): void {
    this.groups.begin();
    // Another process may have met a reward that is neither 0 nor 1.
    this.runs.forget();
    this.runsOfFile.clear();
    this.file = file;
    this.directory = dirname(file.path);
    this.batch = batch;
    this.touched = touched;
    this.blocks = new Array(batch.blocks.length).fill(undefined);
    this.pending.recount();
  }

  write(item: PackedItem): void {
    switch (item.kind) {
      case 'rollout':
        this.writeRollout(item.rollout);
        break;
      case 'run':
        this.writeRun(item.run.run, item.run.config);
        break;
      case 'stage': {
        const { run, fromStep, name, changes } = item.stage;
        this.sql.addStage.run(run, fromStep, name, JSON.stringify(changes), this.file.fileId);
        this.touchRuns(run);
        break;
      }
      case 'metric': {
        const { run, step, metrics } = item.metric;
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
    }
  }

  /** Lines about a run may repeat; the last one wins per key. */
  private writeRun(run: string, config: Readonly<Record<string, unknown>>): void {
    const before = this.sql.runConfig.get(run);
    const merged = { ...(typeof before === 'string' ? (JSON.parse(before) as object) : {}), ...config };
    this.sql.setRunConfig.run(run, JSON.stringify(merged));
    this.touchRuns(run);
  }

  private touchRuns(run: string): void {
    for (const row of this.sql.runsOfLogged.all(run) as { run_id: number }[]) this.touched?.run(row.run_id);
  }

  private writeRollout(rollout: PackedRollout): void {
    const run =
      rollout.run === null
        ? this.runs.ofDirectory(this.directory, rollout.kind, this.file.format, this.file.runHash)
        : this.runs.logged(rollout.run, rollout.kind, this.file.format, this.directory);
    const group = this.groups.of(run, rollout, this.currentBatch);
    this.warnOfOtherPrompt(group, rollout);
    const ordinal = this.ordinalFor(group, rollout);
    if (ordinal === undefined) return;
    group.nextOrdinal = Math.max(group.nextOrdinal, ordinal + 1);
    if (!this.runsOfFile.has(run.runId)) {
      this.runsOfFile.add(run.runId);
      this.sql.addRunFile.run(run.runId, this.file.fileId);
    }
    const rolloutId = this.addRollout(run, group, rollout, ordinal);
    this.addBelow(rolloutId, group, rollout);
    if (rollout.decision !== null)
      this.setDecision(rolloutId, rollout.decision, this.file.fileId, rollout.line);
    if (this.pending.any && rollout.run !== null) {
      const { run: loggedRun, kind, step, groupKey } = rollout;
      const address = { run: loggedRun, kind, step, group: groupKey, index: ordinal };
      for (const line of this.pending.take(address)) {
        if (line.kind === 'decision') this.setDecision(rolloutId, line.decision, line.fileId, line.line);
        else this.tokens.merge(rolloutId, line.tokens, line.fileId, line.line);
      }
    }
    this.touched?.group(group.groupId, run.runId, rollout.step);
  }

  /** The logged index, else order of appearance; undefined when this very rollout is in the library already. */
  private ordinalFor(group: GroupEntry, rollout: PackedRollout): number | undefined {
    if (rollout.ordinal === null) return group.nextOrdinal;
    const taken = this.sql.rolloutByOrdinal.get(group.groupId, rollout.ordinal) as
      | { content_hash: string; line: number; path: string }
      | undefined;
    if (taken === undefined) return rollout.ordinal;
    const where = `${taken.path}, line ${taken.line}`;
    const isSame = taken.content_hash === rollout.contentHash;
    const ordinal = isSame ? undefined : group.nextOrdinal;
    const message = isSame
      ? `index ${rollout.ordinal} of group ${rollout.groupKey} at step ${rollout.step} is already in the library, with the same content (${where}); not read twice`
      : `index ${rollout.ordinal} of group ${rollout.groupKey} at step ${rollout.step} is taken by other content (${where}); read as index ${ordinal}`;
    this.sql.addIssue.run(this.file.fileId, rollout.line, 'warning', 'duplicate_rollout', message);
    return ordinal;
  }

  /** A group is the rollouts of one prompt: where the log says otherwise, the first prompt stands and it is said. */
  private warnOfOtherPrompt(group: GroupEntry, rollout: PackedRollout): void {
    const promptHash = this.currentBatch.problems[rollout.problem]?.promptHash;
    if (promptHash === group.promptHash) return;
    const message = `the prompt differs from that of the first rollout of group ${rollout.groupKey} at step ${rollout.step}, which is shown for all of them`;
    this.sql.addIssue.run(this.file.fileId, rollout.line, 'warning', 'prompt_differs', message);
  }

  private addRollout(run: RunEntry, group: GroupEntry, rollout: PackedRollout, ordinal: number): number {
    const { reward, tokens } = rollout;
    if (run.hasBinaryRewards && reward !== null && reward !== 0 && reward !== 1) {
      run.hasBinaryRewards = false;
      this.sql.forgetBinaryRewards.run(run.runId);
      if (this.sql.forgetDerivedCorrectness.run(run.runId).changes > 0) this.touched?.wholeRun(run.runId);
    }
    const derived = run.hasBinaryRewards && reward !== null ? Number(reward > 0) : null;
    const meanEntropy =
      tokens !== null && tokens.entropyTokens > 0 ? tokens.entropySum / tokens.entropyTokens : null;
    const added = this.sql.addRollout.run(
      run.runId,
      rollout.step,
      group.groupId,
      ordinal,
      reward,
      rollout.isCorrect,
      rollout.isCorrect ?? derived,
      rollout.answer,
      rollout.answerSource,
      rollout.turnsTo - rollout.turnsFrom,
      rollout.calls.length,
      rollout.toolErrors,
      rollout.stopReason,
      rollout.stopReasonSource,
      tokens?.policyTokens ?? null,
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
    );
    return Number(added.lastInsertRowid);
  }

  private addBelow(rolloutId: number, group: GroupEntry, rollout: PackedRollout): void {
    const { currentBatch: batch, sql } = this;
    const base = group.promptSegments;
    this.addSegments(rolloutId, base, rollout, batch.segments);
    for (let i = rollout.turnsFrom; i < rollout.turnsTo; i++) {
      const at = i * TURN_STRIDE;
      const [turn, segments, toolCalls, toolErrors, policyTokens] = numbersAt(batch.turns, at);
      sql.addTurn.run(
        rolloutId,
        turn,
        segments,
        toolCalls,
        toolErrors,
        policyTokens < 0 ? null : policyTokens,
      );
    }
    rollout.calls.forEach((call, i) => {
      const response = call.responseSegment === null ? null : base + call.responseSegment;
      sql.addCall.run(
        rolloutId,
        i,
        call.turn,
        call.name,
        call.outcome,
        call.latencyMs,
        base + call.callSegment,
        response,
      );
    });
    if (rollout.tokens !== null) this.tokens.add(rolloutId, rollout.tokens);
  }

  /** Eight rows per statement: most of the cost of a narrow row is the crossing into SQLite. */
  private addSegments(rolloutId: number, base: number, rollout: PackedRollout, segments: Int32Array): void {
    let values: number[] = [];
    for (let i = rollout.segmentsFrom; i < rollout.segmentsTo; i++) {
      const [kind, turn, outerStart, outerEnd, innerStart, innerEnd] = numbersAt(
        segments,
        i * SEGMENT_STRIDE,
      );
      values.push(
        rolloutId,
        base + i - rollout.segmentsFrom,
        turn,
        kind,
        outerStart,
        outerEnd,
        innerStart,
        innerEnd,
      );
      if (values.length < SEGMENT_COLUMNS * SEGMENTS_PER_INSERT) continue;
      this.sql.addEightSegments.run(...values);
      values = [];
    }
    for (let at = 0; at < values.length; at += SEGMENT_COLUMNS) {
      this.sql.addSegment.run(...values.slice(at, at + SEGMENT_COLUMNS));
    }
  }

  private writeAddressed(
    kind: 'decision' | 'signal',
    address: RolloutAddress,
    line: number,
    payload: ParsedDecision | PackedTokens,
  ): void {
    const found = this.find(address);
    if (found === undefined) {
      this.pending.add(kind, address, payload, this.file.fileId, line);
      return;
    }
    if (kind === 'decision')
      this.setDecision(found.rolloutId, payload as ParsedDecision, this.file.fileId, line);
    else this.tokens.merge(found.rolloutId, payload as PackedTokens, this.file.fileId, line);
    this.touched?.group(found.groupId, found.runId, address.step);
  }

  private find(address: RolloutAddress): { rolloutId: number; groupId: number; runId: number } | undefined {
    const kinds = address.kind === undefined ? (['train', 'eval'] as const) : [address.kind];
    for (const kind of kinds) {
      const runKey = kind === 'eval' ? `${address.run}~eval` : address.run;
      const run = this.sql.runByKey.get(runKey) as { run_id: number } | undefined;
      if (run === undefined) continue;
      const group = this.sql.groupByKey.get(run.run_id, address.step, address.group) as
        | { group_id: number }
        | undefined;
      if (group === undefined) continue;
      const rollout = this.sql.rolloutByOrdinal.get(group.group_id, address.index) as
        | { rollout_id: number }
        | undefined;
      if (rollout !== undefined) {
        return { rolloutId: rollout.rollout_id, groupId: group.group_id, runId: run.run_id };
      }
    }
    return undefined;
  }

  private setDecision(rolloutId: number, decision: ParsedDecision, fileId: number, line: number): void {
    this.sql.setDecision.run({
      rolloutId,
      fileId,
      line,
      kept: decision.kept === undefined ? null : Number(decision.kept),
      reason: decision.reason ?? null,
      pErr: decision.pErr ?? null,
      pFormat: decision.pFormat ?? null,
      penalty: decision.penalty ?? null,
      advantage: decision.advantage ?? null,
      rule: decision.rule ?? null,
    });
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
