/** How long playback shows a row or turn. */
const SHORTEST_DWELL = 1_200;
const LONGEST_DWELL = 7_000;
/** A skimming pace: a turn of 1,500 characters is shown for 3 s. */
const MS_PER_CHARACTER = 2;

export function readingMs(characters: number, speed: number): number {
  return Math.min(LONGEST_DWELL, Math.max(SHORTEST_DWELL, characters * MS_PER_CHARACTER)) / speed;
}
