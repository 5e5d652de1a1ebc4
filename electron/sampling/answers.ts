/**
 * Reads answers of OpenAI-compatible servers, in pieces or whole. Servers differ:
 *
 * - vLLM: token log-probabilities of `/v1/completions` are `tokens`, `token_logprobs`, `top_logprobs` (vllm-project/vllm,
 *   PR 2918); a matched stop string is not part of the text and named in `stop_reason` (PR 2976); a stream has usage only
 *   with `stream_options`, in a last piece without choices (issue 7299).
 * - SGLang: `matched_stop` instead of `stop_reason`; a piece may have no `content` (sgl-project/sglang, issue 4550).
 * - llama.cpp: token log-probabilities have the form of chats, `content`, on both paths (ggml-org/llama.cpp, PR 10783);
 *   or `null`, although they were asked for (issue 11346).
 */
import { refused } from '../../shared/api/errors.ts';
import { withGlyphs } from '../../shared/domain/hiddenCharacters.ts';
import { readJson } from '../../shared/format/lenientJson.ts';

/** One sampled token. */
export interface SampledToken {
  readonly text: string;
  /** Natural logarithm. Absent: unknown. */
  readonly logprob?: number;
  readonly top?: readonly (readonly [text: string, logprob: number])[];
}

export interface Completion {
  readonly text: string;
  /** Their texts spell `text`. Absent: the server gave none, or other ones. */
  readonly tokens?: readonly SampledToken[];
  /** `length`: the limit of tokens; `stop`: the model or a stop string ended it. Other words are kept. */
  readonly finish: string;
  /** The server's count if it is one, else the number of tokens or pieces. */
  readonly tokensUsed: number;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Collects the pieces of one choice. */
export class AnswerReader {
  private written = '';
  private readonly tokens: SampledToken[] = [];
  private pieces = 0;
  private used: number | undefined;
  private finished: string | undefined;
  private isInReasoning: boolean;

  /** @param isInReasoning the text before the answer is inside reasoning that is not closed */
  constructor(isInReasoning = false) {
    this.isInReasoning = isInReasoning;
  }

  /** @returns the new text @throws ApiError when it is no answer */
  take(json: string): string {
    const read = readJson(json);
    if (!read.ok) throw refused('the endpoint sent something that is no JSON');
    return this.takeValue(read.value);
  }

  /** As `take`, for JSON that has been parsed. */
  takeValue(value: unknown): string {
    if (!isObject(value)) throw refused('the endpoint sent JSON that is no answer');
    if (value['error'] !== undefined && value['error'] !== null)
      throw refused(`the endpoint reported: ${errorMessage(value)}`);
    const { usage, choices } = value;
    const used = isObject(usage) ? usage['completion_tokens'] : undefined;
    if (isCount(used) && used <= MOST_TOKENS) this.used = used;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (choice === undefined && Array.isArray(choices)) return '';
    if (!isObject(choice)) throw refused('the endpoint sent JSON that is no answer');
    const piece = this.textOf(choice);
    this.written += piece;
    if (piece !== '') this.pieces += 1;
    for (const token of tokensIn(choice['logprobs'])) this.tokens.push(token);
    if (typeof choice['finish_reason'] === 'string') this.finished = choice['finish_reason'];
    return piece;
  }

  get isFinished(): boolean {
    return this.finished !== undefined;
  }

  get piecesTaken(): number {
    return this.pieces;
  }

  finish(): Completion {
    const tokens = spelling(this.tokens, this.written);
    return {
      text: this.written,
      ...(tokens === undefined ? {} : { tokens }),
      finish: this.finished ?? 'unknown',
      tokensUsed: this.used ?? (this.tokens.length || this.pieces),
    };
  }

