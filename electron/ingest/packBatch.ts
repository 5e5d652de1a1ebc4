/** Packs parsed lines for transfer to the writer thread (`storage/batch.ts`). */
import { flagsOf } from '../../shared/domain/flags.ts';
import { SEGMENT_KINDS, type Segment, TOOL_ERROR_OUTCOMES, type Turn } from '../../shared/domain/model.ts';
import { textPenalties, typedPenalties } from '../../shared/domain/penalty.ts';
import { normalisedQuestion, oneSpaced } from '../../shared/domain/question.ts';
import { repeatedCalls } from '../../shared/domain/repeatedCalls.ts';
import { maskSecrets } from '../../shared/domain/secrets.ts';
import type {
  LineIssue,
  ParsedProblem,
  ParsedRollout,
  ParsedRun,
  ParsedStage,
} from '../../shared/format/format.ts';
import { CONTEXT_FIELD } from '../../shared/format/loggedContext.ts';
import {
  type PackedBatch,
  type PackedItem,
  type PackedProblem,
  type PackedRollout,
  type PackedTokens,
  SEGMENT_STRIDE,
} from '../storage/batch.ts';
import { contentHash, groupKeyOf, problemIdOf, storedJoinKey } from '../storage/contentHash.ts';
import { packTokens } from './packTokens.ts';
import { PROMPT_BLOCK_BYTES, ROLLOUT_BLOCK_BYTES, TextBlocks } from './textBlocks.ts';

export interface LinePlace {
  readonly line: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Line numbers of the other records that form the rollout. */
  readonly partLines?: readonly number[];
}

const KIND_CODE = new Map(SEGMENT_KINDS.map((kind, i) => [kind, i]));
/**
 * Weight of a full batch. The next constant limits its items. Large enough to amortize a transaction, small
 * enough to stay responsive.
 */
const BATCH_SIZE = 8 << 20;
/** The first batch of a file is smaller, so that its first rollouts are on the screen within a second. */
const FIRST_BATCH_SIZE = 512 << 10;
const BATCH_ITEMS = 8192;
const PREVIEW_CHARS = 200;
/** Stands for an unknown count in a turn. */
const UNKNOWN = -1;

type PackedPrompt = Omit<PackedProblem, 'problemId' | 'idSource' | 'groundTruth' | 'source' | 'userScenario'>;

export class BatchBuilder {
  private items: PackedItem[] = [];
  private issues: (LineIssue & { line: number })[] = [];
  private problems: PackedProblem[] = [];
  /** The previous rollout's problem. The rollouts of a record often share it. */
  private last: { readonly problem: ParsedProblem; readonly index: number } | undefined;
  /** Problems without a prompt, which their record identifies. Keeping all would keep their prompts in memory. */
  private withoutPrompt = new Map<ParsedProblem, number>();
  /** By hash, because formats build a new problem for each record of a group. */
  private promptIndex = new Map<string, PackedPrompt>();
  /** Index in `items` of the item of each run. Later lines of the run are merged into that item. */
  private runItems = new Map<string | undefined, number>();
  /** The last problem of each prompt and id, because readers create a problem for each rollout. */
  private problemsById = new Map<string, { readonly problem: ParsedProblem; readonly index: number }>();
  private readonly texts = new TextBlocks(ROLLOUT_BLOCK_BYTES);
  private readonly prompts = new TextBlocks(PROMPT_BLOCK_BYTES);
  /** Weight of the batch: UTF-16 units of texts plus bytes of token columns. */
  private size = 0;
  private most = FIRST_BATCH_SIZE;
  private masked = 0;
  private segments: number[] = [];
  private turns: number[] = [];

  get isFull(): boolean {
    return this.size >= this.most || this.items.length + this.issues.length >= BATCH_ITEMS;
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && this.issues.length === 0;
  }

  addIssue(issue: LineIssue, line: number): void {
    this.size += issue.message.length;
    this.issues.push({ ...issue, line });
  }

  add(item: PackedItem): void {
    this.size += item.kind === 'signal' ? weightOf(item.signal.tokens) : weightOfTexts(item);
    this.items.push(item);
  }

