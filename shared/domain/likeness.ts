/**
 * How much two texts are alike, from sketches that cost the same to compare however long the texts are.
 *
 * A text is the set of its passages (pairs of words in a row, and the longer words by themselves); a sketch
 * is the least hashes of that set. Of two sketches the share in common is an estimate of the share of
 * passages in common, exact for texts of fewer passages than a sketch holds.
 */
import { mixed, type Units, type Vocabulary } from './textUnits.ts';

/** Hashes a sketch holds; the standard error of a likeness of a half is then about 0.04. */
const SKETCH_SIZE = 128;
/** Words shorter than this say little by themselves: the, and, for. */
const TELLING_WORD = 4;

/** Sorted and distinct. */
export type Sketch = Uint32Array;

export const EMPTY_SKETCH: Sketch = new Uint32Array(0);

export function sketchOf(words: Units, vocabulary: Vocabulary): Sketch {
  const hashes = new Uint32Array(2 * words.count);
  let count = 0;
  let last = 0;
  for (let i = 0; i < words.count; i++) {
    const hash = vocabulary.hash(words.ids[i] ?? 0);
    if ((words.ends[i] ?? 0) - (words.starts[i] ?? 0) >= TELLING_WORD || words.count === 1)
      hashes[count++] = hash;
    if (i > 0) hashes[count++] = mixed(Math.imul(last, 0x9e3779b1) ^ hash);
    last = hash;
  }
  return leastOf(hashes.subarray(0, count));
}

/** The sketch of texts taken together. */
export function unionOf(sketches: readonly Sketch[]): Sketch {
  if (sketches.length === 1) return sketches[0] ?? EMPTY_SKETCH;
  const all = new Uint32Array(sketches.reduce((sum, sketch) => sum + sketch.length, 0));
  let at = 0;
  for (const sketch of sketches) {
    all.set(sketch, at);
    at += sketch.length;
  }
  return leastOf(all);
}

/** Sorts its argument. */
function leastOf(hashes: Uint32Array): Sketch {
  hashes.sort();
  const least = new Uint32Array(Math.min(SKETCH_SIZE, hashes.length));
  let count = 0;
  for (let i = 0; i < hashes.length && count < least.length; i++) {
    const hash = hashes[i] ?? 0;
    if (i === 0 || hash !== hashes[i - 1]) least[count++] = hash;
  }
  return least.slice(0, count);
}

/**
 * Dice coefficient of the passages of two texts: twice what is common by the sum of both, 0 … 1.
 * Symmetric; 1 for equal sets; 0 where either has no passage.
 */
export function likenessOf(a: Sketch, b: Sketch): number {
  if (a.length === 0 || b.length === 0) return 0;
  let i = 0;
  let j = 0;
  let seen = 0;
  let shared = 0;
  // Of a sketch that is full, what lies above its greatest hash is unknown: count within the least of the union.
  const most = a.length < SKETCH_SIZE && b.length < SKETCH_SIZE ? a.length + b.length : SKETCH_SIZE;
  for (; seen < most && i < a.length && j < b.length; seen++) {
    const x = a[i] ?? 0;
    const y = b[j] ?? 0;
    if (x === y) shared++;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  seen = Math.min(most, seen + a.length - i + b.length - j);
  const jaccard = shared / seen;
  return (2 * jaccard) / (1 + jaccard);
}
