/**
 * What the writer does while nobody asks anything of it: columns of steps that have changed, then the
 * full-text index.
 * A piece at a time, so that a job never waits for more than one of them.
 */

/** @returns false when there is nothing left to do */
export type Piece = () => boolean;

export class Upkeep {
  private readonly pieces: readonly Piece[];
  private readonly enqueue: (work: () => void) => void;
  private isQueued = false;
  private isStopped = false;

  /** @param enqueue runs work behind everything that was asked for before */
  constructor(pieces: readonly Piece[], enqueue: (work: () => void) => void) {
    this.pieces = pieces;
    this.enqueue = enqueue;
  }

  /** Something has changed: look again. */
  wake(): void {
    if (this.isQueued || this.isStopped) return;
    this.isQueued = true;
    this.enqueue(() => this.doOne());
  }

  /** The next piece is not begun. */
  stop(): void {
    this.isStopped = true;
  }

  private doOne(): void {
    this.isQueued = false;
    if (this.isStopped) return;
    try {
      if (this.pieces.some((piece) => piece())) this.wake();
    } catch (error) {
      // Another process holds the library, or the disk is full: nothing depends on this work, and the next change wakes it again.
      const isOfStorage =
        error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
      if (!isOfStorage) throw error;
    }
  }
}
