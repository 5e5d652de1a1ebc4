/** Hits of a query in the texts of one rollout. */
import { describe, expect, it } from 'vitest';
import { allHits, hitList } from '../../electron/search/snippets.ts';
import { wantedTextNodes } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';

function nodesOf(query: string) {
  const read = readFilter(query);
  if (!read.ok) throw new Error(read.fault.message);
  return wantedTextNodes(read.node);
}

const answer = (...texts: readonly string[]) =>
  texts.map((inner, ordinal) => ({ ordinal, kind: 'answer' as const, turn: 1, inner }));

describe.each(['foo', 'text:/foo/', 'foo bar', 'foo or bar'])('%s: counted hits', (query) => {
  const nodes = nodesOf(query);
  const { length } = allHits(answer('foo bar'), nodes).hits;

  it('are complete up to the limit, and a lower bound beyond it', () => {
    const whole = 1000 / length;
    const listed = (times: number) => {
      const { total, isAtLeast } = hitList(answer('foo bar '.repeat(times)), nodes);
      return { total, isAtLeast };
    };
    expect(listed(whole - 1)).toEqual({ total: 1000 - length, isAtLeast: false });
    expect(listed(whole)).toEqual({ total: 1000, isAtLeast: false });
    expect(listed(whole + 1)).toEqual({ total: 1000, isAtLeast: true });
    expect(listed(5000)).toEqual({ total: 1000, isAtLeast: true });
    const [half, other] = [answer('foo bar '.repeat(whole), 'foo'), answer('foo bar '.repeat(whole), 'zzz')];
    expect(hitList(half, nodes)).toMatchObject({ total: 1000, isAtLeast: true });
    expect(hitList(other, nodes)).toMatchObject({ total: 1000, isAtLeast: false });
  });

  it('all hits have a limit too', () => {
    const whole = 5000 / length;
    expect(allHits(answer('foo bar '.repeat(whole)), nodes)).toMatchObject({ isAtLeast: false });
    const { hits, isAtLeast } = allHits(answer('foo bar '.repeat(whole + 1)), nodes);
    expect(hits).toHaveLength(5000);
    expect(isAtLeast).toBe(true);
  });
});

describe('hits of several words', () => {
  it('are in order, however often the first word occurs', () => {
    const { hits } = hitList(answer(`bar ${'foo '.repeat(9000)}`), nodesOf('foo or bar'));
    expect(hits.map(({ text }) => text)).toEqual(['bar', 'foo', 'foo']);
  });

  it('of overlapping hits the first and longest counts', () => {
    const { hits } = allHits(answer('foo bar foo bar'), nodesOf('foo or "foo bar" or bar'));
    expect(hits.map(({ start, end }) => [start, end])).toEqual([
      [0, 7],
      [8, 15],
    ]);
  });

  it('of equal conditions are those of one', () => {
    const text = answer('foo '.repeat(6000));
    const equal = nodesOf(Array.from({ length: 1000 }, () => 'foo').join(' or '));
    expect(equal).toHaveLength(1000);
    expect(allHits(text, equal)).toEqual(allHits(text, nodesOf('foo')));
  });

  it('hits behind a long one are counted', () => {
    const text = `${'foo '.repeat(3000)}x ${'foo '.repeat(500)}`;
    expect(hitList(answer(text), nodesOf('foo or /^[^x]+/'))).toMatchObject({ total: 501, isAtLeast: false });
  });
});
