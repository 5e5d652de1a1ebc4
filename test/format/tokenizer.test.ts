/** From ids to characters, and their position in the text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignIds, alignmentFailureOf, SearchEffort } from '../../shared/format/alignIds.ts';
import { textOfByteTokens } from '../../shared/format/binary.ts';
import { readTokenizer, type Tokenizer } from '../../shared/format/tokenizer.ts';
import { byteTokenizerJson, idsOf } from '../support/byteTokenizer.ts';

function tokenizer(words: readonly string[] = [], special: readonly string[] = ['<|im_end|>']): Tokenizer {
  const reading = readTokenizer(byteTokenizerJson(words, special));
  if (!reading.ok) throw new Error(reading.message);
  return reading.tokenizer;
}
const idOf = (all: Tokenizer, text: string): number =>
  all.pieces.findIndex((piece) => piece !== undefined && Buffer.from(piece).toString('utf8') === text);

describe('readTokenizer', () => {
  it('maps every byte, words, and added tokens', () => {
    const all = tokenizer(['Ġthe', 'ĊĊ', 'Ã©'], ['<|im_end|>', '<think>']);
    for (let byte = 0; byte < 256; byte++) expect(all.pieces[byte]).toEqual(Uint8Array.of(byte));
    expect([' the', '\n\n', 'é', '<|im_end|>'].map((text) => idOf(all, text))).not.toContain(-1);
    expect(all.size).toBe(256 + 3 + 2);
    expect(all.special).toEqual(new Set([259, 260]));
  });

  it.each([
    [null, /no "model"/],
    [{ model: {} }, /no "vocab"/],
    [{ model: { vocab: { a: 0 } }, decoder: { type: 'Metaspace' } }, /only byte-level BPE.*Metaspace/],
    [{ model: { vocab: { a: -1 } }, decoder: { type: 'ByteLevel' } }, /not a token id/],
    [{ model: { vocab: { a: 1e12 } }, decoder: { type: 'ByteLevel' } }, /not a token id/],
    [{ model: { vocab: {} }, decoder: { type: 'ByteLevel' } }, /empty/],
    [{ model: { vocab: { a: 3_999_999 } }, decoder: { type: 'ByteLevel' } }, /3999999, but it has only 1 /],
  ])('refuses %j', (value, message) => {
    const reading = readTokenizer(value);
    expect(reading.ok ? '' : reading.message).toMatch(message);
  });

  it('spells any text again, byte by byte', () => {
    const all = tokenizer();
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      const ids = idsOf(text);
      const pieces = ids.map((id) => all.pieces[id] ?? new Uint8Array(0));
      expect(textOfByteTokens(pieces).text).toBe(text.toWellFormed());
    });
    fc.assert(property, { seed: 8, numRuns: 500 });
  });
});

describe('alignIds', () => {
  const all = tokenizer();
  const place = (text: string, runs: readonly (readonly [string, 0 | 1])[]) => {
    const ids = Int32Array.from(runs.flatMap(([run]) => idsOf(run)));
    const mask = Uint8Array.from(runs.flatMap(([run, bit]) => idsOf(run).map(() => bit)));
    return { mask, found: alignIds(text, ids, mask, all) };
  };

  it('does not spell ids of more bytes than a text could have', () => {
    const long: Tokenizer = { size: 1, pieces: [new Uint8Array(1_000_000).fill(97)], special: new Set() };
    const ids = new Int32Array(100_000);
    expect(alignIds('aaa', ids, undefined, long)).toBeUndefined();
    expect(alignmentFailureOf('aaa', ids, undefined, long)).toEqual({ kind: 'nothing' });
    // Nor in many spans, each of which would take 20 ms.
    const mask = Uint8Array.from(ids, (_, i) => i % 2);
    expect(alignIds('aaa', ids, mask, long)).toBeUndefined();
  });

  it('searches a text for 100,000 special tokens, for long ones, and for 400,000 missing spans, before the test times out', () => {
    const count = 100_000;
    const many: Tokenizer = {
      size: count,
      pieces: Array.from({ length: count }, (_, id) => Buffer.from(`<s${id}>`)),
      special: new Set(Array.from({ length: count }, (_, id) => id)),
    };
    const text = `${'x<'.repeat(500_000)}<s7>`;
    const found = alignIds(
      text,
      Int32Array.from({ length: count }, (_, id) => id),
      undefined,
      many,
    );
    expect(found).toMatchObject({ runs: 1, placed: 1 });
    const long: Tokenizer = {
      size: 64,
      pieces: Array.from({ length: 64 }, (_, i) => Buffer.from(`${'x'.repeat(10_000 + i)}<`)),
      special: new Set(Array.from({ length: 64 }, (_, id) => id)),
    };
    expect(
      alignIds(
        'x'.repeat(100_000),
        Int32Array.from({ length: 64 }, (_, id) => id),
        undefined,
        long,
      ),
    ).toBeUndefined();
    // Also in many short rollouts, whose ids name tokens that begin everywhere and are nowhere.
    const count230 = Int32Array.from({ length: 230 }, (_, id) => id);
    const nowhere: Tokenizer = {
      size: 230,
      pieces: Array.from(count230, (id) => Buffer.from(`${'a'.repeat(id + 1)}b`)),
      special: new Set(count230),
    };
    for (let rollout = 0; rollout < 100; rollout++)
      expect(alignIds('a'.repeat(10_000), count230, undefined, nowhere)).toBeUndefined();
    // Also in many long rollouts of one run, with a span for each token.
    const effort = new SearchEffort();
    const plain: Tokenizer = { ...nowhere, special: new Set() };
    const alternate = Uint8Array.from(count230, (id) => id % 2);
    for (let rollout = 0; rollout < 40; rollout++)
      expect(alignIds('a'.repeat(1_000_000), count230, alternate, plain, effort)).toBeUndefined();
    expect(effort.left).toBeLessThanOrEqual(0);
    const spans: Tokenizer = { size: 2, pieces: [Buffer.from('z'), Buffer.from('a')], special: new Set() };
    const ids = Int32Array.from({ length: 800_000 }, (_, i) => i % 2);
    const mask = Uint8Array.from(ids, (id) => 1 - id);
    expect(alignIds(`${'a '.repeat(400_000)}b`, ids, mask, spans)).toBeUndefined();
  });

  it('aligns sampled tokens with exact characters, whatever is between', () => {
    const text = 'Let me see.\n\n\n<tool_call>\n{"a": 1}\n</tool_call>\n42 é🎉\nSo it is 42.';
    const { found } = place(text, [
      ['Let me see.\n\n<tool_call>\n{"a": 1}\n</tool_call>', 1],
      ['whatever the tool said', 0],
      ['So it is 42.', 1],
    ]);
    expect(found).toMatchObject({ runs: 2, placed: 2 });
    const { ends } = found ?? { ends: new Uint32Array(0) };
    expect(ends.at(-1)).toBe(text.length);
    expect(text.slice(ends[0], ends[2])).toBe('et');
    // White space belongs to the token that wrote it.
    expect(text.slice(ends[2], ends[3])).toBe(' ');
    // The tool's tokens have no offsets. The first sampled one after them begins after the text between.
    expect(ends.every((end, i) => i === 0 || end >= (ends[i - 1] ?? 0))).toBe(true);
  });

  it('spans the whole text if it has nothing else', () => {
    const property = fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      fc.pre(text.trim() !== '' && text.isWellFormed() && !text.includes('\ufffd'));
      const ids = Int32Array.from(idsOf(text));
      const found = alignIds(text, ids, undefined, all);
      let joined = '';
      ids.forEach((_, i) => {
        joined += text.slice(found?.ends[i - 1] ?? 0, found?.ends[i]);
      });
      expect(text.startsWith(joined)).toBe(true);
      expect(text.slice(joined.length).trim()).toBe('');
    });
    fc.assert(property, { seed: 9, numRuns: 500 });
  });

  it('leaves spans that are not in the text without offsets, with a reason', () => {
    const { found } = place('one two three', [
      ['one', 1],
      ['nothing of it', 1],
    ]);
    // Two adjacent sampled spans are one span, which is not in the text.
    expect(found).toBeUndefined();
    const apart = place('one two three', [
      ['one', 1],
      ['x', 0],
      ['nothing of it', 1],
      ['x', 0],
      ['three', 1],
    ]).found;
    expect(apart).toMatchObject({ runs: 3, placed: 2 });
    expect(apart?.ends.at(-1)).toBe('one two three'.length);
  });

  it('decodes a special token that the text contains, because some vocabularies mark common text as special', () => {
    const special = tokenizer([], ['<|im_end|>', '</think>']);
    const [end, close] = [256, 257];
    const ids = Int32Array.of(...idsOf('hm.'), close, ...idsOf(' ok'), end);
    expect(alignIds('hm. ok', ids, undefined, special)).toMatchObject({ runs: 1, placed: 1 });
    const kept = alignIds('hm.\n</think> ok', ids, undefined, special);
    expect([...(kept?.ends ?? [])]).toEqual([1, 2, 3, 12, 13, 14, 15, 15]);
    expect(alignIds('hm.</think> ok<|im_end|>', ids, undefined, special)?.ends.at(-1)).toBe(24);
    expect(alignIds('hm.<other> ok', ids, undefined, special)).toBeUndefined();
  });

  it('explains why a span is not aligned', () => {
    const ids = Int32Array.from(idsOf('one two three'));
    expect(alignmentFailureOf('one  two three', ids, undefined, all)).toBeUndefined();
    expect(alignmentFailureOf('so: one two four', ids, undefined, all)).toEqual({
      kind: 'other-text',
      token: 8,
      spelled: 'three',
      written: 'four',
    });
    expect(alignmentFailureOf('one two', ids, undefined, all)).toMatchObject({
      token: 8,
      spelled: 'three',
      written: '',
    });
    expect(
      alignmentFailureOf('ok', Int32Array.of(...idsOf('ok'), 9_999, 9_999, -1), undefined, all),
    ).toBeUndefined();
    expect(alignmentFailureOf('no', Int32Array.of(...idsOf('ok'), 9_999, 9_999, -1), undefined, all)).toEqual(
      {
        kind: 'unknown-ids',
        ids: [9_999, -1],
        tokens: 3,
      },
    );
    expect(alignmentFailureOf('ok', Int32Array.from(idsOf('ok')), Uint8Array.of(0, 0), all)).toEqual({
      kind: 'nothing',
    });
    expect(alignmentFailureOf('ok', Int32Array.of(256), undefined, all)).toEqual({ kind: 'nothing' });
  });

  it('gives special tokens no text, and ids that are in no vocabulary neither', () => {
    const ids = Int32Array.of(...idsOf('ok'), all.size - 1, 999_999, -5);
    const found = alignIds('ok', ids, undefined, all);
    expect([...(found?.ends ?? [])]).toEqual([1, 2, 2, 2, 2]);
  });
});
