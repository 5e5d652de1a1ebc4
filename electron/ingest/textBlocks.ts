/**
 * Gathers the texts of neighbouring rollouts into blocks that are compressed together. A
 * rollout never spans blocks; a long one is a block of its own. Compression runs in libuv's
 * thread pool while the parser goes on: it is the largest single cost of ingest.
 */
import type { ByteSpan, TextPlace } from '../storage/batch.ts';
import { packUtf8, type StoredText } from '../storage/textCodec.ts';

/** Reading one rollout decompresses its block (512 KiB: about a millisecond); every call of zstd costs about 0.3 ms by itself, a tenth of ingest at half this size. */
const BLOCK_BYTES = 512 << 10;
/** Room for one more text behind a block that is not yet full. */
const BUFFER_BYTES = BLOCK_BYTES * 2;
/** As many as are compressed at once. */
const MOST_SPARE = 4;
const NONE = Buffer.alloc(0);

export class TextBlocks {
  /** Made when the first text comes: most files of a directory of small ones fill no second one. */
  private buffer: Buffer = NONE;
  private used = 0;
  /** Texts in the buffer: a block of nothing but empty ones is a block all the same. */
  private texts = 0;
  private blocks: Promise<StoredText>[] = [];
  private alone: StoredText[] = [];
  /** Buffers whose compression is done: memory that is new to the process costs as much as half the compression. */
  private readonly spare: Buffer[] = [];

  add(text: string, extra: string): TextPlace {
    // UTF-16 code units take at most three bytes each.
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

  /** A passage that is looked up by itself. @returns its index among such passages */
  addAlone(text: StoredText): number {
    return this.alone.push(text) - 1;
  }

  /** Empties this; what is added meanwhile belongs to the next batch. */
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
    // The old buffer belongs to the compression now.
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