  /** @throws Error when the configuration is nested more deeply, or has more values, than the writer supports */
  addRun(run: ParsedRun): void {
    assertStorable(run.config);
    const { value, masked } = maskSecrets(run.config);
    this.masked += masked;
    // The writer reads and writes the whole configuration for each item.
    const at = this.runItems.get(run.run);
    const before = at === undefined ? undefined : this.items[at];
    this.size += weightOfTexts(value);
    if (at !== undefined && before?.kind === 'run') {
      const config = { ...before.run.config, ...value };
      this.items[at] = { kind: 'run', run: { ...before.run, ...run, config } };
      return;
    }
    this.runItems.set(run.run, this.items.length);
    this.items.push({ kind: 'run', run: { ...run, config: value } });
  }

  /** @throws Error like `addRun` */
  addStage(stage: ParsedStage): void {
    assertStorable(stage.changes);
    const { value, masked } = maskSecrets(stage.changes);
    this.masked += masked;
    this.size += weightOfTexts(value);
    this.items.push({ kind: 'stage', stage: { ...stage, changes: value } });
  }

  /** @param recordHash content hash of the raw line; recognizes the same record elsewhere */
  addRollout(rollout: ParsedRollout, place: LinePlace, recordHash: string): void {
    const { response, segments, toolCalls } = rollout;
    const extra = this.extraOf(rollout);
    const tokens = rollout.tokens === undefined ? null : packTokens(rollout.tokens);
    this.size += response.length + extra.length + weightOf(tokens);
    const segmentsFrom = this.segments.length / SEGMENT_STRIDE;
    pushSegments(this.segments, segments);
    const turnsFrom = this.turns.length / 5;
    for (const turn of rollout.turns) {
      const counts = [turn.segments, turn.toolCalls, turn.toolErrors, turn.policyTokens];
      this.turns.push(turn.turn, ...counts.map((count) => count ?? UNKNOWN));
    }
    const problem = this.problemAt(rollout, `${recordHash.split(':', 1)[0]}:${place.line}`);
    // Without a text, its counts are unknown.
    const hasText = response !== '';
    const repeats = repeatedCalls(response, segments, toolCalls);
    const packed: PackedRollout = {
      ...place,
      contentHash: recordHash,
      run: rollout.run ?? null,
      runKey: rollout.runKey ?? null,
      kind: rollout.kind,
      step: rollout.step ?? null,
      groupKey: groupKeyOf(rollout, this.problems[problem]?.problemId ?? ''),
      groupRule: rollout.groupRule ?? 'logged',
      pool: rollout.pool ?? 0,
      ordinal: rollout.ordinal ?? null,
      problem,
      text: this.texts.add(response, extra),
      responseChars: hasText ? response.length : null,
      segmentsFrom,
      segmentsTo: segmentsFrom + segments.length,
      turnsFrom,
      turnsTo: turnsFrom + rollout.turns.length,
      calls: toolCalls.map((call, i) => ({
        turn: call.turn,
        name: call.name ?? null,
        outcome: call.outcome,
        latencyMs: call.latencyMs ?? null,
        isLatencyLogged: call.latencyMs === undefined ? null : Number(call.latencySource === 'logged'),
        queueMs: call.queueMs ?? null,
        worker: call.worker ?? null,
        startedAt: call.startedAt ?? null,
        callSegment: call.callSegment,
        responseSegment: call.responseSegment ?? null,
        isRepeat: repeats[i] === true,
      })),
      reward: rollout.reward ?? null,
      isCorrect: rollout.isCorrect === undefined ? null : Number(rollout.isCorrect),
      isCorrectSource: rollout.isCorrect === undefined ? null : (rollout.isCorrectSource ?? 'logged'),
      joinKeys: rollout.joinKeys?.map(storedJoinKey) ?? null,
      isSelection: rollout.isSelection === true,
      mayRepeat: rollout.mayRepeat === true,
      wholeName: rollout.wholeName ?? null,
      answer: rollout.answer ?? null,
      answerSource: rollout.answerSource ?? null,
      toolCalls: hasText ? toolCalls.filter(({ outcome }) => outcome !== 'malformed').length : null,
      toolErrors: hasText ? toolCalls.filter(({ outcome }) => TOOL_ERROR_OUTCOMES.has(outcome)).length : null,
      stopReason: rollout.stopReason ?? null,
      stopReasonSource: rollout.stopReasonSource ?? null,
      stopReasonLogged: rollout.stopReasonLogged ?? null,
      origin: rollout.origin ?? null,
      scores: this.scoresOf(rollout),
      decision: rollout.decision ?? null,
      textPenalties: hasText ? textPenalties(rollout) : null,
      typedPenalties: hasText ? typedPenalties(rollout) : null,
      flags: flagsOf({
        response,
        segments,
        toolCalls,
        repeats,
        prompt: rollout.problem.prompt,
        groundTruth: rollout.problem.groundTruth,
        isCorrect: rollout.isCorrect,
        answer: rollout.answer,
        stopReason: rollout.stopReason,
      }),
      tokens,
      policyTokens: tokens?.policyTokens ?? sumOfTurns(rollout.turns),
      startedAt: rollout.startedAt ?? null,
      endedAt: rollout.endedAt ?? null,
      timing: rollout.timing ?? null,
    };
    this.items.push({ kind: 'rollout', rollout: packed });
  }

