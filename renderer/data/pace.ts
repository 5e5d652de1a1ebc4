/** How long playing rests on what is to be read. */
const SHORTEST_DWELL = 1_200;
const LONGEST_DWELL = 7_000;
/** Skimming pace: a turn of 1,500 characters stays for 3 s. */
const MS_PER_CHARACTER = 2;

export function readingMs(characters: number, speed: number): number {
  return Math.min(LONGEST_DWELL, Math.max(SHORTEST_DWELL, characters * MS_PER_CHARACTER)) / speed;
}
