/** Prompt groups with their problem and prompt: found, or added when first met. */
import { bytesOf, numbersAt, type PackedBatch, type PackedRollout, SEGMENT_STRIDE } from './batch.ts';
import type { IngestStatements } from './ingestWrites.ts';
import type { RunEntry } from './runRegistry.ts';

export interface GroupEntry {
  readonly groupId: number;
  /** Looked up once, then counted. */
  nextOrdinal: number;
  /** Segments of the response are numbered after those of the prompt. */
  readonly promptSegments: number;
  readonly promptHash: string;
}

export class GroupRegistry {
  private readonly sql: IngestStatements;
  private readonly entries = new Map<string, GroupEntry>();

  constructor(sql: IngestStatements) {
    this.sql = sql;
  }

  /** What is remembered holds for one transaction: between two, another process may have added to a group. */
  begin(): void {
    this.entries.clear();
  }

  of(run: RunEntry, rollout: PackedRollout, batch: PackedBatch): GroupEntry {
    const key = `${run.runId} ${rollout.step} ${rollout.groupKey}`;
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const row = this.sql.groupByKey.get(run.runId, rollout.step, rollout.groupKey) as
      | { group_id: number }
      | undefined;
    const entry = row === undefined ? this.add(run, rollout, batch) : this.found(row.group_id);
    this.entries.set(key, entry);
    return entry;
  }

  private found(groupId: number): GroupEntry {
    const prompt = this.sql.promptOfGroup.get(groupId) as { segments: number; prompt_hash: string };
    return {
      groupId,
      nextOrdinal: Number(this.sql.nextOrdinal.get(groupId)),
      promptSegments: prompt.segments,
      promptHash: prompt.prompt_hash,
    };
  }

  private add(run: RunEntry, rollout: PackedRollout, batch: PackedBatch): GroupEntry {
    const problem = batch.problems[rollout.problem];
    if (problem === undefined) throw new Error(`the batch has no problem ${rollout.problem}`);
    const promptId = this.promptOf(problem, batch);
    const known = this.sql.problemById.get(problem.problemId, promptId, problem.groundTruth);
    const problemNo =
      known ??
      this.sql.addProblem.run(problem.problemId, promptId, problem.groundTruth, problem.source)
        .lastInsertRowid;
    const added = this.sql.addGroup.run(run.runId, rollout.step, rollout.groupKey, Number(problemNo));
    return {
      groupId: Number(added.lastInsertRowid),
      nextOrdinal: 0,
      promptSegments: problem.segments.length / SEGMENT_STRIDE,
      promptHash: problem.promptHash,
    };
  }

  private promptOf(problem: PackedBatch['problems'][number], batch: PackedBatch): number {
    const known = this.sql.promptByHash.get(problem.promptHash) as { prompt_id: number } | undefined;
    if (known !== undefined) return known.prompt_id;
    const count = problem.segments.length / SEGMENT_STRIDE;
    const { codec } = problem.text;
    const bytes = bytesOf(batch, problem.text);
    const added = this.sql.addPrompt.run(problem.promptHash, codec, bytes, count, problem.preview);
    const promptId = Number(added.lastInsertRowid);
    for (let i = 0; i < count; i++) {
      const [kind, , ...ranges] = numbersAt(problem.segments, i * SEGMENT_STRIDE);
      this.sql.addPromptSegment.run(promptId, i, kind, ...ranges);
    }
    return promptId;
  }
}
