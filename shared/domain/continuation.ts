/**
 * The request that continues a rollout from a position: the raw text up to there where the log has it as the policy
 * saw it, else the messages. Rules: shared/domain/DOMAIN.md#continuations.
 */
import type { Segment, SegmentKind, TurnNumber, Utf16Offset } from './model.ts';
import { readPrompt } from './prompt.ts';
import { segmentResponse } from './segment.ts';
import { readTranscript } from './transcript.ts';

/** `end` of a turn is after the outputs of its tool calls. `character` and `token` count in the response, from 0. */
export type ContinuationPosition =
  | { readonly kind: 'turn'; readonly turn: TurnNumber; readonly at: 'start' | 'end' }
  | { readonly kind: 'character'; readonly at: Utf16Offset }
  | { readonly kind: 'token'; readonly token: number };

export interface ContinuedRollout {
  readonly prompt: string;
  readonly response: string;
  /** Those of the prompt and of the response. */
  readonly segments: readonly Segment[];
  /** End of each token in the response. Absent: the log has no tokens, or they are not aligned. */
  readonly tokenEnds?: ArrayLike<number> | undefined;
}

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export type ContinuationRequest =
  | { readonly form: 'text'; readonly prompt: string }
  | {
      readonly form: 'messages';
      readonly messages: readonly ChatMessage[];
      /** The last message is unfinished. False: a new one begins. */
      readonly continuesLast: boolean;
    };

/** How the environment's text is written around the outputs of tools. */
interface ToolOutputForm {
  readonly open: string;
  readonly between: string;
  /** Up to the first character of the next turn. */
  readonly close: string;
}

export interface ContinuationStart {
  readonly prompt: string;
  readonly promptSegments: readonly Segment[];
  readonly startsInReasoning: boolean;
  /** True: prompt and response are what the policy saw and wrote. */
  readonly isRaw: boolean;
  /** Up to the position, with the edit, in a form that `segmentResponse` reads. */
  readonly response: string;
  /** Where the edit begins in `response`. */
  readonly editStart: Utf16Offset;
  /** Position in the response of the log. */
  readonly at: Utf16Offset;
  /** Absent: unknown, so calls of tools are not answered. */
  readonly toolOutput?: ToolOutputForm;
  /** Sentences on what was inferred. */
  readonly notes: readonly string[];
}

const CHATML = '<|im_start|>';
/** Marks of other chat templates. Their tool outputs have forms that no reader of ours knows. */
const OTHER_TEMPLATE = /<\|start_header_id\|>|<start_of_turn>|<｜Assistant｜>|\[INST\]|<\|start\|>/;
/** The prompt ends where the policy begins to write, perhaps inside reasoning. */
const OPEN_ASSISTANT = /<\|im_start\|>assistant\n(?:<(?:reason|think)>\s*)?$/;
const ENDS_OF_MESSAGE = ['<|im_end|>', '<|endoftext|>'];

const BARE: ToolOutputForm = {
  open: '\nuser\n<tool_response>\n',
  between: '\n</tool_response>\n<tool_response>\n',
  close: '\n</tool_response>\nassistant\n',
};
const SPECIAL: ToolOutputForm = {
  open: '<|im_end|>\n<|im_start|>user\n<tool_response>\n',
  between: '\n</tool_response>\n<tool_response>\n',
  close: '\n</tool_response><|im_end|>\n<|im_start|>assistant\n',
};

const OTHER_FORM =
  'The log has calls or messages in a form of their own. They are sent as text, and calls are not answered.';

const isEnvironment = (kind: SegmentKind): boolean =>
  kind === 'tool-response' || kind === 'user' || kind === 'system';

/** @returns a sentence if the rollout cannot be continued from there */
export function continuationFrom(
  rollout: ContinuedRollout,
  position: ContinuationPosition,
  edit = '',
): ContinuationStart | string {
  const segments = rollout.segments.filter(({ turn }) => turn > 0);
  const at = offsetOf(rollout, segments, position);
  if (typeof at === 'string') return at;
  const inside = segments.find(
    ({ kind, outer }) => isEnvironment(kind) && outer.start < at && at < outer.end,
  );
  if (inside !== undefined)
    return 'This position is in a text of the environment. Choose one in a text of the policy.';
  const { prompt } = rollout;
  const { startsInReasoning, segments: read } = readPrompt(prompt);
  const logged = rollout.segments.filter(({ turn }) => turn === 0);
  const isPromptText = sameSegments(read, logged);
  const isReadable = sameSegments(
    segmentResponse(rollout.response, { startsInReasoning }).segments,
    segments,
  );
  const why = reasonAgainstRaw(rollout, segments, isPromptText && isReadable);
  const transcript = isReadable ? rollout.response : bareTranscript(rollout.response, segments);
  const before = isReadable
    ? rollout.response.slice(0, at)
    : bareTranscript(rollout.response, cutAt(segments, at));
  const isChatml = prompt.includes(CHATML);
  const form = isChatml && why === undefined ? SPECIAL : BARE;
  const start = withOpenTurn(before, form);
  const hasOtherTemplate = why === undefined && !isChatml;
  const hasOtherForm =
    !isReadable && !isReadAlike(before, startsInReasoning && isPromptText, cutAt(segments, at));
  return {
    prompt,
    promptSegments: logged,
    startsInReasoning: startsInReasoning && isPromptText,
    isRaw: why === undefined,
    response: start + edit,
    editStart: start.length,
    at,
    ...(hasOtherTemplate || hasOtherForm ? {} : { toolOutput: loggedForm(transcript) ?? form }),
    notes: [...notesOf(why, segments, hasOtherTemplate), ...(hasOtherForm ? [OTHER_FORM] : [])],
  };
}

