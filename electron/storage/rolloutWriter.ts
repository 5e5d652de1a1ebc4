/**
 * One rollout and everything below it: problem, prompt, group, texts, segments, turns, tool
 * calls, tokens; and the `decision` and `signal` lines that speak of it, in whatever order
 * and from whatever file they come.
 */
import { dirname } from 'node:path';
import type { ParsedDecision, RolloutAddress } from '../../shared/format/format.ts';
import {
  type ByteSpan,
  type PackedBatch,
  type PackedItem,
  type PackedRollout,
  type PackedTokens,
  SEGMENT_STRIDE,
  TURN_STRIDE,
} from './batch.ts';
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

interface GroupEntry {
  readonly groupId: number;
  /** Looked up once, then counted. */
  nextOrdinal: number;
  readonly promptSegments: number;
}

export class RolloutWriter {
  private readonly sql: IngestStatements;
  private readonly runs: RunRegistry;
  private readonly pending: PendingLines;
  private readonly tokens: TokenWriter;
  private readonly groups = new Map<string, GroupEntry>();
  private file: SourceFile = { fileId: 0, path: '', format: '', runHash: '' };
  private directory = '';
  private batch: PackedBatch | undefined;
  private touched: Touched | undefined;
  /** block_id by index into the batch's blocks. */
  private blocks: (number | undefined)[] = [];
  /** problem_no and prompt length by index into the batch's problems. */
  private problems: ({ problemNo: number; promptSegments: number } | undefined)[] = [];

  constructor(sql: IngestStatements, runs: RunRegistry) {
    this.sql = sql;
    this.runs = runs;
    this.pending = new PendingLines(sql);
    this.tokens = new TokenWriter(sql);
  }

  forget(): void {
    this.groups.clear();
  }

