import { TOOL_OUTCOMES, type ToolCall } from '../domain/model.ts';
import { idOf, indexOf, isObject, numberOf, stringOf } from './fields.ts';
import { durationOf } from './timing.ts';

/**
 * Adds logged facts of tool calls (outcome, latency, wait, worker, start) to the calls found in the text.
 * Calls are matched by id, else the k-th logged call of a turn to the k-th call in the text.
 */
export function withLoggedCalls(calls: readonly ToolCall[], logged: unknown): readonly ToolCall[] {
  if (!Array.isArray(logged) || logged.length === 0) return calls;
  const result = [...calls];
  const taken = new Set<number>();
  for (const entry of logged) {
    if (!isObject(entry)) continue;
    const turn = indexOf(entry['turn']);
    const id = stringOf(entry['call_id']);
    const byId = id === undefined ? -1 : result.findIndex((call) => call.callId === id);
    const index =
      byId >= 0
        ? byId
        : result.findIndex((call, i) => !taken.has(i) && (turn === undefined || call.turn === turn));
    const call = result[index];
    if (call === undefined) continue;
    taken.add(index);
    const outcome = TOOL_OUTCOMES.find((known) => known === entry['outcome']);
    const latencyMs = durationOf(entry['latency_ms']);
    const queueMs = durationOf(entry['queue_ms']);
    const worker = idOf(entry['worker']);
    const startedAt = numberOf(entry['start']);
    result[index] = {
      ...call,
      name: call.name ?? stringOf(entry['name']),
      outcome: outcome ?? call.outcome,
      latencyMs: latencyMs ?? call.latencyMs,
      ...(latencyMs === undefined ? {} : { latencySource: 'logged' }),
      ...(queueMs === undefined ? {} : { queueMs }),
      ...(worker === undefined ? {} : { worker }),
      ...(startedAt === undefined ? {} : { startedAt }),
    };
  }
  return result;
}