  /** Servers with a parser of reasoning take its tags out of the text; they are put back. */
  private textOf(choice: Json): string {
    const message = isObject(choice['delta'])
      ? choice['delta']
      : isObject(choice['message'])
        ? choice['message']
        : undefined;
    if (message === undefined) return text(choice['text']);
    const reasoning = text(message['reasoning_content']) || text(message['reasoning']);
    const content = contentOf(message['content']);
    let piece = '';
    if (reasoning !== '') {
      piece += this.isInReasoning ? reasoning : `<think>\n${reasoning}`;
      this.isInReasoning = true;
      this.hasReasoning = true;
    }
    if (content !== '') {
      piece += this.hasReasoning && this.isInReasoning ? `\n</think>\n\n${content}` : content;
      if (this.hasReasoning) this.isInReasoning = false;
    }
    return piece;
  }
  private hasReasoning = false;
}

/** A text, or a list of parts such as `{"type": "text", "text": "…"}`. */
const contentOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part: unknown) => (isObject(part) ? text(part['text']) : '')).join('')
    : text(content);

/** More than can be asked for. Empty texts could be millions in an answer of a few megabytes. */
const MOST_TOKENS = 1_000_000;

function tokensIn(logprobs: unknown): readonly SampledToken[] {
  if (!isObject(logprobs)) return [];
  if (Array.isArray(logprobs['content']))
    return logprobs['content']
      .slice(0, MOST_TOKENS)
      .filter(isObject)
      .map((entry) => ({
        text: text(entry['token']),
        ...logprobOf(entry['logprob']),
        ...topOf(
          Array.isArray(entry['top_logprobs'])
            ? entry['top_logprobs'].filter(isObject).map(({ token, logprob }) => [token, logprob])
            : [],
        ),
      }));
  const { tokens, token_logprobs: values, top_logprobs: tops } = logprobs;
  if (!Array.isArray(tokens)) return [];
  return tokens.slice(0, MOST_TOKENS).map((token, i) => {
    const top: unknown = Array.isArray(tops) ? tops[i] : undefined;
    return {
      text: text(token),
      ...logprobOf(Array.isArray(values) ? values[i] : undefined),
      ...topOf(isObject(top) ? Object.entries(top) : []),
    };
  });
}

const logprobOf = (value: unknown): Pick<SampledToken, 'logprob'> =>
  typeof value === 'number' && Number.isFinite(value) && value <= 0 ? { logprob: value } : {};

function topOf(pairs: readonly (readonly unknown[])[]): Pick<SampledToken, 'top'> {
  const top = pairs.flatMap(([token, logprob]): (readonly [string, number])[] =>
    typeof token === 'string' && typeof logprob === 'number' && Number.isFinite(logprob)
      ? [[token, logprob]]
      : [],
  );
  return top.length === 0 ? {} : { top };
}

/**
 * Tokens that spell the text. Those beyond its end are left out: marks that end a message, and stop strings.
 *
 * @returns undefined if they spell another text, such as tokens that are parts of a character
 */
function spelling(tokens: readonly SampledToken[], written: string): readonly SampledToken[] | undefined {
  if (tokens.length === 0) return undefined;
  let end = 0;
  const spelled: SampledToken[] = [];
  for (const token of tokens) {
    if (end >= written.length) break;
    if (!written.startsWith(token.text.slice(0, written.length - end), end)) return undefined;
    spelled.push({ ...token, text: token.text.slice(0, written.length - end) });
    end += token.text.length;
  }
  return end >= written.length ? spelled : undefined;
}

/** UTF-16 units. */
const LONGEST_MESSAGE = 300;

/** @returns the message of an error in one line */
export function errorMessage(value: unknown): string {
  const error = isObject(value) ? value['error'] : undefined;
  const message =
    text(error) ||
    (isObject(error) ? text(error['message']) : '') ||
    (isObject(value) ? text(value['message']) || text(value['detail']) : '');
  const line = withGlyphs(message.replaceAll(/\s+/g, ' ').slice(0, LONGEST_MESSAGE));
  return line || 'an error without a message';
}
