/**
 * Masks credentials in a logged trainer configuration before anything is stored, because libraries are
 * copied, shown and exported. Credentials are recognized by key only: rollout texts are data and stay
 * unchanged.
 */
const MASK = '••••••';

/**
 * The whole key, or its last part: `openai_api_key`, `headers.Authorization`, `hf_token`, `wandb-api-key`.
 */
const CREDENTIAL =
  /(?:^|[_\-.\s]|[a-z](?=[A-Z]))(?:api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|access[_-]?key(?:[_-]?id)?|private[_-]?key|password|passwd|passphrase|authorization|auth|cookies?|credentials?|bearer|jwt|token|(?:api[_-]?key|secret|password)(?:s|[_-]?list))$/i;
/** Keys that end in `token` but name a vocabulary word or a limit. */
const VOCABULARY =
  /(?:^|[_-])(?:num|max|min|total|n|eos|bos|pad|unk|cls|sep|mask|stop|end|start|next|first|last|special|image|think|per|each|text)[_-]?token$/i;
const CREDENTIAL_IN_JSON = /(?:key|secret|token|passw|auth|cookie|credential|bearer|jwt)[^"]{0,8}"\s*:/i;
/** Longer strings are texts rather than configurations. */
const LONGEST_JSON = 100_000;
/** Deeper than any configuration. */
const DEEPEST = 32;

export interface Masked<T> {
  readonly value: T;
  readonly masked: number;
}

/** @returns the same value if nothing in it looks like a credential */
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
      // Number columns are long and have no keys.
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
      // Not JSON.
      return value;
    }
  }

  /** Masks every non-empty string below a credential key. Numbers, booleans and null are kept. */
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
