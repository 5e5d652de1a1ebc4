/**
 * Gathers neighbouring texts (of rollouts, or prompts) into blocks, which are compressed together. A text
 * never spans blocks. A long text gets a separate block. libuv's thread pool compresses while the parser
 * continues, because compression is the largest cost of ingest.
 */
import type { ByteSpan, TextPlace } from '../storage/batch.ts';
import { packUtf8, type StoredText } from '../storage/textCodec.ts';

/**
 * Unpacking a block of 512 KiB takes about 1 ms. Each call of zstd costs about 0.3 ms, a tenth of ingest at
 * half this size.
 */
export const ROLLOUT_BLOCK_BYTES = 512 << 10;
/** Smaller, because prompts of different groups are often read one at a time. */
export const PROMPT_BLOCK_BYTES = 128 << 10;
/** The blocks of a full batch. */
const MOST_SPARE = 16;
const NONE = Buffer.alloc(0);

export class TextBlocks {
  private readonly blockBytes: number;
  /** Leaves room for one more text after a block that is not full yet. */
  private readonly bufferBytes: number;
  /** Allocated at the first text. A second buffer is rarely needed, because most files are small. */
  private buffer: Buffer = NONE;
  private used = 0;
  /** Number of texts in the buffer. A block of empty texts is still a block. */
  private texts = 0;
  private blocks: Promise<StoredText>[] = [];
  /** Reused buffers. New memory costs half as much time as the compression, and makes V8 collect garbage. */
  private readonly spare: Buffer[] = [];

  constructor(blockBytes: number) {
    this.blockBytes = blockBytes;
    this.bufferBytes = blockBytes * 2;
  }

  add(text: string, extra = ''): TextPlace {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const most = (text.length + extra.length) * 3;
    if (this.used > 0 && this.used + most > this.buffer.byteLength) this.close();
    if (most > this.buffer.byteLength) this.buffer = this.bufferOf(Math.max(most, this.bufferBytes));
    this.texts++;
    const start = this.used;
    const end = start + this.buffer.write(text, start);
    this.used = end + (extra === '' ? 0 : this.buffer.write(extra, end));
    const place = { block: this.blocks.length, start, end, extraEnd: this.used };
    if (this.used >= this.blockBytes) this.close();
    return place;
  }

  /** Returns the blocks and resets the builder. Later texts belong to the next batch. */
  async finish(): Promise<{
    readonly blocks: readonly ByteSpan[];
    readonly bytes: Uint8Array;
  }> {
    if (this.texts > 0) this.close();
    const pending = this.blocks;
    this.blocks = [];
    const all = await Promise.all(pending);
    const bytes = new Uint8Array(all.reduce((sum, text) => sum + text.bytes.byteLength, 0));
    let at = 0;
    const spans = all.map((text): ByteSpan => {
      bytes.set(text.bytes, at);
      const start = at;
      at += text.bytes.byteLength;
      return { codec: text.codec, start, end: at };
    });
    return { blocks: spans, bytes };
  }

  private bufferOf(bytes: number): Buffer {
    const spare = bytes === this.bufferBytes ? this.spare.pop() : undefined;
    return spare ?? Buffer.allocUnsafeSlow(bytes);
  }

  private close(): void {
    this.blocks.push(this.pack(this.buffer, this.used));
    // The compression owns the old buffer now.
    this.buffer = NONE;
    this.used = 0;
    this.texts = 0;
  }

  private async pack(buffer: Buffer, used: number): Promise<StoredText> {
    const stored = await packUtf8(buffer.subarray(0, used));
    const isFree = stored.bytes.buffer !== buffer.buffer && buffer.byteLength === this.bufferBytes;
    if (isFree && this.spare.length < MOST_SPARE) this.spare.push(buffer);
    return stored;
  }
}
