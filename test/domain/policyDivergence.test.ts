/** Where the policy's own text diverges, when a tool caused the first fork. */
import { describe, expect, it } from 'vitest';
import { passagesOf, policyDivergence, type Sampled } from '../../shared/domain/divergence.ts';
import type { Segment, SegmentKind } from '../../shared/domain/model.ts';

function rollout(parts: readonly (readonly [SegmentKind, string])[], tokens?: readonly string[]): Sampled {
  let at = 0;
  const segments = parts.map(([kind, text], i): Segment => {
    const outer = { start: at, end: at + text.length };
    at = outer.end;
    return { kind, turn: i < 2 ? 1 : 2, outer, inner: outer };
  });
  let end = 0;
  const tokenEnds =
    tokens === undefined
      ? {}
      : {
          tokenEnds: Uint32Array.from(tokens, (token) => {
            end += token.length;
            return end;
          }),
        };
  return { response: parts.map(([, text]) => text).join(''), segments, ...tokenEnds };
}

const PARTS_A = [
  ['reasoning', 'Run.'],
  ['tool-response', '0.1 s'],
  ['text', 'So That is it'],
] as const;
const PARTS_B = [
  ['reasoning', 'Run.'],
  ['tool-response', '0.22 s'],
  ['text', 'So The sum'],
] as const;
const TOKENS_A = ['Run', '.', '0.1 s', 'So', ' That', ' is', ' it'];
const TOKENS_B = ['Run', '.', '0.22 s', 'So', ' The', ' sum'];

describe('divergence of the policy', () => {
  const from = (side: Sampled, offset: number | undefined) => side.response.slice(offset);

  it('is at the token on either side', () => {
    const [a, b] = [rollout(PARTS_A, TOKENS_A), rollout(PARTS_B, TOKENS_B)];
    const found = policyDivergence(a, b);
    expect([found?.a.token, found?.b.token]).toEqual([4, 4]);
    expect(from(a, found?.a.offset)).toBe(' That is it');
    expect(from(b, found?.b.offset)).toBe(' The sum');
  });

  it('is a whole word without tokens', () => {
    const [a, b] = [rollout(PARTS_A), rollout(PARTS_B)];
    const found = policyDivergence(a, b);
    expect(from(a, found?.a.offset)).toBe('That is it');
    expect(from(b, found?.b.offset)).toBe('The sum');
    expect([found?.a.token, found?.b.token]).toEqual([undefined, undefined]);
  });

  it('keeps the token of the side that has some', () => {
    const [a, b] = [rollout(PARTS_A, TOKENS_A), rollout(PARTS_B)];
    const found = policyDivergence(a, b);
    expect(found?.a.token).toBe(4);
    expect(found?.b.token).toBeUndefined();
    expect(from(b, found?.b.offset)).toBe('The sum');
  });

  it('does not move back over a finished word', () => {
    const [a, b] = [rollout([['text', 'x = 1 (']]), rollout([['text', 'x = 1 [']])];
    expect(policyDivergence(a, b)?.a.offset).toBe(6);
  });

  it('does not begin with a word that is whole on both sides', () => {
    const [a, b] = [rollout([['text', 'as you want it']]), rollout([['text', "as you'd like"]])];
    const found = policyDivergence(a, b);
    expect(from(a, found?.a.offset)).toBe(' want it');
    expect(from(b, found?.b.offset)).toBe("'d like");
  });
});

describe('passages of a response', () => {
  const { segments, response } = rollout([
    ['user', 'Hi.'],
    ['reasoning', 'Run. '],
    ['text', 'Now.'],
    ['tool-response', '0.1 s'],
  ]);
  const cut = (start: number, end: number) =>
    passagesOf(segments, { start, end }).map((each) => [each.writer, response.slice(each.start, each.end)]);

  it('begin where the writer changes, and lose no text', () => {
    expect(cut(0, response.length)).toEqual([
      ['user', 'Hi.'],
      ['policy', 'Run. Now.'],
      ['tool', '0.1 s'],
    ]);
    expect(cut(1, 5)).toEqual([
      ['user', 'i.'],
      ['policy', 'Ru'],
    ]);
  });

  it('an empty range has no passages, and the prompt is ignored', () => {
    expect(cut(4, 4)).toEqual([]);
    const prompt = segments.map((segment) => ({ ...segment, kind: 'user' as const, turn: 0 }));
    expect(passagesOf(prompt, { start: 0, end: 9 })).toEqual([{ start: 0, end: 9, writer: 'policy' }]);
  });
});
