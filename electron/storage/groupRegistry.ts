/** Finds or adds prompt groups with their problem and prompt. */
import type { GroupRule, LineIssue } from '../../shared/format/format.ts';
import {
  bytesOf,
  numbersAt,
  type PackedBatch,
  type PackedProblem,
  type PackedRollout,
  SEGMENT_STRIDE,
} from './batch.ts';
import { contentHash } from './contentHash.ts';
import type { IngestStatements } from './ingestWrites.ts';
import type { RunEntry } from './runRegistry.ts';

export interface GroupEntry {
  readonly groupId: number;
  /** Read from the library once, then incremented in memory. */
  nextOrdinal: number;
  /** Segments of the response are numbered after those of the prompt. */
  readonly promptSegments: number;
  readonly promptHash: string;
}

export class GroupRegistry {
  private readonly sql: IngestStatements;
  private readonly entries = new Map<string, GroupEntry>();
  /** Number of rollouts so far in each step, for runs whose groups follow from order. */
  private readonly seen = new Map<string, number>();
  /** block_id by index into the batch's blocks of prompts. */
  private readonly promptBlocks = new Map<number, number>();
  /** Prompts and problems of this transaction. Queries cannot find new ones, because their rows are still buffered. */
  private readonly prompts = new Map<string, { readonly promptId: number; readonly isNew: boolean }>();
  private readonly problemNos = new Map<string, number>();
  /** problem_no by index into the batch's problems. */
  private problems: (number | undefined)[] = [];
  private nextPrompt = 0;
  private nextProblem = 0;
  private nextGroup = 0;

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  /** Clears the caches at the start of a transaction, because another process may have extended a group. */
  begin(): void {
    this.entries.clear();
    this.seen.clear();
    this.promptBlocks.clear();
    this.prompts.clear();
    this.problemNos.clear();
    this.problems = [];
    this.nextPrompt = 1 + (this.sql.lastPrompt.get() ?? 0);
    this.nextProblem = 1 + (this.sql.lastProblem.get() ?? 0);
    this.nextGroup = 1 + (this.sql.lastGroup.get() ?? 0);
  }

  of(run: RunEntry, rollout: PackedRollout, batch: PackedBatch): GroupEntry {
    const step = rollout.step ?? 0;
    const group = this.keyOf(run, step, rollout, batch);
    const key = `${run.runId} ${step} ${group.key}`;
    const known = this.entries.get(key);
    const groupId = known?.groupId ?? this.sql.groupByKey.get(run.runId, step, group.key);
    const entry =
      groupId === undefined
        ? this.add(run, step, group, rollout, batch)
        : this.withPrompt(known ?? this.found(groupId), rollout, batch);
    if (entry !== known) this.entries.set(key, entry);
    return entry;
  }

  /**
   * If the first rollout of a group has no prompt (it failed before it started), the group takes the first known
   * prompt. It does not if a response already has segment numbers that assume no prompt.
   */
  private withPrompt(entry: GroupEntry, rollout: PackedRollout, batch: PackedBatch): GroupEntry {
    const problem = problemIn(batch, rollout);
    const { promptHash } = problem;
    if (entry.promptHash !== NO_PROMPT || promptHash === NO_PROMPT) return entry;
    const { groupId, nextOrdinal } = entry;
    // The group may have been added in this transaction, so its row may still be buffered.
    this.sql.rows.flush();
    const { changes } = this.sql.setProblemOfGroup.run(this.problemOf(rollout, batch), groupId, groupId);
    if (changes === 0) return entry;
    return { groupId, nextOrdinal, promptHash, promptSegments: segmentsOf(problem) };
  }

  /** The group key of the log, unless the user has set a rule for the run. */
  private keyOf(run: RunEntry, step: number, rollout: PackedRollout, batch: PackedBatch): GroupKey {
    switch (run.groupRule?.rule) {
      case 'prompt':
        return promptGroupKey(problemIn(batch, rollout));
      case 'order': {
        const place = `${run.runId} ${step}`;
        const seen = this.seen.get(place) ?? this.sql.countRolloutsOfStep.get(run.runId, step) ?? 0;
        this.seen.set(place, seen + 1);
        return orderGroupKey(seen, run.groupRule.size);
      }
      default:
        return { key: rollout.groupKey, rule: rollout.groupRule };
    }
  }

  private found(groupId: number): GroupEntry {
    const prompt = this.sql.promptOfGroup.get(groupId);
    if (prompt === undefined) throw new Error(`group ${groupId} has no prompt`);
    return {
      groupId,
      nextOrdinal: this.sql.nextOrdinal.get(groupId) ?? 0,
      promptSegments: prompt.segments,
      promptHash: prompt.promptHash,
    };
  }

