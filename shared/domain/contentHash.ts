/**
 * A 64-bit content hash as 16 hex digits: two independent murmur3-style lanes over the
 * UTF-16 code units. For identity (same prompt, same record), not for security; at a
 * million distinct texts the chance of any collision is about 3·10⁻⁸.
 */
export function contentHash(text: string): string {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x5bd1e995);
    a ^= a >>> 15;
    b = Math.imul(b ^ c, 0x1b873593);
    b = (b << 13) | (b >>> 19);
  }
  return hex(finish(a ^ text.length)) + hex(finish(b ^ Math.imul(text.length, 0x27d4eb2f)));
}

function finish(lane: number): number {
  let h = lane;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const hex = (lane: number): string => lane.toString(16).padStart(8, '0');
