/** A generated tokenizer.json: the 256 bytes, in the alphabet of byte-level BPE, and a few words. */

function alphabet(): readonly string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCodePoint(isPrintable ? byte : next++);
  });
}

/** The id of a byte is the byte. Words in that alphabet follow, then special tokens. */
export function byteTokenizerJson(
  words: readonly string[] = [],
  special: readonly string[] = ['<|im_end|>'],
): Record<string, unknown> {
  const vocab = Object.fromEntries([...alphabet(), ...words].map((token, id) => [token, id]));
  const added = special.map((content, i) => ({ id: 256 + words.length + i, content, special: true }));
  return {
    version: '1.0',
    added_tokens: added,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Split' }, { type: 'ByteLevel' }] },
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab, merges: [] },
  };
}

/** The bytes of a text, which are its ids for `byteTokenizerJson`. */
export const idsOf = (text: string): number[] => [...Buffer.from(text, 'utf8')];
