/**
 * A seeded generator of uniform numbers in [0, 1) (mulberry32). Deterministic across machines. For repeatable
 * draws, not for secrets.
 *
 * @param seed any number; its lower 32 bits are used
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