/** @param response the start's, or what it has become since */
export function continuationRequest(
  start: ContinuationStart,
  response: string = start.response,
): ContinuationRequest {
  if (start.isRaw) return { form: 'text', prompt: start.prompt + response };
  const messages = promptMessages(start);
  const { segments } = segmentResponse(response, { startsInReasoning: start.startsInReasoning });
  const last = responseMessages(response, segments, messages);
  // A tag at the end of the prompt is the beginning of the first assistant message.
  const tag = start.startsInReasoning ? /<(?:reason|think)>\s*$/.exec(start.prompt)?.[0] : undefined;
  const first = messages.findIndex(({ role }, i) => i >= start.promptSegments.length && role === 'assistant');
  if (tag !== undefined && first >= 0)
    messages[first] = { role: 'assistant', content: tag + (messages[first]?.content ?? '') };
  const content = first < 0 && tag !== undefined ? tag + last : last;
  // An empty message has nothing to continue; templates fail on it.
  if (content === '') return { form: 'messages', messages, continuesLast: false };
  return {
    form: 'messages',
    messages: [...messages, { role: 'assistant', content }],
    continuesLast: true,
  };
}

/** The rest of the sentence at a position, up to `end`. For an edit that replaces it. */
export function restOfSentence(text: string, at: Utf16Offset, end: Utf16Offset = text.length): string {
  const rest = text.slice(at, end);
  const found = /\n|[.!?](?=\s)/.exec(rest.trimStart());
  if (found === null) return rest;
  const blanks = rest.length - rest.trimStart().length;
  return rest.slice(0, blanks + found.index + (found[0] === '\n' ? 0 : 1));
}

/** Sampled text without the mark that ends a message. Servers leave it out unless they keep special tokens. */
export function withoutEndOfMessage(sampled: string): string {
  const trimmed = sampled.trimEnd();
  const mark = ENDS_OF_MESSAGE.find((end) => trimmed.endsWith(end));
  return mark === undefined ? sampled : trimmed.slice(0, -mark.length).trimEnd();
}

function offsetOf(
  { response, tokenEnds }: ContinuedRollout,
  segments: readonly Segment[],
  position: ContinuationPosition,
): Utf16Offset | string {
  switch (position.kind) {
    case 'character':
      return position.at <= response.length ? position.at : 'The response ends before this position.';
    case 'token': {
      if (tokenEnds === undefined) return 'This log does not say where tokens are in the text.';
      if (position.token >= tokenEnds.length) return 'The response has fewer tokens.';
      return position.token === 0 ? 0 : (tokenEnds[position.token - 1] ?? 0);
    }
    case 'turn': {
      const those = segments.filter(({ turn }) => turn === position.turn);
      const at = position.at === 'start' ? those[0]?.outer.start : those.at(-1)?.outer.end;
      if (at === undefined) return `This rollout has no turn ${position.turn}.`;
      return at === response.length ? withoutEndOfMessage(response).length : at;
    }
  }
}

const sameSegments = (some: readonly Segment[], others: readonly Segment[]): boolean =>
  some.length === others.length &&
  some.every(({ kind, inner }, i) => {
    const other = others[i];
    return kind === other?.kind && inner.start === other.inner.start && inner.end === other.inner.end;
  });

/** Whether a transcript made of messages has the same segments. Empty ones are not written. */
function isReadAlike(text: string, startsInReasoning: boolean, segments: readonly Segment[]): boolean {
  const kinds = (all: readonly Segment[]): string =>
    all
      .filter(({ kind, inner }) => kind === 'tool-response' || inner.end > inner.start)
      .map(({ kind }) => kind)
      .join();
  return kinds(segmentResponse(text, { startsInReasoning }).segments) === kinds(segments);
}

/** @returns undefined if the log has the text that the policy saw */
function reasonAgainstRaw(
  { prompt, response }: ContinuedRollout,
  segments: readonly Segment[],
  isText: boolean,
): string | undefined {
  const hasEnvironment = segments.some(({ kind }) => isEnvironment(kind));
  const asMessages = 'so the messages are sent, and the chat template of the server renders them';
  if (!isText) return `The log has messages, no raw text, ${asMessages}.`;
  if (prompt.includes(CHATML)) {
    if (!OPEN_ASSISTANT.test(prompt))
      return `The prompt does not end where the policy begins to write, ${asMessages}.`;
    if (hasEnvironment && !response.includes('<|im_'))
      return `The log has the response without its special tokens, ${asMessages}.`;
    return undefined;
  }
  if (OTHER_TEMPLATE.test(prompt) && !hasEnvironment) return undefined;
  return `The prompt in the log has no chat template, ${asMessages}.`;
}

