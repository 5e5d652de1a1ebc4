/**
 * Token shapes of inference servers (shared/format/FORMATS.md#openai-logprobs):
 *
 *   chat     {content: [{token, bytes, logprob, top_logprobs: [{token, bytes, logprob}]}], refusal}
 *   legacy   {tokens: [], token_logprobs: [], top_logprobs: [{token: logprob}], text_offset: []}
 *   SGLang   {output_token_logprobs: [[logprob, id, text | null]], output_top_logprobs: [[[…]]]}
 *
 * All become the same columns and, if tokens have text or bytes, the decoded text.
 */
import { textOfByteTokens } from './binary.ts';
import { isObject, type JsonObject, stringOf } from './fields.ts';
import type { ParsedTokens } from './format.ts';
import { idsOf, logprobOf } from './tokenColumns.ts';

export interface ParsedLogprobs {
  /** `ends` are offsets into `text`. */
  readonly tokens?: ParsedTokens;
  /** Decoded text of the tokens. Absent if they have neither text nor bytes. */
  readonly text?: string;
}

interface TokenEntry {
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly id?: number;
  readonly logprob: number;
  readonly top: readonly (readonly [string, number])[];
}

const NOTHING: ParsedLogprobs = {};

/** `logprobs` of a choice, chat or legacy. */
export function readLogprobs(value: unknown): ParsedLogprobs {
  if (!isObject(value)) return NOTHING;
  const { content, refusal, tokens } = value;
  if (Array.isArray(content) && content.length > 0) return spell(content.map(chatToken));
  // A refusal is sampled like any response; its tokens are listed separately.
  if (Array.isArray(refusal) && refusal.length > 0) return spell(refusal.map(chatToken));
  return Array.isArray(tokens) ? readLegacy(value, tokens) : NOTHING;
}

/** A bare list of chat tokens (llama.cpp's `completion_probabilities`). */
export function readChatTokens(value: unknown): ParsedLogprobs {
  return Array.isArray(value) ? spell(value.map(chatToken)) : NOTHING;
}

/** `meta_info` of SGLang's /generate. */
export function readSglangLogprobs(meta: JsonObject): ParsedLogprobs {
  const sampled = meta['output_token_logprobs'];
  if (!Array.isArray(sampled)) return NOTHING;
  const tops = arrayOf(meta['output_top_logprobs']);
  return spell(
    sampled.map((entry: unknown, i) => ({ ...sglangToken(entry), top: arrayOf(tops[i]).flatMap(sglangTop) })),
  );
}

function readLegacy(value: JsonObject, tokens: readonly unknown[]): ParsedLogprobs {
  const logprobs = arrayOf(value['token_logprobs']);
  const tops = arrayOf(value['top_logprobs']);
  return spell(
    tokens.map((token, i) => ({
      ...writtenToken(token),
      logprob: logprobOf(logprobs[i]),
      top: Object.entries(isObject(tops[i]) ? tops[i] : {}).flatMap(([text, p]) => alternative(text, p)),
    })),
  );
}

function chatToken(entry: unknown): TokenEntry {
  if (!isObject(entry)) return { logprob: Number.NaN, top: [] };
  const written = writtenToken(entry['token']);
  const { id } = entry;
  return {
    ...written,
    ...(typeof id === 'number' ? { id } : {}),
    // The placeholder `token_id:198` comes with bytes of its own text, which are ignored.
    bytes: written.id === undefined ? (bytesOf(entry['bytes']) ?? written.bytes) : undefined,
    logprob: logprobOf(entry['logprob']),
    top: arrayOf(entry['top_logprobs']).flatMap((top: unknown) =>
      isObject(top) ? alternative(top['token'], top['logprob']) : [],
    ),
  };
}

function sglangToken(entry: unknown): TokenEntry {
  const [logprob, id, text] = arrayOf(entry);
  return {
    text: stringOf(text),
    ...(typeof id === 'number' ? { id } : {}),
    logprob: logprobOf(logprob),
    top: [],
  };
}

function sglangTop(entry: unknown): (readonly [string, number])[] {
  const [logprob, id, text] = arrayOf(entry);
  // Without text (`return_text_in_logprobs` off), an alternative is known only by its id.
  return alternative(text ?? (typeof id === 'number' ? `#${id}` : undefined), logprob);
}

function alternative(text: unknown, logprob: unknown): (readonly [string, number])[] {
  const known = logprobOf(logprob);
  return typeof text === 'string' && !Number.isNaN(known) ? [[text, known]] : [];
}

/** A token's text, or one of two placeholders for a token without text: `bytes:\xe2\x80`, `token_id:198`. */
function writtenToken(token: unknown): Pick<TokenEntry, 'text' | 'bytes' | 'id'> {
  if (typeof token !== 'string') return {};
  if (token.startsWith('token_id:')) {
    const id = Number(token.slice('token_id:'.length));
    if (Number.isSafeInteger(id)) return { id };
  }
  if (token.startsWith('bytes:\\x') && /^bytes:(?:\\x[0-9a-f]{2})+$/i.test(token)) {
    const hex = token.slice('bytes:\\x'.length).split('\\x');
    return { text: token, bytes: Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16)) };
  }
  return { text: token };
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (!Array.isArray(value)) return undefined;
  const bytes = new Uint8Array(value.length);
  for (let i = 0; i < bytes.length; i++) {
    const byte: unknown = value[i];
    // Checked before it is stored, because conversion of deep nesting exhausts the stack.
    if (typeof byte !== 'number') return undefined;
    bytes[i] = byte;
    if (bytes[i] !== byte) return undefined;
  }
  return bytes;
}

function spell(entries: readonly TokenEntry[]): ParsedLogprobs {
  if (entries.length === 0) return NOTHING;
  const spelled = spelledBytes(entries) ?? spelledText(entries);
  const hasTop = entries.some((entry) => entry.top.length > 0);
  const tokens: ParsedTokens = {
    count: entries.length,
    ends: spelled?.ends,
    ids: idsOf(entries.map((entry) => entry.id)),
    // Servers list sampled tokens only.
    mask: new Uint8Array(entries.length).fill(1),
    logprob: Float32Array.from(entries, (entry) => entry.logprob),
    top: hasTop ? entries.map((entry) => (entry.top.length === 0 ? null : entry.top)) : undefined,
  };
  return { tokens, text: spelled?.text };
}

/** Decodes by bytes, which are exact for parts of characters. Undefined if a token has only non-ASCII text. */
function spelledBytes(entries: readonly TokenEntry[]): { text: string; ends: Uint32Array } | undefined {
  if (!entries.some((entry) => entry.bytes !== undefined)) return undefined;
  const tokens: Uint8Array[] = [];
  for (const { bytes, text } of entries) {
    const known = bytes ?? asciiBytes(text);
    if (known === undefined) return undefined;
    tokens.push(known);
  }
  return textOfByteTokens(tokens);
}

function asciiBytes(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return undefined;
    bytes[i] = code;
  }
  return bytes;
}

function spelledText(entries: readonly TokenEntry[]): { text: string; ends: Uint32Array } | undefined {
  const ends = new Uint32Array(entries.length);
  let text = '';
  for (const [i, entry] of entries.entries()) {
    if (entry.text === undefined) return undefined;
    text += entry.text;
    ends[i] = text.length;
  }
  return { text, ends };
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
