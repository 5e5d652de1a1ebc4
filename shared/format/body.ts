/**
 * The part of a rollout that every format builds the same way: problem, response with segments, calls and
 * turns, answer, stop reason. Built from a list of messages or from two texts.
 */
import { extractAnswer } from '../domain/answer.ts';
import type { Segment, TurnNumber } from '../domain/model.ts';
import { readPrompt } from '../domain/prompt.ts';
import { segmentResponse } from '../domain/segment.ts';
import { summariseTurns } from '../domain/turns.ts';
import type { JsonObject } from './fields.ts';
import type { ParsedProblem, ParsedRollout } from './format.ts';
import { leadingMessages, type MessageResponse, promptOfMessages, responseOfMessages } from './messages.ts';
import { type Stop, stopWithEnding } from './stop.ts';

export type RolloutBody = Pick<
  ParsedRollout,
  | 'problem'
  | 'response'
  | 'segments'
  | 'toolCalls'
  | 'turns'
  | 'answer'
  | 'answerSource'
  | 'stopReason'
  | 'stopReasonSource'
  | 'stopReasonLogged'
  | 'context'
>;

/** Logged facts about problem and ending; all may be unknown. */
export interface KnownFacts {
  readonly problemId?: string;
  readonly groundTruth?: string;
  readonly source?: string;
  readonly userScenario?: string;
  /** As extracted by the producer of the log. */
  readonly answer?: string;
  readonly stop?: Stop;
  /** The policy was not asked to mark its answer, so a missing one does not show how it ended. */
  readonly isUnmarked?: true;
}

/**
 * @param messages prompt and response in one list: the prompt ends before the first assistant message
 * @param prompt messages of the prompt, if the log keeps them apart (a few-shot prompt has assistant
 *   messages, too)
 */
export function bodyOfMessages(
  messages: readonly JsonObject[],
  facts: KnownFacts = {},
  prompt?: readonly JsonObject[],
): RolloutBody {
  const leading = prompt ?? leadingMessages(messages);
  const asked = promptOfMessages(leading);
  const parts = responseOfMessages(prompt === undefined ? messages.slice(leading.length) : messages);
  return bodyOf(problemOf(asked.text, asked.segments, facts), parts, facts);
}

/** @param prompt as rendered by a chat template, or plain */
export function bodyOfText(prompt: string, response: string, facts: KnownFacts = {}): RolloutBody {
  const reading = readPrompt(prompt);
  const problem = problemOf(prompt, reading.segments, facts);
  return bodyOf(problem, { ...segmentResponse(response, reading), text: response }, facts);
}

/** A prompt of messages with a response as sampled text, which is parsed for tags and tool responses. */
export function bodyOfAnswer(
  prompt: readonly JsonObject[],
  response: string,
  facts: KnownFacts = {},
): RolloutBody {
  const asked = promptOfMessages(prompt);
  const parts = { ...segmentResponse(response, { startsInReasoning: false }), text: response };
  return bodyOf(problemOf(asked.text, asked.segments, facts), parts, facts);
}

interface ResponseParts {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: RolloutBody['toolCalls'];
  readonly turns: TurnNumber;
  readonly redacted?: MessageResponse['redacted'];
}

/** For formats that build segments themselves. */
export function bodyOf(problem: ParsedProblem, parts: ResponseParts, facts: KnownFacts): RolloutBody {
  const answer = facts.answer ?? extractAnswer(parts.text, parts.segments);
  return {
    problem,
    response: parts.text,
    segments: parts.segments,
    toolCalls: parts.toolCalls,
    turns: parts.text === '' ? [] : summariseTurns(parts.turns, parts.segments, parts.toolCalls),
    ...(parts.redacted === undefined ? {} : { context: { redacted: parts.redacted } }),
    answer,
    answerSource: answer === undefined ? undefined : facts.answer === undefined ? 'derived' : 'logged',
    ...stopWithEnding(facts.stop, {
      ...{ response: parts.text, segments: parts.segments, toolCalls: parts.toolCalls, answer },
      isAnswerLogged: facts.answer !== undefined,
      isUnmarked: facts.isUnmarked === true,
    }),
  };
}

export function problemOf(prompt: string, segments: readonly Segment[], facts: KnownFacts): ParsedProblem {
  const { problemId, groundTruth, source, userScenario } = facts;
  return { problemId, prompt, promptSegments: segments, groundTruth, source, userScenario };
}
