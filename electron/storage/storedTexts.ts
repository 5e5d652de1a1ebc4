/** Unpacks stored texts: blocks of responses, and prompts. */
import { bytes, number, type RowOf } from './rows.ts';
import { unpackText, unpackUtf8 } from './textCodec.ts';

export const BLOCK = 'SELECT codec, bytes FROM text_block WHERE block_id = ?';
export const BLOCK_ROW = { codec: number, bytes };
export const PROMPT = 'SELECT codec, text FROM prompt_row WHERE prompt_id = ?';
export const PROMPT_ROW = { codec: number, text: bytes };

/** @throws Error when the library has no such block; its references exclude that */
export function unpackBlock(row: RowOf<typeof BLOCK_ROW> | undefined): Buffer {
  if (row === undefined) throw new Error('a block of texts is missing');
  return unpackUtf8(row.codec, row.bytes);
}

/** @throws Error when the library has no such prompt; its references exclude that */
export function unpackPrompt(row: RowOf<typeof PROMPT_ROW> | undefined): string {
  if (row === undefined) throw new Error('a prompt is missing');
  return unpackText(row.codec, row.text);
}