function notesOf(
  why: string | undefined,
  segments: readonly Segment[],
  hasOtherTemplate: boolean,
): readonly string[] {
  const notes = [
    why ?? 'The log has prompt and response as the policy saw them, so this text is sent as it is.',
  ];
  if (why !== undefined && segments.some(({ kind }) => kind === 'tool-response'))
    notes.push('Outputs of tools are sent as user messages in <tool_response> tags.');
  if (hasOtherTemplate)
    notes.push('Calls of tools are not answered, because the form of tool outputs is not known.');
  return notes;
}

/** The form of the first tool output that a next turn follows. */
function loggedForm(transcript: string): ToolOutputForm | undefined {
  const block = readTranscript(transcript).blocks.find(
    ({ parts, handsOver }) =>
      handsOver && parts.length > 0 && parts.every(({ kind }) => kind === 'tool-response'),
  );
  const [first, second] = block?.parts ?? [];
  const last = block?.parts.at(-1);
  if (block === undefined || first === undefined || last === undefined) return undefined;
  return {
    open: transcript.slice(block.start, first.inner.start),
    between: second === undefined ? BARE.between : transcript.slice(first.inner.end, second.inner.start),
    close: transcript.slice(last.inner.end, block.end),
  };
}

/** Opens the next turn after an output of the environment that ended the text. */
function withOpenTurn(text: string, form: ToolOutputForm): string {
  const last = readTranscript(text).blocks.at(-1);
  if (last === undefined || last.handsOver || last.end !== text.length) return text;
  const header = form.close.replace('\n</tool_response>', '');
  return withoutEndOfMessage(text) + header;
}

const cutAt = (segments: readonly Segment[], at: Utf16Offset): readonly Segment[] =>
  segments.flatMap((segment) => {
    const { outer, inner } = segment;
    if (outer.start >= at) return [];
    if (outer.end <= at) return [segment];
    return [
      {
        ...segment,
        outer: { start: outer.start, end: at },
        inner: { start: Math.min(inner.start, at), end: Math.min(inner.end, at) },
      },
    ];
  });

/** A response of messages as the text of a trainer that strips special tokens (shared/domain/transcript.ts). */
function bareTranscript(response: string, segments: readonly Segment[]): string {
  let text = '';
  let before: SegmentKind | undefined;
  for (const { kind, outer, inner } of segments) {
    const content = response.slice(inner.start, inner.end);
    const continues = before !== undefined && isEnvironment(before);
    if (kind === 'tool-response')
      text += `${continues ? '\n' : BARE.open.replace('<tool_response>\n', '')}<tool_response>\n${content}\n</tool_response>`;
    else if (isEnvironment(kind)) text += `${continues ? '\n' : '\nuser\n'}${content}`;
    else {
      const piece = response.slice(outer.start, outer.end);
      const isNewTurn = before === undefined || continues;
      text += `${continues ? '\nassistant\n' : ''}${isNewTurn ? piece.replace(/^\n+/, '') : piece}`;
    }
    before = kind;
  }
  return before !== undefined && isEnvironment(before) ? `${text}\nassistant\n` : text;
}

function promptMessages({ prompt, promptSegments }: ContinuationStart): ChatMessage[] {
  return promptSegments.map(({ kind, inner }) => {
    const content = prompt.slice(inner.start, inner.end);
    if (kind === 'system') return { role: 'system', content };
    if (kind === 'tool-response') return { role: 'user', content: wrapped(content) };
    return { role: isEnvironment(kind) ? 'user' : 'assistant', content };
  });
}

const wrapped = (content: string): string => `<tool_response>\n${content}\n</tool_response>`;

/** @returns the text of the last turn, which is not finished; the messages before it are added to `into` */
function responseMessages(response: string, segments: readonly Segment[], into: ChatMessage[]): string {
  let written = '';
  let outputs: string[] = [];
  const flush = (): void => {
    if (outputs.length > 0) into.push({ role: 'user', content: outputs.join('\n') });
    outputs = [];
  };
  for (const { kind, outer, inner } of segments) {
    const content = response.slice(inner.start, inner.end);
    if (!isEnvironment(kind)) {
      flush();
      written += response.slice(outer.start, outer.end);
      continue;
    }
    if (written !== '') into.push({ role: 'assistant', content: withoutEndOfMessage(written).trimEnd() });
    written = '';
    if (kind === 'tool-response') outputs.push(wrapped(content));
    else {
      flush();
      into.push({ role: kind === 'system' ? 'system' : 'user', content });
    }
  }
  flush();
  return written;
}
