import fc from 'fast-check';
import { expect, it } from 'vitest';
import { terminalJson, terminalLines, terminalText } from '../../shared/domain/terminalText.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

it('prints JSON that no terminal obeys, with the same value', () => {
  const text = '\u001b[2J\u009b2J\u009d0;x\u009c\u202egnp\u2028\u{e0041} é 😀';
  expect(terminalJson({ text })).toBe(
    '{"text":"\\u001b[2J\\u009b2J\\u009d0;x\\u009c\\u202egnp\\u2028\\udb40\\udc41 é 😀"}',
  );
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const json = terminalJson(value);
      expect(json).not.toMatch(INVISIBLE);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('keeps the line breaks of indented JSON', () => {
  expect(terminalJson({ a: ['\n'] }, 1)).toBe('{\n "a": [\n  "\\n"\n ]\n}');
});

it('escapes for people what would move the cursor, but no line break', () => {
  expect(terminalText('a\u009b2J\nb\u202e')).toBe('a\\u{9b}2J\nb\\u{202e}');
});

it('prints one line for each line of a report, whatever its ids contain', () => {
  expect(terminalLines(['run a\nb', '', 'c'])).toBe('run a\\u{a}b\n\nc\n');
});
