/**
 * Credentials that a trainer's configuration carried into its logs. They are masked before
 * anything is stored: a library is copied, shown and exported. Recognised by their key only:
 * texts of rollouts are data and stay as they are.
 */
const MASK = '••••••';

/** Whole key, or its last part: `openai_api_key`, `headers.Authorization`, `hf_token`, `wandb-api-key`. */
const CREDENTIAL =
  /(?:^|[_\-.\s]|[a-z](?=[A-Z]))(?:api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|access[_-]?key(?:[_-]?id)?|private[_-]?key|password|passwd|passphrase|authorization|credentials?|bearer|token)$/i;
/** Keys that end in `token` and name a word of a vocabulary or a limit. */
const VOCABULARY =
  /(?:^|[_-])(?:eos|bos|pad|unk|cls|sep|mask|stop|end|start|next|first|last|special|image|think|per|each|text)[_-]?token$/i;
/** Deeper than any configuration nests. */
const DEEPEST = 32;

export interface Masked<T> {
  readonly value: T;
  readonly masked: number;
}

/** @returns the value itself when nothing in it looks like a credential */
export function maskSecrets<T>(value: T): Masked<T> {
  const masker = new Masker();
  const result = masker.walk(value, 0);
  return { value: masker.masked === 0 ? value : (result as T), masked: masker.masked };
}

export function isCredentialKey(key: string): boolean {
  return CREDENTIAL.test(key) && !VOCABULARY.test(key);
}

class Masker {
  masked = 0;

  walk(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
    if (Array.isArray(value)) {
      // Columns of numbers are long and hold no keys.
      return typeof value[0] === 'number' ? value : value.map((inner) => this.walk(inner, depth + 1));
    }
    const before = this.masked;
    const entries = Object.entries(value).map(([key, inner]) => [
      key,
      isCredentialKey(key) ? this.mask(inner, depth + 1) : this.walk(inner, depth + 1),
    ]);
    return this.masked === before ? value : Object.fromEntries(entries);
  }

  /** Everything below a credential's key that could be one; numbers, truth values and nothing are none. */
  private mask(value: unknown, depth: number): unknown {
    if (typeof value === 'string' && value !== '') {
      this.masked++;
      return MASK;
    }
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
    if (Array.isArray(value)) return value.map((inner) => this.mask(inner, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.mask(inner, depth + 1)]),
    );
  }
}
