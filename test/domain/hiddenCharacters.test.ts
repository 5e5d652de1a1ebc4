/** Characters that a text does not show, by Unicode's own properties. */
import { expect, it } from 'vitest';
import { withGlyphs } from '../../shared/domain/hiddenCharacters.ts';

/** Joins emoji, and chooses the form of one. */
const KEPT = new Set([0x200d, 0xfe0e, 0xfe0f]);
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029\ufff9-\ufffb]/u;

it('shows a glyph for each character that Unicode calls ignorable or a control, and for no letter', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    const isHidden = HIDDEN.test(character) && !KEPT.has(code) && character !== '\t' && character !== '\n';
    const isShown = withGlyphs(`a${character}`) !== `a${character}`;
    // A selector behind a letter chooses nothing.
    if (isShown !== (isHidden || code === 0xfe0e || code === 0xfe0f)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

it('names a character, and the letter of a tag', () => {
  expect(withGlyphs('\u206a\u{e0041}\u{e0241}\r')).toBe('⟨U+206A⟩⟨U+E0041 (tag A)⟩⟨U+E0241⟩␍');
});
