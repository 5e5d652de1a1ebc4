/**
 * Similarity of two texts from sketches whose comparison cost does not depend on text length.
 *
 * A text is the set of its passages: pairs of adjacent words, and single longer words. A sketch holds the
 * least hashes of that set. The common share of two sketches estimates the common share of passages. It is
 * exact for texts with fewer passages than a sketch holds.
 */
import { Int32Arena } from './numberArena.ts';
import { mixed, type Units, type Vocabulary } from './textUnits.ts';

/** Hashes per sketch. The standard error of a likeness of 0.5 is then about 0.04. */
const SKETCH_SIZE = 128;
/** Shorter words carry little meaning by themselves: the, and, for. */
const TELLING_WORD = 4;

/** Sorted and distinct. */
export type Sketch = Uint32Array;

export const EMPTY_SKETCH: Sketch = new Uint32Array(0);

export function sketchOf(words: Units, vocabulary: Vocabulary): Sketch {
  if (hashes.length < 2 * words.count) hashes = new Uint32Array(4 * words.count);
  const { count: length, ids, starts, ends } = words;
  let count = 0;
  let last = 0;
  for (let i = 0; i < length; i++) {
    const hash = vocabulary.hash(ids[i] ?? 0);
    if ((ends[i] ?? 0) - (starts[i] ?? 0) >= TELLING_WORD || length === 1) hashes[count++] = hash;
    if (i > 0) hashes[count++] = mixed(Math.imul(last, 0x9e3779b1) ^ hash);
    last = hash;
  }
  hashes.subarray(0, count).sort();
  let distinct = 0;
  for (let i = 0; i < count && distinct < SKETCH_SIZE; i++) {
    const hash = hashes[i] ?? 0;
    if (i === 0 || hash !== hashes[i - 1]) least[distinct++] = hash;
  }
  return kept(distinct);
}

/** Hashes of the current text. Shared, because texts are processed one by one. */
let hashes = new Uint32Array(1 << 10);
const least = new Uint32Array(SKETCH_SIZE);
const arena = new Int32Arena();

function kept(count: number): Sketch {
  const { buffer, byteOffset } = arena.take(count);
  const sketch = new Uint32Array(buffer, byteOffset, count);
  for (let i = 0; i < count; i++) sketch[i] = least[i] ?? 0;
  return sketch;
}

/** The sketch of several texts together. */
export function unionOf(sketches: readonly Sketch[]): Sketch {
  return sketches.reduce(unionOfTwo, EMPTY_SKETCH);
}

function unionOfTwo(a: Sketch, b: Sketch): Sketch {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  let count = 0;
  let i = 0;
  let j = 0;
  while (count < SKETCH_SIZE && i < a.length && j < b.length) {
    const x = a[i] ?? 0;
    const y = b[j] ?? 0;
    least[count++] = x < y ? x : y;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  while (count < SKETCH_SIZE && i < a.length) least[count++] = a[i++] ?? 0;
  while (count < SKETCH_SIZE && j < b.length) least[count++] = b[j++] ?? 0;
  return kept(count);
}

/**
 * Dice coefficient of the passages of two texts, 0 … 1: twice the common count over the sum of both.
 * Symmetric; 1 for equal sets; 0 if either has no passage.
 */
export function likenessOf(a: Sketch, b: Sketch): number {
  if (a.length === 0 || b.length === 0) return 0;
  let i = 0;
  let j = 0;
  let seen = 0;
  let shared = 0;
  // A full sketch omits everything above its greatest hash, so only the least hashes of the union are
  // compared.
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
