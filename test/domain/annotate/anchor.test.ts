/** Relocating anchors: invariants under edits, and linear time for any text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../../electron/storage/contentHash.ts';
import * as anchors from '../../../shared/domain/annotate/anchor.ts';
import { type Anchor, CONTEXT_CHARS, LONGEST_QUOTE } from '../../../shared/domain/annotate/annotation.ts';
import type { TextRange } from '../../../shared/domain/model.ts';
import { callsOf } from '../../support/callsOf.ts';

const makeAnchor = (which: Anchor['text'], text: string, range: TextRange) =>
  anchors.makeAnchor(which, text, range, contentHash);
const locateAnchor = (anchor: Anchor, text: string) => anchors.locateAnchor(anchor, text, contentHash);

const texts = fc.string({
  unit: fc.constantFrom(...'ab \n\t.<>', '\r\n', '😀', '\u0000', 'é', '解', 'x = 1'),
  maxLength: 200,
});
/** A text with a range of it. */
const pieces = fc.tuple(texts, fc.nat(), fc.nat()).map(([text, a, b]) => {
  const start = a % (text.length + 1);
  const end = b % (text.length + 1);
  return { text, start: Math.min(start, end), end: Math.max(start, end) };
});

describe('an anchor', () => {
  it('is found at its offsets', () => {
    fc.assert(
      fc.property(pieces, ({ text, start, end }) => {
        const anchor = makeAnchor('response', text, { start, end });
        expect(locateAnchor(anchor, text)).toEqual({ state: 'exact', start: anchor.start, end: anchor.end });
        expect(anchor.start).toBeLessThanOrEqual(start);
        expect(anchor.end).toBeGreaterThanOrEqual(end);
      }),
    );
  });

  it('never cuts a surrogate pair', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('😀', 'a', '𝒙'), { maxLength: 60 }),
        fc.nat(),
        fc.nat(),
        (parts, a, b) => {
          const text = parts.join('');
          const [start = 0, end = 0] = [a, b].map((at) => at % (text.length + 1)).sort((x, y) => x - y);
          const { quote, before, after } = makeAnchor('prompt', text, { start, end });
          for (const piece of [quote, before, after]) expect(piece.isWellFormed()).toBe(true);
          expect(text).toContain(before + quote + after);
        },
      ),
    );
  });

  it('moves with insertions before it, and not with insertions after it', () => {
    fc.assert(
      fc.property(pieces, texts, texts, ({ text, start, end }, front, back) => {
        const anchor = makeAnchor('response', text, { start, end });
        fc.pre(anchor.end > anchor.start && front.length > 0);
        expect(locateAnchor(anchor, text + back).state).toBe('exact');
        const placed = locateAnchor(anchor, front + text);
        expect(placed.state).not.toBe('orphaned');
        if (placed.state === 'orphaned') return;
        expect((front + text).slice(placed.start, placed.end)).toBe(anchor.quote);
      }),
    );
  });

  it('is found at its own offsets if its quote repeats', () => {
    const text = 'first: wait. second: wait. third: wait.';
    const start = text.indexOf('wait', 20);
    const anchor = makeAnchor('response', text, { start, end: start + 4 });
    const front = 'Something new in front of it all, longer than the rest. wait. ';
    expect(locateAnchor(anchor, front + text)).toEqual({
      state: 'moved',
      start: front.length + start,
      end: front.length + start + 4,
    });
  });

  it('takes the nearest of equal matches', () => {
    const anchor = makeAnchor('response', 'wait', { start: 0, end: 4 });
    expect(locateAnchor({ ...anchor, start: 20, end: 24 }, 'wait      wait     wait')).toEqual({
      state: 'moved',
      start: 19,
      end: 23,
    });
  });

  it.each([
    ['line ends of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
    ['trailing blanks', (text: string) => text.replaceAll('\n', '  \n')],
    ['indented', (text: string) => text.replaceAll('\n', '\n    ')],
    ['on one line', (text: string) => text.replaceAll('\n', ' ')],
    ['without any gap between tags', (text: string) => text.replace(/>\s+</g, '><')],
    ['another template around it', (text: string) => `<|user|>\n\n${text}\n<|end|>`],
  ])('survives %s', (_, reformatted) => {
    const text = 'So x is 4.\n</reason>\n<tool_call>\nprint( 4 )\n</tool_call>\nand then\nwe stop.';
    const start = text.indexOf('4.');
    const end = text.indexOf('and then') + 8;
    const anchor = makeAnchor('response', text, { start, end });
    const other = reformatted(text);
    const placed = locateAnchor(anchor, other);
    expect(placed.state).toBe('moved');
    if (placed.state === 'orphaned') return;
    const found = other.slice(placed.start, placed.end);
    expect(found.replace(/\s+/g, '')).toBe(anchor.quote.replace(/\s+/g, ''));
    expect(found).toBe(found.trim());
  });

  it('is orphaned when its quote is gone, and never matches other text', () => {
    const text = 'the answer is 41, I think';
    const start = text.indexOf('41');
    const anchor = makeAnchor('response', text, { start, end: start + 2 });
    expect(locateAnchor(anchor, 'the answer is 42, I think')).toEqual({ state: 'orphaned' });
    expect(locateAnchor(anchor, '')).toEqual({ state: 'orphaned' });
    const blank = makeAnchor('response', 'a   b', { start: 1, end: 4 });
    expect(locateAnchor(blank, 'a\tb')).toEqual({ state: 'orphaned' });
    const short = makeAnchor('response', 'no w', { start: 0, end: 4 });
    expect(locateAnchor(short, 'now')).toEqual({ state: 'orphaned' });
  });

  it('finds a long range by both ends, and detects a changed middle', () => {
    const piece = `begins ${'here '.repeat(1_000)} and ends`;
    const text = `before ${piece} after`;
    const anchor = makeAnchor('response', text, { start: 7, end: 7 + piece.length });
    expect(anchor.quote.length + (anchor.quoteEnd?.length ?? 0)).toBe(LONGEST_QUOTE);
    expect(anchor.before.length).toBeLessThanOrEqual(CONTEXT_CHARS);
    expect(locateAnchor(anchor, text).state).toBe('exact');
    expect(locateAnchor(anchor, `more ${text}`)).toEqual({
      state: 'moved',
      start: 12,
      end: 12 + piece.length,
    });
    const middle = Math.floor(text.length / 2);
    const changed = `${text.slice(0, middle)}X${text.slice(middle + 1)}`;
    expect(locateAnchor(anchor, changed)).toEqual({ state: 'moved', start: 7, end: 7 + piece.length });
    const longer = `${text.slice(0, middle)}something else${text.slice(middle)}`;
    expect(locateAnchor(anchor, longer)).toEqual({ state: 'moved', start: 7, end: 7 + piece.length + 14 });
    expect(locateAnchor(anchor, text.slice(0, middle))).toEqual({ state: 'orphaned' });
  });

  it.each([
    ['one letter', 'a', 'b'],
    ['a repeated line', 'again and again\n', 'never'],
    ['blanks', ' ', 'x'],
  ])('is found quickly in a megabyte of %s', (_, unit, odd) => {
    const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
    const middle = text.length >>> 1;
    const anchor = makeAnchor('response', text, { start: middle, end: middle + LONGEST_QUOTE });
    const before = process.cpuUsage();
    expect(locateAnchor(anchor, `${odd}${text.slice(0, middle)}${odd}${text.slice(middle)}`).state).not.toBe(
      'exact',
    );
    expect(locateAnchor({ ...anchor, quote: `${anchor.quote}${odd}${odd}` }, text).state).toBe('orphaned');
    // A quadratic search would take minutes.
    // Time of the processor, which other programs do not add to.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});

it('compares the context of a bounded number of matches', () => {
  const context = { before: `b${'a'.repeat(CONTEXT_CHARS - 1)}`, after: `${'a'.repeat(CONTEXT_CHARS - 1)}b` };
  const anchor = { text: 'response' as const, start: 90_000, end: 90_002, quote: 'aa', ...context };
  const text = 'a'.repeat(20_000);
  const calls = callsOf(() => {
    expect(locateAnchor(anchor, text)).toMatchObject({ state: 'moved' });
  });
  // One per match, and those of the comparisons.
  expect(calls).toBeLessThan(30_000);
});

it('finds a line that is now behind a thousand others with its quote', () => {
  const rows = Array.from({ length: 1500 }, (_, i) => `row ${i}: 0 ok\n`).join('');
  const [line, above] = ['result is = 0 wrong here\n', 'log: 0 x\n'.repeat(900)];
  const start = rows.length + line.indexOf('0');
  const anchor = makeAnchor('response', rows + line, { start, end: start + 1 });
  const found = above.length + line.indexOf('0');
  expect(locateAnchor(anchor, above + line + rows)).toEqual({ state: 'moved', start: found, end: found + 1 });
});

it('searches a text once for the two ends that many annotations have', () => {
  const text = 'a'.repeat(500_000);
  const context = { before: 'b', after: 'b' };
  const anchor = { text: 'response' as const, start: 600_000, end: 600_200, quote: 'aa', quoteEnd: 'a' };
  const before = process.cpuUsage();
  for (let i = 0; i < 400; i++)
    expect(locateAnchor({ ...anchor, ...context }, text)).toMatchObject({ state: 'moved' });
  // A search each would take four seconds.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
