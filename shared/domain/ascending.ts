/** Index of the first value that is not less, in an ascending list. */
export function firstFrom(places: ArrayLike<number>, least: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