  begin(file: SourceFile, batch: PackedBatch, touched: Touched): void {
    // Kept for one transaction only: between two, another process may have added to a group.
    this.groups.clear();
    this.file = file;
    this.directory = dirname(file.path);
    this.batch = batch;
    this.touched = touched;
    this.problems = new Array(batch.problems.length).fill(undefined);
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
        const { stage } = item;
        const entry = this.runs.logged(stage.run, 'train', this.file.format, this.directory);
        this.sql.addStage.run(
          entry.runId,
          stage.fromStep,
          stage.name,
          JSON.stringify(stage.changes),
          this.file.fileId,
        );
        this.touched?.run(entry.runId);
        break;
      }
      case 'metric': {
        const { metric } = item;
        const entry = this.runs.logged(metric.run, 'train', this.file.format, this.directory);
        for (const [name, value] of Object.entries(metric.metrics)) {
          this.sql.addMetric.run(entry.runId, metric.step, name, value, this.file.fileId);
        }
        this.touched?.run(entry.runId);
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

  private writeRun(run: string, config: Readonly<Record<string, unknown>>): void {
    const entry = this.runs.logged(run, 'train', this.file.format, this.directory);
    const before: unknown = JSON.parse(String(this.sql.runConfig.get(entry.runId)));
    const merged = { ...(before as object), ...config };
    const name = typeof config['name'] === 'string' ? config['name'] : null;
    this.sql.setRunConfig.run(JSON.stringify(merged), name, entry.runId);
    this.touched?.run(entry.runId);
  }

  private writeRollout(rollout: PackedRollout): void {
    const run =
      rollout.run === null
        ? this.runs.ofDirectory(this.directory, rollout.kind, this.file.format, this.file.runHash)
        : this.runs.logged(rollout.run, rollout.kind, this.file.format, this.directory);
    const group = this.groupOf(run, rollout);
    const ordinal = this.ordinalFor(group, rollout);
    if (ordinal === undefined) return;
    group.nextOrdinal = Math.max(group.nextOrdinal, ordinal + 1);
    const rolloutId = this.addRollout(run, group, rollout, ordinal);
    this.addBelow(rolloutId, group, rollout);
    if (rollout.decision !== null) this.setDecision(rolloutId, rollout.decision, this.file.fileId);
    if (this.pending.any && rollout.run !== null) {
      const address = { run: rollout.run, step: rollout.step, group: rollout.groupKey, index: ordinal };
      for (const line of this.pending.take(address)) {
        if (line.kind === 'decision') this.setDecision(rolloutId, line.decision, line.fileId);
        else this.tokens.merge(rolloutId, line.tokens, line.fileId, line.line);
      }
    }
    this.touched?.group(group.groupId, run.runId, rollout.step);
  }

  private groupOf(run: RunEntry, rollout: PackedRollout): GroupEntry {
    const key = `${run.runId} ${rollout.step} ${rollout.groupKey}`;
    const cached = this.groups.get(key);
    if (cached !== undefined) return cached;
    const row = this.sql.groupByKey.get(run.runId, rollout.step, rollout.groupKey) as
      | { group_id: number }
      | undefined;
    let entry: GroupEntry;
    if (row === undefined) {
      const problem = this.problemOf(rollout.problem);
      const added = this.sql.addGroup.run(run.runId, rollout.step, rollout.groupKey, problem.problemNo);
      entry = {
        groupId: Number(added.lastInsertRowid),
        nextOrdinal: 0,
        promptSegments: problem.promptSegments,
      };
    } else {
      entry = {
        groupId: row.group_id,
        nextOrdinal: Number(this.sql.nextOrdinal.get(row.group_id)),
        promptSegments: Number(this.sql.promptSegmentsOfGroup.get(row.group_id)),
      };
    }
    this.groups.set(key, entry);
    return entry;
  }

  private problemOf(index: number): { problemNo: number; promptSegments: number } {
    const known = this.problems[index];
    if (known !== undefined) return known;
    const problem = this.batch?.problems[index];
    if (problem === undefined) throw new Error(`batch has no problem ${index}`);
    const promptSegments = problem.segments.length / SEGMENT_STRIDE;
    const existing = this.sql.promptByHash.get(problem.promptHash) as { prompt_id: number } | undefined;
    let promptId = existing?.prompt_id;
    if (promptId === undefined) {
      const added = this.sql.addPrompt.run(
        problem.promptHash,
        problem.text.codec,
        this.bytesOf(problem.text),
        promptSegments,
        problem.preview,
      );
      promptId = Number(added.lastInsertRowid);
      for (let i = 0; i < promptSegments; i++) {
        const [kind, , outerStart, outerEnd, innerStart, innerEnd] = numbersAt(
          problem.segments,
          i * SEGMENT_STRIDE,
        );
        this.sql.addPromptSegment.run(promptId, i, kind, outerStart, outerEnd, innerStart, innerEnd);
      }
    }
    let problemNo = this.sql.problemById.get(problem.problemId, promptId, problem.groundTruth) as
      | number
      | undefined;
    if (problemNo === undefined) {
      const added = this.sql.addProblem.run(problem.problemId, promptId, problem.groundTruth, problem.source);
      problemNo = Number(added.lastInsertRowid);
    }
    const entry = { problemNo, promptSegments };
    this.problems[index] = entry;
    return entry;
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
    const { batch, sql } = this;
    if (batch === undefined) throw new Error('no batch has begun');
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
    if (kind === 'decision') this.setDecision(found.rolloutId, payload as ParsedDecision, this.file.fileId);
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

  private setDecision(rolloutId: number, decision: ParsedDecision, fileId: number): void {
    this.sql.setDecision.run({
      rolloutId,
      fileId,
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
    const span = this.batch?.blocks[index];
    if (span === undefined) throw new Error(`batch has no block ${index}`);
    const added = this.sql.addBlock.run(this.file.fileId, span.codec, this.bytesOf(span));
    const blockId = Number(added.lastInsertRowid);
    this.blocks[index] = blockId;
    return blockId;
  }

  private bytesOf(span: ByteSpan): Uint8Array {
    const bytes = this.batch?.bytes;
    if (bytes === undefined) throw new Error('no batch has begun');
    return Buffer.from(bytes.buffer, bytes.byteOffset + span.start, span.end - span.start);
  }
}

type Six = [number, number, number, number, number, number];

/** Six numbers from `at` on; the caller knows how many of them are its own. */
function numbersAt(from: Int32Array, at: number): Six {
  return [
    from[at] ?? 0,
    from[at + 1] ?? 0,
    from[at + 2] ?? 0,
    from[at + 3] ?? 0,
    from[at + 4] ?? 0,
    from[at + 5] ?? 0,
  ];
}