  /** Returns the batch and resets the builder. `offset` and `lines` are the read position after the batch. */
  async finish(startOffset: number, offset: number, lines: number): Promise<PackedBatch> {
    const { items, issues, problems, masked } = this;
    const segments = Int32Array.from(this.segments);
    const turns = Int32Array.from(this.turns);
    this.items = [];
    this.issues = [];
    this.problems = [];
    this.last = undefined;
    this.withoutPrompt = new Map();
    this.size = 0;
    this.most = BATCH_SIZE;
    this.masked = 0;
    this.segments = [];
    this.turns = [];
    this.promptIndex = new Map();
    this.runItems = new Map();
    this.problemsById = new Map();
    const ofRollouts = await this.texts.finish();
    const ofPrompts = await this.prompts.finish();
    const shift = ofRollouts.bytes.byteLength;
    // Not from Buffer's pool, because the memory is transferred to the writer.
    const bytes = new Uint8Array(shift + ofPrompts.bytes.byteLength);
    bytes.set(ofRollouts.bytes);
    bytes.set(ofPrompts.bytes, shift);
    return {
      ...{ items, issues, problems, segments, turns, startOffset, offset, lines, masked },
      bytes,
      blocks: ofRollouts.blocks,
      promptBlocks: ofPrompts.blocks.map(({ codec, start, end }) => ({
        ...{ codec, start: start + shift, end: end + shift },
      })),
    };
  }

  private extraOf(rollout: ParsedRollout): string {
    const { context } = rollout;
    const extra = context === undefined ? rollout.extra : { ...rollout.extra, [CONTEXT_FIELD]: context };
    for (const _key in extra) {
      const { value, masked } = maskSecrets(extra);
      this.masked += masked + (rollout.maskedInExtra ?? 0);
      return JSON.stringify(value);
    }
    return '';
  }

  private scoresOf({ scores }: ParsedRollout): string | null {
    if (scores === undefined) return null;
    // A scorer may have the name of a credential, such as `password`, although its score is not secret.
    const names = maskSecrets(Object.keys(scores));
    const values = maskSecrets(Object.values(scores));
    this.masked += names.masked + values.masked;
    return JSON.stringify(Object.fromEntries(names.value.map((name, i) => [name, values.value[i]])));
  }

  /** @param place identifies the record of the rollout */
  private problemAt({ problem, role }: ParsedRollout, place: string): number {
    if (problem === this.last?.problem) return this.last.index;
    const index = this.withoutPrompt.get(problem) ?? this.addProblem(problem, `${place}:${role ?? ''}`);
    this.last = { problem, index };
    return index;
  }

