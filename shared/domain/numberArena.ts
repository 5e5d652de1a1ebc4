/**
 * Room for many short lists of numbers. A typed array of its own costs an allocation outside the heap and is later
 * collected one by one; of thousands of short ones that is most of their price. Lists of one chunk share its buffer,
 * which is given up when none of them is left.
 */

const CHUNK_BYTES = 1 << 18;

/** A list of `length` numbers; what is in it is not said. */
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

  /** The first numbers of a list, kept. */
  keep(numbers: Int32Array<ArrayBuffer>, count: number): Int32Array<ArrayBuffer> {
    const kept = this.take(count);
    kept.set(numbers.subarray(0, count));
    return kept;
  }
}
