/**
 * Allocates many short number lists. A typed array of its own costs an allocation outside the heap and is
 * collected separately, which dominates the cost of short lists. Lists of one chunk share its buffer, which
 * is freed with the last of them.
 */

const CHUNK_BYTES = 1 << 18;

/** Allocates a list of `length` numbers with unspecified content. */
export class Int32Arena {
  private chunk = new Int32Array(0);
  private used = 0;

  take(length: number): Int32Array<ArrayBuffer> {
    if (this.used + length > this.chunk.length) {
      this.chunk = new Int32Array(Math.max(length, CHUNK_BYTES / 4));
      this.used = 0;
    }
    this.used += length;
    return this.chunk.subarray(this.used - length, this.used);
  }

  /** Copies the first `count` numbers of a list into the arena. */
  keep(numbers: Int32Array<ArrayBuffer>, count: number): Int32Array<ArrayBuffer> {
    const kept = this.take(count);
    kept.set(numbers.subarray(0, count));
    return kept;
  }
}
