/**
 * The message from the parser process to the writer thread: many lines of one file. All texts share one
 * buffer and all segments another, so the cost does not grow with the number of rollouts.
 */
import type { Annotation, ReviewMark } from '../../shared/domain/annotate/annotation.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import type { Flagged } from '../../shared/domain/flags.ts';
import type { Provenance, RolloutTiming, RunKind } from '../../shared/domain/model.ts';
import type { Penalties, TextPenalties } from '../../shared/domain/penalty.ts';
import type {
  GroupRule,
  JoinAddress,
  LineIssue,
  ParsedDecision,
  ParsedDecisionLine,
  ParsedMetric,
  ParsedRun,
  ParsedStage,
  RolloutAddress,
} from '../../shared/format/format.ts';

/** Numbers per segment in `PackedBatch.segments`. */
export const SEGMENT_STRIDE = 6; // kind, turn, outer start, outer end, inner start, inner end
/** Numbers per turn in `PackedBatch.turns`; policy tokens are −1 when unknown. */
export const TURN_STRIDE = 5; // turn, segments, tool calls, tool errors, policy tokens

/** Byte positions of a rollout's texts in the uncompressed block. */
export interface TextPlace {
  /** Index into `PackedBatch.blocks`. */
  readonly block: number;
  readonly start: number;
  readonly end: number;
  /**
   * End of the extra fields (JSON), which follow the text. Equal to the end of the text when there are
   * none.
   */
  readonly extraEnd: number;
}

/** A compressed passage of `PackedBatch.bytes`. */
export interface ByteSpan {
  readonly codec: number;
  readonly start: number;
  readonly end: number;
}

export interface PackedProblem {
  readonly problemId: string;
  readonly idSource: Provenance;
  readonly promptHash: string;
  /** Hash of the question without template and white space (`shared/domain/question.ts`). Null without one. */
  readonly questionHash: string | null;
  /** In `promptBlocks`. */
  readonly text: TextPlace;
  readonly preview: string;
  /** Index of the prompt's first segment in `PackedBatch.segments`. */
  readonly segmentsFrom: number;
  readonly segmentsTo: number;
  readonly groundTruth: string | null;
  readonly source: string | null;
  readonly userScenario: string | null;
}

interface PackedCall {
  readonly turn: number;
  readonly name: string | null;
  readonly outcome: string;
  readonly latencyMs: number | null;
  /** 1: logged in a field; 0: parsed from the response text; null: the latency is unknown. */
  readonly isLatencyLogged: number | null;
  readonly queueMs: number | null;
  readonly worker: string | null;
  readonly startedAt: number | null;
  /** Index among the rollout's response segments. */
  readonly callSegment: number;
  readonly responseSegment: number | null;
  /** Whether an earlier call of the rollout has exactly the same text. */
  readonly isRepeat: boolean;
}

/** Blobs of `token_row`. */
export interface PackedTokens {
  readonly count: number;
  readonly ends: Uint8Array | null;
  readonly ids: Uint8Array | null;
  readonly mask: Uint8Array | null;
  readonly entropy: Uint8Array | null;
  readonly logprob: Uint8Array | null;
  readonly trainerLogprob: Uint8Array | null;
  readonly advantage: Uint8Array | null;
  readonly top: Uint8Array | null;
  readonly entropyOf: string | null;
  readonly policyTokens: number | null;
  readonly entropySum: number;
  readonly entropyTokens: number;
}

export interface PackedRollout {
  readonly line: number;
  /** Line numbers of the other records that form the rollout. */
  readonly partLines?: readonly number[];
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly contentHash: string;
  readonly run: string | null;
  readonly runKey: string | null;
  readonly kind: RunKind;
  readonly step: number | null;
  readonly groupKey: string;
  readonly groupRule: GroupRule;
  readonly pool: number;
  readonly ordinal: number | null;
  /** Index into `PackedBatch.problems`. */
  readonly problem: number;
  readonly text: TextPlace;
  /** Null without a text, like tool errors and penalties. */
  readonly responseChars: number | null;
  readonly segmentsFrom: number;
  readonly segmentsTo: number;
  readonly turnsFrom: number;
  readonly turnsTo: number;
  readonly calls: readonly PackedCall[];
  readonly reward: number | null;
  readonly isCorrect: number | null;
  readonly isCorrectSource: Provenance | null;
  readonly joinKeys: readonly string[] | null;
  readonly isSelection: boolean;
  readonly mayRepeat: boolean;
  readonly wholeName: string | null;
  readonly answer: string | null;
  readonly answerSource: Provenance | null;
  readonly toolCalls: number | null;
  readonly toolErrors: number | null;
  readonly stopReason: string | null;
  readonly stopReasonSource: Provenance | null;
  readonly stopReasonLogged: string | null;
  readonly origin: string | null;
  /** JSON */
  readonly scores: string | null;
  readonly decision: ParsedDecision | null;
  readonly textPenalties: TextPenalties | null;
  readonly typedPenalties: Penalties | null;
  readonly flags: Flagged;
  readonly tokens: PackedTokens | null;
  readonly policyTokens: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly timing: RolloutTiming | null;
}

export interface PackedSignal {
  readonly address: RolloutAddress | JoinAddress;
  readonly tokens: PackedTokens;
  readonly line: number;
}

export type PackedItem =
  | { readonly kind: 'rollout'; readonly rollout: PackedRollout }
  | { readonly kind: 'run'; readonly run: ParsedRun }
  | { readonly kind: 'stage'; readonly stage: ParsedStage }
  | { readonly kind: 'metric'; readonly metric: ParsedMetric }
  | { readonly kind: 'decision'; readonly decision: ParsedDecisionLine; readonly line: number }
  | { readonly kind: 'signal'; readonly signal: PackedSignal }
  | { readonly kind: 'annotation'; readonly annotation: Annotation; readonly line: number }
  | { readonly kind: 'reading'; readonly reading: ReviewMark; readonly line: number }
  | { readonly kind: 'taxonomy'; readonly taxonomy: Taxonomy; readonly line: number };

export interface PackedBatch {
  /** In file order. For a batch from another thread, each iteration unpacks the items again. */
  readonly items: Iterable<PackedItem>;
  readonly problems: readonly PackedProblem[];
  readonly blocks: readonly ByteSpan[];
  readonly promptBlocks: readonly ByteSpan[];
  readonly bytes: Uint8Array;
  readonly segments: Int32Array;
  readonly turns: Int32Array;
  readonly issues: readonly (LineIssue & { readonly line: number })[];
  /** Position where this batch begins. The file must have been read exactly up to here. */
  readonly startOffset: number;
  /** Position after the last line of this batch; committed together with its items. */
  readonly offset: number;
  readonly lines: number;
  /** Tail of the file, or hash of an adapter's records before `offset`; committed with the items. */
  readonly tailHash?: string;
  /** Bytes of other files that were read for the batches so far. */
  readonly otherBytes?: number;
  /** Number of masked values under credential keys. */
  readonly masked: number;
}

export function bytesOf(batch: PackedBatch, span: ByteSpan): Uint8Array {
  return Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset + span.start, span.end - span.start);
}

type Six = [number, number, number, number, number, number];

/** Reads six numbers from `at` on. The caller knows how many of them belong to it. */
export function numbersAt(from: Int32Array, at: number): Six {
  return [
    from[at] ?? 0,
    from[at + 1] ?? 0,
    from[at + 2] ?? 0,
    from[at + 3] ?? 0,
    from[at + 4] ?? 0,
    from[at + 5] ?? 0,
  ];
}
