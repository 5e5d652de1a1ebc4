/**
 * The memory that columns take in this process. Every thread with columns has a slot in one shared array, so that the
 * limit counts for all of them together.
 */

/** A run of a million rollouts with every column takes about half of it. */
const LIMIT_BYTES = 400 * 2 ** 20;
const KIB = 2 ** 10;

/** Handed to a thread when it is started. */
export interface ColumnMemorySlot {
  /** Int32 of KiB, one for each thread. */
  readonly shared: SharedArrayBuffer;
  readonly slot: number;
}

export class ColumnMemory {
  private readonly kib: Int32Array;
  private readonly slot: number;
  /** Asks the other threads to drop what they do not use. */
  readonly askOthers: () => void;

  constructor(
    { shared, slot }: ColumnMemorySlot = { shared: new SharedArrayBuffer(4), slot: 0 },
    askOthers: () => void = () => undefined,
  ) {
    this.kib = new Int32Array(shared);
    this.slot = slot;
    this.askOthers = askOthers;
    // The thread that had this slot before may have been ended.
    this.holds(0);
  }

  holds(bytes: number): void {
    Atomics.store(this.kib, this.slot, Math.ceil(bytes / KIB));
  }

  isOverLimit(): boolean {
    let sum = 0;
    for (let slot = 0; slot < this.kib.length; slot++) sum += Atomics.load(this.kib, slot);
    return sum * KIB > LIMIT_BYTES;
  }
}
