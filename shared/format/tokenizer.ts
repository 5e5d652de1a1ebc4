/**
 * Decodes token ids with the vocabulary of a Hugging Face `tokenizer.json` with byte-level BPE (Qwen, GPT,
 * Llama 3). Maps ids to bytes only and never tokenizes, so merges and normalizers are ignored.
 */
import { isObject, type JsonObject, jsonText } from './fields.ts';

export interface Tokenizer {
  /** Largest id + 1: the vocabulary size for upper bounds of entropy. */
  readonly size: number;
  /** Bytes per id; undefined: the vocabulary has no such id. */
  readonly pieces: readonly (Uint8Array | undefined)[];
  /** Ids that decoders skip: `<|im_end|>` and similar. */
  readonly special: ReadonlySet<number>;
}

export type ParsedTokenizer =
  | { readonly ok: true; readonly tokenizer: Tokenizer }
  | { readonly ok: false; readonly message: string };

/** No vocabulary has more ids. A larger one is corrupt and would exhaust the memory. */
const MOST_IDS = 4_000_000;
/** Ids without a token. Vocabularies reserve some hundreds; each takes memory wherever a vocabulary is used. */
const MOST_GAPS = 100_000;

export function readTokenizer(value: unknown): ParsedTokenizer {
  if (!isObject(value) || !isObject(value['model'])) {
    return { ok: false, message: 'not a tokenizer.json: it has no "model"' };
  }
  const { model } = value;
  const { vocab } = model as JsonObject;
  if (!isObject(vocab)) return { ok: false, message: 'its model has no "vocab" of tokens and ids' };
  if (!isByteLevel(value['decoder']) && !isByteLevel(value['pre_tokenizer'])) {
    const type = isObject(value['decoder']) ? jsonText(value['decoder']['type']) : 'none';
    return { ok: false, message: `only byte-level BPE is read; its decoder is ${type}` };
  }
  const pieces: (Uint8Array | undefined)[] = [];
  const special = new Set<number>();
  for (const [token, id] of Object.entries(vocab)) {
    if (!isId(id)) return { ok: false, message: `the id of ${JSON.stringify(token)} is not a token id` };
    pieces[id] = bytesOfPiece(token);
  }
  const added = value['added_tokens'];
  for (const entry of Array.isArray(added) ? added : []) {
    if (!isObject(entry) || typeof entry['content'] !== 'string' || !isId(entry['id'])) continue;
    // Added tokens are plain text rather than byte-encoded.
    pieces[entry['id']] = utf8Of(entry['content']);
    if (entry['special'] === true) special.add(entry['id']);
  }
  if (pieces.length === 0) return { ok: false, message: 'its vocabulary is empty' };
  const named = Object.keys(pieces).length;
  if (pieces.length > named + MOST_GAPS)
    return { ok: false, message: `its largest id is ${pieces.length - 1}, but it has only ${named} tokens` };
  return { ok: true, tokenizer: { size: pieces.length, pieces: Array.from(pieces), special } };
}

const isId = (id: unknown): id is number =>
  Number.isSafeInteger(id) && Number(id) >= 0 && Number(id) < MOST_IDS;

function isByteLevel(part: unknown): boolean {
  if (!isObject(part)) return false;
  if (part['type'] === 'ByteLevel') return true;
  return ['decoders', 'pretokenizers'].some((name) => {
    const parts = part[name];
    return Array.isArray(parts) && parts.some(isByteLevel);
  });
}

/**
 * Byte-level BPE writes every byte as a printable character. Bytes that are printable in Latin-1 stand for
 * themselves; the others map to U+0100 on, in order.
 */
const BYTE_OF = new Map<number, number>();
{
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    BYTE_OF.set(isPrintable ? byte : next++, byte);
  }
}

function bytesOfPiece(token: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = BYTE_OF.get(character.codePointAt(0) ?? 0);
    // A character outside the alphabet stands for itself, because some vocabularies also hold plain text.
    if (byte === undefined) bytes.push(...utf8Of(character));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

function utf8Of(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 0x3f));
    else if (point < 0x10000) {
      bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
    } else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f));
      bytes.push(0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
    }
  }
  return Uint8Array.from(bytes);
}
