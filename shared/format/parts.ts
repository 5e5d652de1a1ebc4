/**
 * Joins the parts of a rollout that its log keeps in neighbouring records (`ParsedRollout.partOf`). verl's agent
 * loops split an episode into several outputs, each with a prompt of its own, when its context is compressed.
 */
import type { Segment, ToolCall, Turn } from '../domain/model.ts';
import type { ParsedRollout, ParsedTokens } from './format.ts';
import type { LoggedRequest } from './loggedContext.ts';
import { textLength } from './textLength.ts';

/** Longest joint response with the prompts and extra fields of all parts, in UTF-16 units. Later parts become rollouts of their own. */
const LONGEST = 64 << 20;
const SEPARATOR = '\n';

/** Neighbouring parts of one rollout, in the order of their records. */
export class Parts {
  private readonly parts: ParsedRollout[];
  private length: number;

  constructor(first: ParsedRollout) {
    this.parts = [first];
    this.length = lengthOf(first);
  }

  continuesWith(part: ParsedRollout): boolean {
    const { partOf, kind, step } = part;
    const last = this.parts.at(-1);
    return (
      partOf !== undefined &&
      partOf.key === last?.partOf?.key &&
      partOf.number > last.partOf.number &&
      kind === last.kind &&
      step === last.step &&
      this.length + lengthOf(part) <= LONGEST
    );
  }

  add(part: ParsedRollout): void {
    this.parts.push(part);
    this.length += lengthOf(part);
  }

  /**
   * One rollout with the problem of the first part, all responses and tokens, the ending of the last response,
   * and the reward of the last part. The prompts and extra fields of later parts are in `extra.parts`.
   */
  join(): ParsedRollout | undefined {
    const [first, ...later] = this.parts;
    const last = later.at(-1);
    if (first === undefined || last === undefined) return first;
    const ending = later.findLast(({ response }) => response !== '') ?? first;
    return {
      ...first,
      ...joinTexts(this.parts),
      tokens: joinTokens(this.parts),
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

const lengthOf = ({ response, problem, extra }: ParsedRollout): number =>
  response.length + problem.prompt.length + textLength(extra);

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

/** The arrays that all parts have, one after another. Of the rest, part of the tokens would be unknown. */
function joinTokens(parts: readonly ParsedRollout[]): ParsedTokens | undefined {
  const withText = parts.filter(({ response }) => response !== '');
  const all = withText.flatMap(({ tokens }) => (tokens === undefined ? [] : [tokens]));
  const [first] = all;
  if (first === undefined || all.length < withText.length) return undefined;
  const count = all.reduce((sum, tokens) => sum + tokens.count, 0);
  const joined = <A extends Uint8Array | Int32Array | Uint32Array | Float32Array>(
    into: A,
    columnOf: (tokens: ParsedTokens) => ArrayLike<number> | undefined,
  ): A | undefined => {
    let at = 0;
    for (const tokens of all) {
      const column = columnOf(tokens);
      if (column === undefined) return undefined;
      into.set(column, at);
      at += column.length;
    }
    return into;
  };
  let start = 0;
  const shifted = withText.map(({ response, tokens }) => {
    const ends = tokens?.ends?.map((end) => end + start);
    start += response.length + SEPARATOR.length;
    return ends;
  });
  return {
    count,
    ends: joined(new Uint32Array(count), (tokens) => shifted[all.indexOf(tokens)]),
    ids: joined(new Int32Array(count), ({ ids }) => ids),
    mask: joined(new Uint8Array(count), ({ mask }) => mask),
    entropy: joined(new Float32Array(count), ({ entropy }) => entropy),
    logprob: joined(new Float32Array(count), ({ logprob }) => logprob),
    trainerLogprob: joined(new Float32Array(count), ({ trainerLogprob }) => trainerLogprob),
    advantage: joined(new Float32Array(count), ({ advantage }) => advantage),
    ...(first.entropyOf === undefined ? {} : { entropyOf: first.entropyOf }),
  };
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
