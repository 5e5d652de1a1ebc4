/** `<|im_start|>`, `<|endoftext|>` and similar: dumps strip them, traces keep them. */
const SPECIAL_TOKEN = /<\|[a-z0-9_]+\|>/gi;

/**
 * Normalizes a text for matching two logs of the same rollout. Removes special tokens, which verl dumps
 * strip, and white space, which decoders treat differently (shared/domain/DOMAIN.md#transcripts).
 */
export function comparableText(text: string): string {
  return text.replace(SPECIAL_TOKEN, '').replace(/\s+/g, '');
}