  private addProblem(problem: ParsedProblem, place: string): number {
    const prompt = this.promptOf(problem);
    const key = `${prompt.promptHash} ${problem.problemId ?? ''}`;
    const before = problem.problemId === undefined ? undefined : this.problemsById.get(key);
    if (before !== undefined && hasSameFacts(before.problem, problem)) return before.index;
    this.problemsById.set(key, { problem, index: this.problems.length });
    this.size += (problem.groundTruth?.length ?? 0) + (problem.userScenario?.length ?? 0);
    this.problems.push({
      ...prompt,
      problemId: problemIdOf(problem, prompt.promptHash, place),
      idSource: problem.problemId === undefined ? 'derived' : 'logged',
      groundTruth: problem.groundTruth ?? null,
      source: problem.source ?? null,
      userScenario: problem.userScenario ?? null,
    });
    const index = this.problems.length - 1;
    if (problem.prompt === '') this.withoutPrompt.set(problem, index);
    return index;
  }

  private promptOf(problem: ParsedProblem): PackedPrompt {
    const { prompt, promptSegments } = problem;
    const promptHash = contentHash(prompt);
    const known = this.promptIndex.get(promptHash);
    if (known !== undefined) return known;
    const segmentsFrom = this.segments.length / SEGMENT_STRIDE;
    pushSegments(this.segments, promptSegments);
    this.size += prompt.length;
    const packed: PackedPrompt = {
      promptHash,
      questionHash: prompt === '' ? null : contentHash(questionOf(problem)),
      text: this.prompts.add(prompt),
      preview: previewOf(problem),
      segmentsFrom,
      segmentsTo: segmentsFrom + promptSegments.length,
    };
    this.promptIndex.set(promptHash, packed);
    return packed;
  }
}

/** Compares the other facts of two problems that have the same id and prompt. */
const hasSameFacts = (a: ParsedProblem, b: ParsedProblem): boolean =>
  a.groundTruth === b.groundTruth && a.source === b.source && a.userScenario === b.userScenario;

/** Limit of nesting. Real configurations are far below it, and a thread's stack allows far more. */
const DEEPEST = 256;

/** Limit of values. Real configurations have some hundreds, and each costs a kilobyte while it is stored. */
const MOST_VALUES = 300_000;

function assertStorable(config: object): void {
  let values = 0;
  const visit = (value: unknown, depth: number): void => {
    if (++values > MOST_VALUES)
      throw new Error(`its configuration has more than ${MOST_VALUES.toLocaleString('en')} values`);
    if (typeof value !== 'object' || value === null) return;
    if (depth > DEEPEST) throw new RangeError(`it is nested deeper than ${DEEPEST} levels`);
    for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  visit(config, 0);
}

/** Null unless the count of every turn is known. */
function sumOfTurns(turns: readonly Turn[]): number | null {
  let sum = 0;
  for (const { policyTokens } of turns) {
    if (policyTokens === undefined) return null;
    sum += policyTokens;
  }
  return turns.length === 0 ? null : sum;
}

function weightOf(tokens: PackedTokens | null): number {
  if (tokens === null) return 0;
  return Object.values(tokens).reduce(
    (sum, column) => sum + (column instanceof Uint8Array ? column.byteLength : 0),
    0,
  );
}

/** UTF-16 units of the texts in an item, and of its keys: a note or a change of a setting may be as long as a rollout. */
function weightOfTexts(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return 0;
  let weight = 0;
  for (const [key, inner] of Object.entries(value)) weight += key.length + weightOfTexts(inner, depth + 1);
  return weight;
}

function pushSegments(into: number[], segments: readonly Segment[]): void {
  for (const { kind, turn, outer, inner } of segments) {
    into.push(KIND_CODE.get(kind) ?? 0, turn, outer.start, outer.end, inner.start, inner.end);
  }
}

/** The last user message, or the whole prompt if none exists. */
function userQuestionOf(problem: ParsedProblem): string {
  const asked = problem.promptSegments.findLast((segment) => segment.kind === 'user');
  return asked === undefined ? problem.prompt : problem.prompt.slice(asked.inner.start, asked.inner.end);
}

function previewOf(problem: ParsedProblem): string {
  return oneSpaced(userQuestionOf(problem).slice(0, PREVIEW_CHARS));
}

/** The normalized question, which is equal under other templates, at other steps and in other runs. */
function questionOf(problem: ParsedProblem): string {
  return normalisedQuestion(userQuestionOf(problem));
}
