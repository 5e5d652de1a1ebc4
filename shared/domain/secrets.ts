/**
 * Credentials that a trainer's configuration carried into its logs. They are masked before
 * anything is stored: a library is copied, shown and exported. Recognised by their key only:
 * texts of rollouts are data and stay as they are.
 */
const MASK = '••••••';

/** Whole key, or its last part: `openai_api_key`, `headers.Authorization`, `hf_token`, `wandb-api-key`. */
const CREDENTIAL =
  /(?:^|[_\-.\s]|[a-z](?=[A-Z]))(?:api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|access[_-]?key(?:[_-]?id)?|private[_-]?key|password|passwd|passphrase|authorization|auth|cookies?|credentials?|bearer|jwt|token|(?:api[_-]?key|secret|password)(?:s|[_-]?list))$/i;
/** Keys that end in `token` and name a word of a vocabulary or a limit. */
const VOCABULARY =
  /(?:^|[_-])(?:num|max|min|total|n|eos|bos|pad|unk|cls|sep|mask|stop|end|start|next|first|last|special|image|think|per|each|text)[_-]?token$/i;
const CREDENTIAL_IN_JSON = /(?:key|secret|token|passw|auth|cookie|credential|bearer|jwt)[^"]{0,8}"\s*:/i;
/** Configurations are shorter; what is longer is a text. */
const LONGEST_JSON = 100_000;
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
    if (typeof value === 'string') return this.text(value, depth);
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

  /** Some logs keep a configuration as JSON text. */
  private text(value: string, depth: number): string {
    if (!/^\s*[{[]/.test(value) || value.length > LONGEST_JSON || !CREDENTIAL_IN_JSON.test(value))
      return value;
    try {
      const before = this.masked;
      const masked = this.walk(JSON.parse(value), depth + 1);
      return this.masked === before ? value : JSON.stringify(masked);
    } catch {
      // No JSON after all.
      return value;
    }
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
