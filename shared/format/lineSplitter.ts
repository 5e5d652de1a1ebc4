/**
 * Splits a byte stream into lines. Bytes rather than strings, because a chunk may end inside a UTF-8
 * character and offsets must be file offsets. `\n` ends a line, and a `\r` before it is dropped. A line is
 * copied only if it spans chunks.
 */
export interface ByteLine {
  /** Valid until the next call of `push`. Without the line end. */
  readonly bytes: Uint8Array;
  /** Position of its first byte in the file. */
  readonly offset: number;
  /** Position after its line end. */
  readonly nextOffset: number;
  /** Number of blank lines after this blank one, which are not returned as lines. */
  readonly moreBlank?: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const NOTHING = new Uint8Array();

export class LineSplitter {
  private readonly limit: number;
  private readonly foldsBlank: boolean;
  private pieces: Uint8Array[] = [];
  private pendingBytes = 0;
  /** File position of the first pending byte. */
  private offset: number;
  private isSkipping = false;

  /**
   * @param limit maximum line length in bytes; longer lines are reported by `onTooLong` and skipped
   * @param foldsBlank whether blank lines in a row are one line, because a megabyte may unpack to a billion of them
   */
  constructor(offset: number, limit: number = Number.POSITIVE_INFINITY, foldsBlank = false) {
    this.offset = offset;
    this.limit = limit;
    this.foldsBlank = foldsBlank;
  }

  /** Bytes of the unfinished last line. */
  get pending(): number {
    return this.pendingBytes;
  }

  /** Start of the unfinished last line. */
  get position(): number {
    return this.offset;
  }

  *push(chunk: Uint8Array): Generator<ByteLine | { readonly tooLong: number; readonly nextOffset: number }> {
    let start = 0;
    for (;;) {
      const blank = this.foldsBlank && this.pendingBytes === 0 ? blankLines(chunk, start) : undefined;
      if (blank !== undefined) {
        const { offset } = this;
        this.reset(offset + blank.end - start);
        start = blank.end;
        yield { bytes: NOTHING, offset, nextOffset: this.offset, moreBlank: blank.lines - 1 };
      }
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      const length = this.pendingBytes + end - start;
      const nextOffset = this.offset + length + 1;
      if (this.isSkipping || length > this.limit) yield { tooLong: length, nextOffset };
      else
        yield {
          bytes: withoutReturn(this.take(chunk.subarray(start, end))),
          offset: this.offset,
          nextOffset,
        };
      this.reset(nextOffset);
      start = end + 1;
    }
    if (start < chunk.byteLength) {
      this.pendingBytes += chunk.byteLength - start;
      if (this.pendingBytes > this.limit) {
        this.isSkipping = true;
        this.pieces = [];
      } else this.pieces.push(Uint8Array.from(chunk.subarray(start))); // a copy, because the caller reuses its buffer
    }
  }

  /** The unfinished last line. Undefined if the input ended with a line end or the line exceeds the limit. */
  rest(): ByteLine | undefined {
    if (this.pendingBytes === 0 || this.isSkipping) return undefined;
    const bytes = withoutReturn(this.take(new Uint8Array()));
    return { bytes, offset: this.offset, nextOffset: this.offset + this.pendingBytes };
  }

  private take(last: Uint8Array): Uint8Array {
    if (this.pieces.length === 0) return last;
    const line = new Uint8Array(this.pieces.reduce((sum, piece) => sum + piece.byteLength, last.byteLength));
    let at = 0;
    for (const piece of [...this.pieces, last]) {
      line.set(piece, at);
      at += piece.byteLength;
    }
    return line;
  }

  private reset(offset: number): void {
    this.pieces = [];
    this.pendingBytes = 0;
    this.isSkipping = false;
    this.offset = offset;
  }
}

/** @returns the blank lines that begin here; undefined if the line is not blank */
function blankLines(
  chunk: Uint8Array,
  from: number,
): { readonly end: number; readonly lines: number } | undefined {
  let end = from;
  let lines = 0;
  for (let at = from; at < chunk.byteLength; at++) {
    const byte = chunk[at];
    if (byte === LINE_FEED) {
      lines++;
      end = at + 1;
    } else if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) break;
  }
  return lines === 0 ? undefined : { end, lines };
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
