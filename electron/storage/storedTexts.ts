/** Reads stored texts. Responses and prompts are in separate blocks, which neighbouring texts share. */
import type { ReadableLibrary } from './open.ts';
import { bytes, number, type Query, query } from './rows.ts';
import { damaged } from './storageFailure.ts';
import { unpackUtf8 } from './textCodec.ts';

export const BLOCK = 'SELECT codec, bytes FROM text_block WHERE block_id = ?';
export const PROMPT_BLOCK = 'SELECT codec, bytes FROM prompt_block WHERE block_id = ?';
export const PROMPT_PLACE =
  'SELECT block_id AS blockId, text_start AS start, text_end AS end FROM prompt_row WHERE prompt_id = ?';

/** Bytes in a block. */
export interface TextPlace {
  readonly blockId: number;
  readonly start: number;
  readonly end: number;
}

interface StoredBlock {
  readonly codec: number;
  readonly bytes: Uint8Array;
}

/** Caches the last block and the last prompt: neighbours share a block, and a group shares a prompt. */
export class StoredTexts {
  private readonly blocks: Query<StoredBlock>;
  private readonly promptBlocks: Query<StoredBlock>;
  private readonly places: Query<TextPlace>;
  private block: { readonly id: number; readonly bytes: Buffer } | undefined;
  private promptBlock: { readonly id: number; readonly bytes: Buffer } | undefined;
  private lastPrompt: { readonly id: number; readonly text: string } | undefined;

  constructor(db: ReadableLibrary) {
    this.blocks = query(db, BLOCK, { codec: number, bytes });
    this.promptBlocks = query(db, PROMPT_BLOCK, { codec: number, bytes });
    this.places = query(db, PROMPT_PLACE, { blockId: number, start: number, end: number });
  }

  /** @throws Error when the library has no such block; valid references always have one */
  text({ blockId, start, end }: TextPlace): string {
    if (this.block?.id !== blockId) this.block = { id: blockId, bytes: unpacked(this.blocks.get(blockId)) };
    return this.block.bytes.toString('utf8', start, end);
  }

  /** @throws Error when the library has no such prompt; valid references always have one */
  prompt(promptId: number): string {
    if (this.lastPrompt?.id === promptId) return this.lastPrompt.text;
    const place = this.places.get(promptId);
    if (place === undefined) throw damaged('a prompt is missing');
    const { blockId, start, end } = place;
    if (this.promptBlock?.id !== blockId)
      this.promptBlock = { id: blockId, bytes: unpacked(this.promptBlocks.get(blockId)) };
    const text = this.promptBlock.bytes.toString('utf8', start, end);
    this.lastPrompt = { id: promptId, text };
    return text;
  }
}

function unpacked(block: StoredBlock | undefined): Buffer {
  if (block === undefined) throw damaged('a block of texts is missing');
  return unpackUtf8(block.codec, block.bytes);
}
