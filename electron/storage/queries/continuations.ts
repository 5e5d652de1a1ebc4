/** Stored continuations of rollouts, by position. */
import type { StoredContinuations } from '../../../shared/api/contract.ts';
import { continuationOrigin } from '../../../shared/api/samplingMethods.ts';
import { TOOL_OUTCOMES, type ToolOutcome } from '../../../shared/domain/model.ts';
import { originKey } from '../../../shared/domain/origin.ts';
import {
  endOfTurn,
  type PositionSamples,
  policyKey,
  turnEndedAt,
} from '../../../shared/domain/valueByTurn.ts';
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, oneOf, optional, query, text } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';
import { objectOf } from './runs.ts';

const ORIGINALS = `
  SELECT r.rollout_id AS rolloutId, n.run_key AS runKey, r.step, g.group_key AS groupKey, r.ordinal,
    r.is_correct AS isCorrect, (SELECT max(turn) FROM segment_row s WHERE s.rollout_id = r.rollout_id) AS lastTurn
  FROM json_each(?) ids
  JOIN rollout_row r ON r.rollout_id = ids.value
  JOIN run_row n ON n.run_id = r.run_id
  JOIN group_row g ON g.group_id = r.group_id
  ORDER BY ids.key`;

const LAST_CALLS = `
  SELECT turn, outcome, max(ordinal) AS ordinal FROM tool_call_row WHERE rollout_id = ? GROUP BY turn ORDER BY turn`;

/** The correctness is that of the record. Without one, a correctness derived from the answer would be another grade. */
export const CONTINUATIONS = `
  SELECT group_id AS groupId, ordinal, logged_correct AS isCorrect, stop_reason AS stopReason,
    block_id AS blockId, text_end AS start, extra_end AS end
  FROM rollout_row WHERE origin = ? ORDER BY group_id, ordinal`;

interface Original {
  readonly rolloutId: number;
  readonly runKey: string;
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
  readonly isCorrect: boolean | undefined;
  readonly lastTurn: number | undefined;
}

export function storedContinuations(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): readonly StoredContinuations[] {
  const originals = query<Original>(db, ORIGINALS, {
    rolloutId: number,
    runKey: text,
    step: number,
    groupKey: text,
    ordinal: number,
    isCorrect: optional(boolean),
    lastTurn: optional(number),
  }).all(JSON.stringify(rolloutIds));
  const calls = query<{ turn: number; outcome: ToolOutcome; ordinal: number }>(db, LAST_CALLS, {
    turn: number,
    outcome: oneOf(TOOL_OUTCOMES),
    ordinal: number,
  });
  return originals.map(({ rolloutId, isCorrect, lastTurn, ...address }) => ({
    rolloutId,
    lastTurn: lastTurn ?? 0,
    ...(isCorrect === undefined ? {} : { isCorrect }),
    calls: calls.all(rolloutId).map(({ turn, outcome }) => ({ turn, outcome })),
    positions: positionsOf(db, originKey(address)),
  }));
}

/**
 * Continuations with one seed are one: the endpoint may have sampled the same. So the start of a turn and the end of the
 * one before it are one position.
 */
function positionsOf(db: ReadableLibrary, origin: string): readonly PositionSamples[] {
  const rows = query(db, CONTINUATIONS, {
    groupId: number,
    ordinal: number,
    isCorrect: optional(boolean),
    stopReason: optional(text),
    blockId: number,
    start: number,
    end: number,
  }).all(origin);
  const texts = new StoredTexts(db);
  const found = new Map<string, PositionSamples>();
  // All continuations of a group have one request.
  for (const those of Map.groupBy(rows, ({ groupId }) => groupId).values()) {
    const [first] = those;
    if (first === undefined) continue;
    const extra = texts.text(first);
    const asked = continuationOrigin.safeParse(objectOf(extra === '' ? null : extra)['origin']);
    if (!asked.success) continue;
    const { edit, model, pattern } = asked.data;
    const { n: _, seed, ...how } = asked.data.settings;
    const policy = { model, ...how, ...(pattern === undefined ? {} : { pattern }) };
    const turn = turnEndedAt(asked.data.position);
    const position = turn === undefined ? asked.data.position : endOfTurn(turn);
    const key = JSON.stringify([position, edit, policyKey(policy)]);
    const before = found.get(key) ?? { position, edit, policy, seeds: [], graded: 0, correct: 0, cut: 0 };
    const seeds = new Set(before.seeds);
    const more = those.filter(({ ordinal }) => !seeds.has(seed + ordinal));
    found.set(key, {
      ...before,
      seeds: [...before.seeds, ...more.map(({ ordinal }) => seed + ordinal)],
      graded: before.graded + more.filter(({ isCorrect }) => isCorrect !== undefined).length,
      correct: before.correct + more.filter(({ isCorrect }) => isCorrect === true).length,
      cut: before.cut + more.filter(({ stopReason }) => stopReason === 'length').length,
    });
  }
  return [...found.values()];
}
