/** Packs parsed lines for the crossing to the writer thread (`storage/batch.ts`). */
import { contentHash } from '../../shared/domain/contentHash.ts';
import { SEGMENT_KINDS, type Segment, TOOL_ERROR_OUTCOMES } from '../../shared/domain/model.ts';
import type { LineIssue, ParsedProblem, ParsedRollout } from '../../shared/format/format.ts';
import {
  type ByteSpan,
  type PackedBatch,
  type PackedItem,
  type PackedProblem,
  type PackedRollout,
  SEGMENT_STRIDE,
} from '../storage/batch.ts';
import { packText } from '../storage/textCodec.ts';
import { packTokens } from './packTokens.ts';

export interface LinePlace {
  readonly line: number;
  readonly byteOffset: number;
  readonly byteLength: number;
}

const KIND_CODE = new Map(SEGMENT_KINDS.map((kind, i) => [kind, i]));
/** A batch is handed over at either size: big enough to amortise a transaction, small enough to stay responsive. */
const BATCH_BYTES = 8 << 20;
const BATCH_ITEMS = 1024;
const PREVIEW_CHARS = 200;

export class BatchBuilder {
  private items: PackedItem[] = [];
  private issues: (LineIssue & { line: number })[] = [];
  private problems: PackedProblem[] = [];
  private problemIndex = new Map<ParsedProblem, number>();
  private texts: Uint8Array[] = [];
  private textBytes = 0;
  private segments: number[] = [];
  private turns: number[] = [];

  get isFull(): boolean {
    return this.textBytes >= BATCH_BYTES || this.items.length + this.issues.length >= BATCH_ITEMS;
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && this.issues.length === 0;
  }

  addIssue(issue: LineIssue, line: number): void {
    this.issues.push({ ...issue, line });
  }

  add(item: PackedItem): void {
    this.items.push(item);
  }

  /** @param lineText the line as read; its hash recognises the same record elsewhere */
  addRollout(rollout: ParsedRollout, place: LinePlace, lineText: string): void {
    const segmentsFrom = this.segments.length / SEGMENT_STRIDE;
    pushSegments(this.segments, rollout.segments);
    const turnsFrom = this.turns.length / 5;
    for (const turn of rollout.turns) {
      this.turns.push(turn.turn, turn.segments, turn.toolCalls, turn.toolErrors, turn.policyTokens ?? -1);
    }
    const packed: PackedRollout = {
      ...place,
      contentHash: contentHash(lineText),
      run: rollout.run ?? null,
      kind: rollout.kind,
      step: rollout.step,
      groupKey: rollout.groupKey,
      ordinal: rollout.ordinal ?? null,
      problem: this.problemAt(rollout.problem),
      text: this.addText(rollout.response),
      responseChars: rollout.response.length,
      segmentsFrom,
      segmentsTo: segmentsFrom + rollout.segments.length,
      turnsFrom,
      turnsTo: turnsFrom + rollout.turns.length,
      calls: rollout.toolCalls.map((call) => ({
        turn: call.turn,
        name: call.name ?? null,
        outcome: call.outcome,
        latencyMs: call.latencyMs ?? null,
        callSegment: call.callSegment,
        responseSegment: call.responseSegment ?? null,
      })),
      reward: rollout.reward ?? null,
      isCorrect: rollout.isCorrect === undefined ? null : Number(rollout.isCorrect),
      answer: rollout.answer ?? null,
      answerSource: rollout.answerSource ?? null,
      toolErrors: rollout.toolCalls.filter((call) => TOOL_ERROR_OUTCOMES.has(call.outcome)).length,
      stopReason: rollout.stopReason ?? null,
      stopReasonSource: rollout.stopReasonSource ?? null,
      decision: rollout.decision ?? null,
      tokens: rollout.tokens === undefined ? null : packTokens(rollout.tokens),
      startedAt: rollout.startedAt ?? null,
      endedAt: rollout.endedAt ?? null,
      extra: Object.keys(rollout.extra).length === 0 ? null : JSON.stringify(rollout.extra),
    };
    this.items.push({ kind: 'rollout', rollout: packed });
  }

  /** Empties the builder. `offset` and `lines` say how far the file is read with this batch. */
  finish(startOffset: number, offset: number, lines: number): PackedBatch {
    const bytes = new Uint8Array(this.textBytes);
    let at = 0;
    for (const text of this.texts) {
      bytes.set(text, at);
      at += text.byteLength;
    }
    const batch: PackedBatch = {
      items: this.items,
      problems: this.problems,
      bytes,
      segments: Int32Array.from(this.segments),
      turns: Int32Array.from(this.turns),
      issues: this.issues,
      startOffset,
      offset,
      lines,
    };
    this.items = [];
    this.issues = [];
    this.problems = [];
    this.problemIndex = new Map();
    this.texts = [];
    this.textBytes = 0;
    this.segments = [];
    this.turns = [];
    return batch;
  }

  private problemAt(problem: ParsedProblem): number {
    const known = this.problemIndex.get(problem);
    if (known !== undefined) return known;
    const segments: number[] = [];
    pushSegments(segments, problem.promptSegments);
    const packed: PackedProblem = {
      problemId: problem.problemId,
      promptHash: contentHash(problem.prompt),
      text: this.addText(problem.prompt),
      preview: previewOf(problem),
      segments: Int32Array.from(segments),
      groundTruth: problem.groundTruth ?? null,
      source: problem.source ?? null,
    };
    this.problemIndex.set(problem, this.problems.length);
    this.problems.push(packed);
    return this.problems.length - 1;
  }

  private addText(text: string): ByteSpan {
    const { codec, bytes } = packText(text);
    const start = this.textBytes;
    this.texts.push(bytes);
    this.textBytes += bytes.byteLength;
    return { codec, start, end: this.textBytes };
  }
}

function pushSegments(into: number[], segments: readonly Segment[]): void {
  for (const { kind, turn, outer, inner } of segments) {
    into.push(KIND_CODE.get(kind) ?? 0, turn, outer.start, outer.end, inner.start, inner.end);
  }
}

/** The last user message: what was asked, not the instructions before it. */
function previewOf(problem: ParsedProblem): string {
  const asked = problem.promptSegments.findLast((segment) => segment.kind === 'user');
  const text = asked === undefined ? problem.prompt : problem.prompt.slice(asked.inner.start, asked.inner.end);
  return text.slice(0, PREVIEW_CHARS).replace(/\s+/g, ' ').trim();
}
