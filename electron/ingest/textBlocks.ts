/**
 * Gathers the texts of neighbouring rollouts into blocks, which are compressed together. A rollout never
 * spans blocks; a long one is a block of its own. libuv's thread pool compresses while the parser
 * continues, because compression is the largest cost of ingest.
 */
import type { ByteSpan, TextPlace } from '../storage/batch.ts';
import { packUtf8, type StoredText } from '../storage/textCodec.ts';

/**
 * Unpacking a block of 512 KiB takes about 1 ms. Each call of zstd costs about 0.3 ms, a tenth of ingest at
 * half this size.
 */
const BLOCK_BYTES = 512 << 10;
/** Leaves room for one more text after a block that is not full yet. */
const BUFFER_BYTES = BLOCK_BYTES * 2;
/** The number of concurrent compressions. */
const MOST_SPARE = 4;
const NONE = Buffer.alloc(0);

export class TextBlocks {
  /** Allocated at the first text, because most small files need no second buffer. */
  private buffer: Buffer = NONE;
  private used = 0;
  /** Number of texts in the buffer. A block of empty texts is still a block. */
  private texts = 0;
  private blocks: Promise<StoredText>[] = [];
  private alone: StoredText[] = [];
  /** Reused buffers. New memory costs half as much time as the compression. */
  private readonly spare: Buffer[] = [];

  add(text: string, extra: string): TextPlace {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const most = (text.length + extra.length) * 3;
    if (this.used > 0 && this.used + most > this.buffer.byteLength) this.close();
    if (most > this.buffer.byteLength) this.buffer = this.bufferOf(Math.max(most, BUFFER_BYTES));
    this.texts++;
    const start = this.used;
    const end = start + this.buffer.write(text, start);
    this.used = end + (extra === '' ? 0 : this.buffer.write(extra, end));
    const place = { block: this.blocks.length, start, end, extraEnd: this.used };
    if (this.used >= BLOCK_BYTES) this.close();
    return place;
  }

  /** Adds a passage that is read on its own. @returns its index among such passages */
  addAlone(text: StoredText): number {
    return this.alone.push(text) - 1;
  }

  /** Returns the blocks and empties this. Later texts belong to the next batch. */
  async finish(): Promise<{
    readonly blocks: readonly ByteSpan[];
    readonly alone: readonly ByteSpan[];
    readonly bytes: Uint8Array;
  }> {
    if (this.texts > 0) this.close();
    const { alone } = this;
    const pending = this.blocks;
    this.blocks = [];
    this.alone = [];
    const blocks = await Promise.all(pending);
    const all = [...blocks, ...alone];
    const bytes = new Uint8Array(all.reduce((sum, text) => sum + text.bytes.byteLength, 0));
    let at = 0;
    const spans = all.map((text): ByteSpan => {
      bytes.set(text.bytes, at);
      const start = at;
      at += text.bytes.byteLength;
      return { codec: text.codec, start, end: at };
    });
    return { blocks: spans.slice(0, blocks.length), alone: spans.slice(blocks.length), bytes };
  }

  private bufferOf(bytes: number): Buffer {
    const spare = bytes === BUFFER_BYTES ? this.spare.pop() : undefined;
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
    const isFree = stored.bytes.buffer !== buffer.buffer && buffer.byteLength === BUFFER_BYTES;
    if (isFree && this.spare.length < MOST_SPARE) this.spare.push(buffer);
    return stored;
  }
}
