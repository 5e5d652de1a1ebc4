/**
 * Splits zstd data into frames (RFC 8878, section 3). A log that is appended to in pieces (`zstd >> log`,
 * or a frame per batch) has several frames. Node's decompressor silently stops after the first.
 */
const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const RLE_BLOCK = 1;

/** Whether the data begins with a frame that decompressors skip. Parallel compressors write one first. */
export function isSkippable(bytes: Uint8Array): boolean {
  if (bytes.byteLength < 4) return false;
  const magic = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return (magic & 0xfffffff0) >>> 0 === SKIPPABLE;
}

export interface FramePiece {
  readonly bytes: Uint8Array;
  /** Whether the frame ends with this piece. */
  readonly isLast: boolean;
}

/** The section of the frame that the next bytes belong to. `length` counts its missing bytes. */
type Part = 'magic' | 'descriptor' | 'header' | 'block' | 'content' | 'checksum' | 'skippedSize' | 'skipped';

export class ZstdFrames {
  private part: Part = 'magic';
  private length = 4;
  /** Little-endian value of a short section, and the number of its bytes read. */
  private value = 0;
  private seen = 0;
  private hasChecksum = false;
  private isLastBlock = false;

  /** Bytes that a frame to be skipped still claims. */
  get missingSkipped(): number {
    return this.part === 'skipped' ? this.length : 0;
  }

  /** @throws Error when the data does not begin with a frame */
  *push(chunk: Uint8Array): Generator<FramePiece> {
    let from = 0;
    let at = 0;
    while (at < chunk.byteLength) {
      const isLong = this.part === 'content' || this.part === 'skipped' || this.part === 'header';
      const taken = isLong ? Math.min(this.length, chunk.byteLength - at) : 1;
      if (!isLong) this.value += (chunk[at] ?? 0) * 2 ** (8 * this.seen++);
      at += taken;
      this.length -= taken;
      // A section without bytes ends at once.
      let isFrameEnd = false;
      while (this.length === 0 && !isFrameEnd) isFrameEnd = this.next();
      if (!isFrameEnd) continue;
      yield { bytes: chunk.subarray(from, at), isLast: true };
      from = at;
    }
    if (from < chunk.byteLength) yield { bytes: chunk.subarray(from), isLast: false };
  }

  /** @returns whether the frame has ended */
  private next(): boolean {
    const { value } = this;
    switch (this.part) {
      case 'magic':
        if (value === MAGIC) this.begin('descriptor', 1);
        else if ((value & 0xfffffff0) >>> 0 === SKIPPABLE) this.begin('skippedSize', 4);
        else throw new Error('the data that follows is not a zstd frame');
        return false;
      case 'descriptor':
        this.hasChecksum = (value & 4) !== 0;
        this.begin('header', headerLength(value));
        return false;
      case 'header':
        this.begin('block', 3);
        return false;
      case 'block':
        this.isLastBlock = (value & 1) === 1;
        this.begin('content', ((value >> 1) & 3) === RLE_BLOCK ? 1 : value >> 3);
        return false;
      case 'content':
        if (!this.isLastBlock) this.begin('block', 3);
        else if (this.hasChecksum) this.begin('checksum', 4);
        else return this.end();
        return false;
      case 'skippedSize':
        this.begin('skipped', value);
        return false;
      default:
        return this.end();
    }
  }

  private begin(part: Part, length: number): void {
    this.part = part;
    this.length = length;
    this.value = 0;
    this.seen = 0;
  }

  private end(): true {
    this.begin('magic', 4);
    return true;
  }
}

/** Total length of window descriptor, dictionary id and content size. The descriptor determines it. */
function headerLength(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (isSingleSegment ? 0 : 1) + dictionary + contentSize;
}
