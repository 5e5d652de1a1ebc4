/** `<|im_start|>`, `<|endoftext|>` and their like: dumps strip them, traces keep them. */
const SPECIAL_TOKEN = /<\|[a-z0-9_]+\|>/gi;

/**
 * A text as two logs of the same rollout have it in common: without special tokens, which verl
 * dumps strip, and without white space, which decoders differ in (shared/domain/DOMAIN.md#transcripts).
 */
export function comparableText(text: string): string {
  return text.replace(SPECIAL_TOKEN, '').replace(/\s+/g, '');
}
