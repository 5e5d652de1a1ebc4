/** A comparison as the view's model, of rollouts given as in `drawAlignment.ts`. */
import { type Compared, type Lane, laneOf } from '../../renderer/views/compare/lanes/laneModel.ts';
import type { ComparedLane, RolloutDetail } from '../../shared/api/contract.ts';
import { alignLanes } from '../../shared/domain/alignLanes.ts';
import { drawRollout } from './drawAlignment.ts';

function drawLane(drawing: string, index: number): Lane {
  const { response, segments, toolCalls } = drawRollout(drawing);
  const place = { view: 'rollout', runKey: 'run', step: 1, groupKey: 'g', ordinal: index } as const;
  const row = {
    rolloutId: index + 1,
    groupId: 1,
    groupKey: 'g',
    problemId: 'p',
    step: 1,
    ordinal: index,
    turns: 1,
    toolCalls: toolCalls.length,
    toolErrors: 0,
    responseChars: response.length,
    path: 'log.jsonl',
    line: index + 1,
  };
  const detail: RolloutDetail = {
    row,
    run: { runId: 1, runKey: 'run', name: 'run', kind: 'train', hasSteps: true },
    group: {
      groupId: 1,
      groupKey: 'g',
      groupRule: 'logged',
      problemId: 'p',
      step: 1,
      rollouts: 2,
      correct: 0,
      correctKnown: 0,
      decided: 0,
      kept: 0,
      toolCalls: 0,
      toolErrors: 0,
      meanTurns: 1,
      meanResponseChars: 1,
      promptPreview: '',
    },
    prompt: 'What?',
    response,
    segments,
    turns: [],
    toolCalls,
    limits: [],
    flags: [],
    extra: {},
    record: { fileId: 1, unit: 'line', byteOffset: 0, byteLength: 1 },
  };
  return laneOf(index, `/run/run/step/1/group/g/rollout/${index}`, place, detail);
}

export function drawCompared(drawings: readonly string[], base = 0): Compared {
  const lanes = drawings.map(drawLane);
  const { rows, pairs } = alignLanes(
    lanes.map(({ detail }) => detail),
    base,
  );
  return {
    lanes,
    base,
    key: 'drawn',
    comparison: {
      rows: rows.map((row) => ({
        ...row,
        turns: row.turns.map((turn) => turn ?? null),
        blocks: row.blocks.map((block) => ({
          segments: block.segments.map((segment) => segment ?? null),
          relations: block.relations.map((relation) => relation ?? null),
          edits: block.edits.map((edits) => edits ?? null),
        })),
      })),
      lanes: pairs.map((pair): ComparedLane | null => {
        if (pair === undefined) return null;
        const { prefix, cost, divergence } = pair;
        return {
          prefix,
          cost,
          ...(divergence === undefined ? {} : { fork: { baseline: divergence.a, lane: divergence.b } }),
        };
      }),
    },
  };
}
