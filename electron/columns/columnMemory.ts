/**
 * The memory limit of columns for the whole process. Each thread with columns has a slot in one shared
 * array.
 */

/** A run of a million rollouts with all columns takes about half of it. */
const LIMIT_BYTES = 400 * 2 ** 20;
const KIB = 2 ** 10;
/** Bytes of an object of ten numbers or texts in V8, without the texts. Rounded up. */
export const OBJECT_BYTES = 160;
/** Bytes of a string in V8 besides its characters, and of the pointer to it. */
const STRING_BYTES = 32;

/** Passed to a thread when it starts. */
export interface ColumnMemorySlot {
  /** Int32 of KiB, one per thread. */
  readonly shared: SharedArrayBuffer;
  readonly slot: number;
}

/** Bytes in memory. V8 stores most texts in fewer bytes than UTF-8, and none in many more. */
export function bytesOfTexts(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += STRING_BYTES + Buffer.byteLength(text);
  return bytes;
}

export class ColumnMemory {
  private readonly kib: Int32Array;
  private readonly slot: number;
  /** Asks the other threads to drop unused columns. */
  readonly askOthers: () => void;

  constructor(
    { shared, slot }: ColumnMemorySlot = { shared: new SharedArrayBuffer(4), slot: 0 },
    askOthers: () => void = () => undefined,
  ) {
    this.kib = new Int32Array(shared);
    this.slot = slot;
    this.askOthers = askOthers;
    // The previous thread of this slot may have been terminated.
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