  private add(
    run: RunEntry,
    step: number,
    group: GroupKey,
    rollout: PackedRollout,
    batch: PackedBatch,
  ): GroupEntry {
    const problem = problemIn(batch, rollout);
    const problemNo = this.problemOf(rollout, batch);
    const groupId = this.nextGroup++;
    this.sql.rows.groups.add(groupId, run.runId, step, group.key, problemNo, group.rule, rollout.pool);
    return {
      groupId,
      nextOrdinal: 0,
      promptSegments: segmentsOf(problem),
      promptHash: problem.promptHash,
    };
  }

  /** The rollout's own problem, independent of its group. Added if it is new. */
  problemOf(rollout: PackedRollout, batch: PackedBatch): number {
    const problem = problemIn(batch, rollout);
    const known = this.problems[rollout.problem];
    if (known !== undefined) return known;
    const { problemId, idSource, groundTruth, source, userScenario } = problem;
    const { promptId, isNew } = this.promptOf(problem, batch);
    const key = JSON.stringify([promptId, problemId, groundTruth, source, userScenario]);
    let problemNo =
      this.problemNos.get(key) ??
      (isNew ? undefined : this.sql.problemById.get(promptId, problemId, groundTruth, source, userScenario));
    if (problemNo === undefined) {
      problemNo = this.nextProblem++;
      const row = [problemNo, problemId, idSource, promptId, groundTruth, source, userScenario];
      this.sql.rows.problems.add(...row);
    }
    this.problemNos.set(key, problemNo);
    this.problems[rollout.problem] = problemNo;
    return problemNo;
  }

  /** `isNew`: added in this transaction, so no stored problem has it. */
  private promptOf(problem: PackedProblem, batch: PackedBatch): { promptId: number; isNew: boolean } {
    const { promptHash, preview, questionHash, text } = problem;
    const known = this.prompts.get(promptHash);
    if (known !== undefined) return known;
    const stored = this.sql.promptByHash.get(promptHash, promptHash);
    const prompt = { promptId: stored ?? this.nextPrompt++, isNew: stored === undefined };
    this.prompts.set(promptHash, prompt);
    if (stored !== undefined) return prompt;
    const { promptId } = prompt;
    const count = segmentsOf(problem);
    const blockId = this.blockOf(text.block, batch);
    this.sql.rows.prompts.add(
      ...[promptId, promptHash, questionHash, blockId, text.start, text.end, count, preview],
    );
    for (let i = 0; i < count; i++) {
      const [kind, , ...ranges] = numbersAt(batch.segments, (problem.segmentsFrom + i) * SEGMENT_STRIDE);
      this.sql.rows.promptSegments.add(promptId, i, kind, ...ranges);
    }
    return prompt;
  }

  /** Adds a block when its first new prompt is added. */
  private blockOf(index: number, batch: PackedBatch): number {
    const known = this.promptBlocks.get(index);
    if (known !== undefined) return known;
    const span = batch.promptBlocks[index];
    if (span === undefined) throw new Error(`the batch has no block of prompts ${index}`);
    const blockId = Number(this.sql.addPromptBlock.run(span.codec, bytesOf(batch, span)).lastInsertRowid);
    this.promptBlocks.set(index, blockId);
    return blockId;
  }
}

const segmentsOf = ({ segmentsFrom, segmentsTo }: PackedProblem): number => segmentsTo - segmentsFrom;

function problemIn(batch: PackedBatch, rollout: PackedRollout): PackedProblem {
  const problem = batch.problems[rollout.problem];
  if (problem === undefined) throw new Error(`the batch has no problem ${rollout.problem}`);
  return problem;
}

export interface GroupKey {
  readonly key: string;
  readonly rule: GroupRule;
}

export const NO_PROMPT = contentHash('');

/** The place of a step in a message. Empty for a log without steps. */
export const atStep = (step: number | null): string => (step === null ? '' : ` at step ${step}`);

/**
 * The issue of a rollout whose prompt differs from its group's. The group keeps its first prompt.
 * @param groupHash hash of the group's prompt
 */
export function promptMismatch(
  groupHash: string,
  promptHash: string | undefined,
  groupKey: string,
  step: number | null,
): LineIssue | undefined {
  if (promptHash === groupHash || promptHash === NO_PROMPT) return undefined;
  const message = `the prompt differs from the first rollout's of group ${groupKey}${atStep(step)}; the group shows the first prompt`;
  return { severity: 'warning', code: 'prompt_differs', message };
}

/** Unknown prompts are not equal, so without a prompt the problem is the group. */
export function promptGroupKey({
  promptHash,
  problemId,
}: Pick<PackedProblem, 'promptHash' | 'problemId'>): GroupKey {
  return { key: `prompt-${promptHash === NO_PROMPT ? problemId : promptHash.slice(0, 12)}`, rule: 'prompt' };
}

/** @param seen number of earlier rollouts of the step */
export const orderGroupKey = (seen: number, size: number): GroupKey => ({
  key: `order-${Math.floor(seen / size)}`,
  rule: 'order',
});
