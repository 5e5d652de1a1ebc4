/**
 * Joins the parts of a rollout that its log keeps in neighbouring records (`ParsedRollout.partOf`). verl's agent
 * loops split an episode into several outputs, each with a prompt of its own, when its context is compressed.
 */
import type { Segment, ToolCall, Turn } from '../domain/model.ts';
import type { ParsedRollout } from './format.ts';
import type { LoggedRequest } from './loggedContext.ts';

/** Longest joint response, in UTF-16 units. Later parts become rollouts of their own. */
const LONGEST = 64 << 20;
const SEPARATOR = '\n';

/** Neighbouring parts of one rollout, in the order of their records. */
export class Parts {
  private readonly parts: ParsedRollout[];
  private length: number;

  constructor(first: ParsedRollout) {
    this.parts = [first];
    this.length = first.response.length;
  }

  continuesWith({ partOf, response, kind, step }: ParsedRollout): boolean {
    const last = this.parts.at(-1);
    return (
      partOf !== undefined &&
      partOf.key === last?.partOf?.key &&
      partOf.number > last.partOf.number &&
      kind === last.kind &&
      step === last.step &&
      this.length + response.length <= LONGEST
    );
  }

  add(part: ParsedRollout): void {
    this.parts.push(part);
    this.length += part.response.length;
  }

  /**
   * One rollout with the problem of the first part, all responses, the ending of the last response, and the
   * reward of the last part. The prompts and extra fields of later parts are in `extra.parts`.
   */
  join(): ParsedRollout | undefined {
    const [first, ...later] = this.parts;
    const last = later.at(-1);
    if (first === undefined || last === undefined) return first;
    const ending = later.findLast(({ response }) => response !== '') ?? first;
    return {
      ...first,
      ...joinTexts(this.parts),
      ...contextOf(this.parts),
      reward: last.reward ?? first.reward,
      isCorrect: last.isCorrect ?? first.isCorrect,
      answer: ending.answer,
      answerSource: ending.answerSource,
      stopReason: ending.stopReason,
      stopReasonSource: ending.stopReasonSource,
      stopReasonLogged: ending.stopReasonLogged,
      extra: {
        ...first.extra,
        parts: later.map(({ problem, extra }) => ({ prompt: problem.prompt, ...extra })),
      },
    };
  }
}

/** Each later part begins with a prompt that replaced the history. */
function contextOf(parts: readonly ParsedRollout[]): Pick<ParsedRollout, 'context'> {
  const requests = parts.flatMap(({ turns, response }, i): (LoggedRequest | null)[] =>
    response === ''
      ? []
      : turns.map((_, turn) =>
          i === 0 || turn > 0
            ? null
            : { field: 'prompt', compactedBy: `parts[${i - 1}].prompt`, part: i - 1 },
        ),
  );
  return requests.every((request) => request === null) ? {} : { context: { requests } };
}

function joinTexts(
  parts: readonly ParsedRollout[],
): Pick<ParsedRollout, 'response' | 'segments' | 'toolCalls' | 'turns'> {
  const texts: string[] = [];
  const segments: Segment[] = [];
  const toolCalls: ToolCall[] = [];
  const turns: Turn[] = [];
  let end = 0;
  for (const part of parts) {
    if (part.response === '') continue;
    const start = end === 0 ? 0 : end + SEPARATOR.length;
    const [firstSegment, firstTurn] = [segments.length, turns.length];
    part.segments.forEach(({ kind, turn, outer, inner }, i) => {
      segments.push({
        kind,
        turn: turn + firstTurn,
        // Outer ranges tile the text, so the first one covers the separator.
        outer: { start: i === 0 ? end : outer.start + start, end: outer.end + start },
        inner: { start: inner.start + start, end: inner.end + start },
      });
    });
    for (const call of part.toolCalls) {
      const { callSegment, responseSegment, turn } = call;
      toolCalls.push({
        ...call,
        turn: turn + firstTurn,
        callSegment: callSegment + firstSegment,
        ...(responseSegment === undefined ? {} : { responseSegment: responseSegment + firstSegment }),
      });
    }
    for (const turn of part.turns) turns.push({ ...turn, turn: turn.turn + firstTurn });
    texts.push(part.response);
    end = start + part.response.length;
  }
  return { response: texts.join(SEPARATOR), segments, toolCalls, turns };
}
