/**
 * Histogram of values on both sides of 0. Counted on a fine grid, so percentiles are accurate to a
 * thousandth; returned in bins wide enough to draw.
 */

export interface Histogram {
  /** Width of every bin. */
  readonly width: number;
  /** Lower edge of the first bin, a whole multiple of the width. */
  readonly from: number;
  /** From the first to the last bin that holds a value. */
  readonly counts: readonly number[];
  /** Values outside the grid on either side, which have no bin. */
  readonly below: number;
  readonly above: number;
}

/** Grid cell width. Two engines differ by about 0.01. */
const GRID = 0.001;
/** Cells on either side of 0, up to ±16 nats. An entropy is at most ln of the vocabulary, about 12. */
const REACH = 16_000;
/** Bin widths in grid cells. */
const WIDTHS = [1, 2, 5, 10, 20, 50, 100, 200] as const;
/** 0.02 for every non-negative signal, so that two steps compare bin by bin. */
const USUAL_WIDTH = 20;
/** Minimum share of the values that must fit into the drawn bins. */
const DRAWN_SHARE = 0.998;
const DRAWN_BINS = 160;

export class ValueHistogram {
  private readonly isSigned: boolean;
  private readonly cells = new Uint32Array(2 * REACH);
  private below = 0;
  private above = 0;
  private total = 0;

  /**
   * @param isSigned whether negative values are meaningful; otherwise a rounding error just below 0 counts as
   *   0
   */
  constructor(isSigned: boolean) {
    this.isSigned = isSigned;
  }

  add(value: number): void {
    this.total++;
    const exact = Math.floor(value / GRID);
    const cell = exact === -1 && !this.isSigned ? 0 : exact;
    if (cell < -REACH) this.below++;
    else if (cell >= REACH) this.above++;
    else this.cells[cell + REACH] = (this.cells[cell + REACH] ?? 0) + 1;
  }

  /**
   * @returns the upper edge of the cell in which the share of all values is reached; undefined if that is
   *   outside the grid, or without values
   */
  quantile(share: number): number | undefined {
    const wanted = share * this.total;
    let seen = this.below;
    if (this.total === 0 || seen >= wanted) return undefined;
    for (let i = 0; i < this.cells.length; i++) {
      seen += this.cells[i] ?? 0;
      if (seen >= wanted) return edge(i - REACH + 1, 1);
    }
    return undefined;
  }

  finish(): Histogram {
    const { cells, below, above } = this;
    let first = cells.findIndex((count) => count > 0);
    if (first < 0) return { width: USUAL_WIDTH * GRID, from: 0, counts: [], below, above };
    // A non-negative histogram begins at 0, even if its first bins are empty.
    if (!this.isSigned) first = Math.min(first, REACH);
    const last = cells.findLastIndex((count) => count > 0);
    const width = this.isSigned ? this.drawnWidth() : USUAL_WIDTH;
    const firstBin = Math.floor((first - REACH) / width);
    const counts = new Array<number>(Math.floor((last - REACH) / width) - firstBin + 1).fill(0);
    for (let i = first; i <= last; i++) {
      const bin = Math.floor((i - REACH) / width) - firstBin;
      counts[bin] = (counts[bin] ?? 0) + (cells[i] ?? 0);
    }
    return { width: width * GRID, from: edge(firstBin, width), counts, below, above };
  }

  /** Widths differ per signal: a gap is about a hundredth and an advantage about two. */
  private drawnWidth(): number {
    const margin = (1 - DRAWN_SHARE) / 2;
    const low = this.quantile(margin) ?? -REACH * GRID;
    const high = this.quantile(1 - margin) ?? REACH * GRID;
    const cells = (high - low) / GRID;
    return WIDTHS.find((width) => cells / width <= DRAWN_BINS) ?? WIDTHS[WIDTHS.length - 1] ?? USUAL_WIDTH;
  }
}

/** Divides, which gives the expected decimal: 0.3, not 0.30000000000000004. */
const edge = (bin: number, width: number): number => (bin * width) / (1 / GRID);
