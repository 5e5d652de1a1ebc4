/** Words per passage: enough that chance repetitions are rare. */
const PASSAGE_WORDS = 8;

/**
 * Share of the text's eight-word passages that occur earlier in it, 0 … 1. 0 for texts shorter than two
 * passages. An n-gram score like the one the paper tried for RoC and dropped because it hurt (§4.3.1). The
 * paper does not give its n.
 */
export function repetitionOf(text: string): number {
  const words = text.match(/\S+/g) ?? [];
  const passages = words.length - PASSAGE_WORDS + 1;
  if (passages < 2) return 0;
  const seen = new Set<string>();
  for (let i = 0; i < passages; i++) seen.add(words.slice(i, i + PASSAGE_WORDS).join(' '));
  return (passages - seen.size) / passages;
}
