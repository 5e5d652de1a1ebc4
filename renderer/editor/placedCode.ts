/** A stretch of code that is literally part of a source. */
export interface PlacedStretch {
  readonly start: number;
  readonly end: number;
  readonly source: number;
}

export interface PlacedPiece {
  readonly text: string;
  /** Absent where the source writes it otherwise (an escape). */
  readonly source?: number;
}

/** Cuts `text`, which begins at `at` in the code, where stretches begin and end. Stretches are ascending. */
export function placedPieces(
  text: string,
  at: number,
  stretches: readonly PlacedStretch[],
): readonly PlacedPiece[] {
  const pieces: PlacedPiece[] = [];
  const end = at + text.length;
  let from = at;
  const cut = (to: number, source?: number) => {
    if (to > from) pieces.push({ text: text.slice(from - at, to - at), source });
    from = Math.max(from, to);
  };
  for (let i = firstEndingAfter(stretches, at); i < stretches.length; i += 1) {
    const stretch = stretches[i];
    if (stretch === undefined || stretch.start >= end) break;
    cut(Math.min(stretch.start, end));
    cut(Math.min(stretch.end, end), stretch.source + from - stretch.start);
  }
  cut(end);
  return pieces;
}

function firstEndingAfter(stretches: readonly PlacedStretch[], at: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
