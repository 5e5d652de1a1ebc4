/** Finds or adds prompt groups with their problem and prompt. */
import type { GroupRule } from '../../shared/format/format.ts';
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
  /** Read once from the library, then counted. */
  nextOrdinal: number;
  /** Segments of the response are numbered after those of the prompt. */
  readonly promptSegments: number;
  readonly promptHash: string;
}

export class GroupRegistry {
  private readonly sql: IngestStatements;
  private readonly entries = new Map<string, GroupEntry>();
  /** Rollouts of each step until now, for runs whose groups follow from order. */
  private readonly seen = new Map<string, number>();

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  /** Clears the caches at the start of a transaction: another process may have extended a group. */
  begin(): void {
    this.entries.clear();
    this.seen.clear();
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
   * A group that begins with a rollout of unknown prompt (it failed before it started) takes the first known
   * one, unless a response has been numbered without it.
   */
  private withPrompt(entry: GroupEntry, rollout: PackedRollout, batch: PackedBatch): GroupEntry {
    const { promptHash, segments } = problemIn(batch, rollout);
    if (entry.promptHash !== NO_PROMPT || promptHash === NO_PROMPT) return entry;
    const { groupId, nextOrdinal } = entry;
    const { changes } = this.sql.setProblemOfGroup.run(this.problemOf(rollout, batch), groupId, groupId);
    if (changes === 0) return entry;
    return { groupId, nextOrdinal, promptHash, promptSegments: segments.length / SEGMENT_STRIDE };
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
    const added = this.sql.addGroup.run(run.runId, step, group.key, problemNo, group.rule);
    return {
      groupId: Number(added.lastInsertRowid),
      nextOrdinal: 0,
      promptSegments: problem.segments.length / SEGMENT_STRIDE,
      promptHash: problem.promptHash,
    };
  }

  /** The rollout's own problem, independent of its group. Added when first met. */
  problemOf(rollout: PackedRollout, batch: PackedBatch): number {
    const problem = problemIn(batch, rollout);
    const promptId = this.promptOf(problem, batch);
    const { problemId, idSource, groundTruth, source, userScenario } = problem;
    const known = this.sql.problemById.get(problemId, promptId, groundTruth, userScenario);
    if (known !== undefined) return known;
    const added = this.sql.addProblem.run(problemId, idSource, promptId, groundTruth, source, userScenario);
    return Number(added.lastInsertRowid);
  }

  private promptOf(problem: PackedBatch['problems'][number], batch: PackedBatch): number {
    const known = this.sql.promptByHash.get(problem.promptHash);
    if (known !== undefined) return known;
    const count = problem.segments.length / SEGMENT_STRIDE;
    const { codec } = problem.text;
    const bytes = bytesOf(batch, problem.text);
    const { promptHash, preview, questionHash } = problem;
    const added = this.sql.addPrompt.run(promptHash, codec, bytes, count, preview, questionHash);
    const promptId = Number(added.lastInsertRowid);
    for (let i = 0; i < count; i++) {
      const [kind, , ...ranges] = numbersAt(problem.segments, i * SEGMENT_STRIDE);
      this.sql.addPromptSegment.run(promptId, i, kind, ...ranges);
    }
    return promptId;
  }
}

function problemIn(batch: PackedBatch, rollout: PackedRollout): PackedBatch['problems'][number] {
  const problem = batch.problems[rollout.problem];
  if (problem === undefined) throw new Error(`the batch has no problem ${rollout.problem}`);
  return problem;
}

export interface GroupKey {
  readonly key: string;
  readonly rule: GroupRule;
}

export const NO_PROMPT = contentHash('');

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
