/** Result rows, the query as a filter, and positions of hits in the rollout. */
import { describe, expect, it } from 'vitest';
import { foundPath, hitAddress, readHitAddress } from '../../renderer/data/searchLink.ts';
import type { SegmentView, TurnView } from '../../renderer/data/segmentViews.ts';
import { placedHits } from '../../renderer/views/replay/useSearchHits.ts';
import {
  foundSentence,
  hasCasedPattern,
  matchCount,
  onOneLine,
  rowsOf,
  scopeOf,
  tallyOf,
  withScope,
} from '../../renderer/views/search/searchModel.ts';
import type {
  FoundGroup,
  FoundRollout,
  SearchCount,
  SearchHit,
  SearchPage,
} from '../../shared/api/contract.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';

const hit = (segment: number, text: string): SearchHit => ({
  segment,
  kind: 'reasoning',
  turn: 1,
  start: 0,
  end: text.length,
  before: '',
  text,
  after: '',
  isCut: { before: false, text: false, after: false },
});
const rollout = (ordinal: number, texts: readonly string[], total = texts.length): FoundRollout => ({
  rolloutId: 100 + ordinal,
  ordinal,
  turns: 1,
  found: { hits: texts.map((text, i) => hit(i, text)), total, isAtLeast: false },
});
const group = (
  groupId: number,
  found: readonly FoundRollout[],
  prompt: readonly string[] = [],
): FoundGroup => ({
  runId: 1,
  step: 1,
  groupId,
  groupKey: `g${groupId}`,
  problemId: 'p',
  preview: 'Problem',
  rollouts: 8,
  correct: 2,
  correctKnown: 8,
  prompt: { hits: prompt.map((text, i) => hit(i, text)), total: prompt.length, isAtLeast: false },
  found,
});
const page = (groups: readonly FoundGroup[], passed: number): SearchPage => ({
  groups,
  passed,
  scanned: 1,
  total: 40,
  unsearched: [],
});

describe('rows of results', () => {
  const pages = [
    page([group(1, [rollout(0, ['a', 'b'], 9)], ['q'])], 10),
    // The group continues on the next page.
    page([group(1, [rollout(3, [])], ['q']), group(2, [rollout(1, ['c'])])], 20),
  ];

  it('have a group, its prompt, then the hits of each rollout; a group across two pages is one', () => {
    const shown = rowsOf(pages).map((row) =>
      row.kind === 'group'
        ? `${row.group.groupKey}: ${row.found}`
        : row.kind === 'prompt'
          ? `prompt ${row.hit.text}`
          : `${row.isFirst ? `#${row.rollout.ordinal}` : '–'} ${row.hit?.text ?? 'no words'}${row.rest === undefined ? '' : ` +${row.rest.count}`}`,
    );
    expect(shown).toEqual(['g1: 2', 'prompt q', '#0 a', '– b +7', '#3 no words', 'g2: 1', '#1 c']);
  });

  it('are counted once', () => {
    expect(tallyOf(pages)).toEqual({
      ...{ rollouts: 3, groups: 2, passed: 30, scanned: 2, total: 40 },
      // Nine in the first rollout, one in the last, and one in the prompt that two pages show.
      ...{ hits: 11, areHitsAtLeast: false },
    });
    expect(tallyOf([])).toEqual({
      ...{ rollouts: 0, groups: 0, passed: 0, scanned: 0, total: 0 },
      ...{ hits: 0, areHitsAtLeast: false },
    });
  });

  it('count every match by run, and say "at least" until the count is complete', () => {
    const part = (runs: SearchCount['runs'], passed: number): SearchCount => ({
      ...{ runs, passed, scanned: 0, total: 100, unsearched: [] },
    });
    const counts = [
      part([{ runId: 1, rollouts: 4 }], 50),
      part(
        [
          { runId: 1, rollouts: 2 },
          { runId: 2, rollouts: 30 },
        ],
        50,
      ),
    ];
    const half = matchCount({ parts: pages, isWhole: false }, { parts: counts.slice(0, 1), isWhole: false });
    expect(half).toMatchObject({ rollouts: 4, passed: 50, total: 100, isExact: false });
    const all = matchCount({ parts: pages, isWhole: false }, { parts: counts, isWhole: true });
    expect(all).toMatchObject({ rollouts: 36, isExact: true });
    expect(all.runs).toEqual([
      { runId: 2, rollouts: 30 },
      { runId: 1, rollouts: 6 },
    ]);
  });

  it('are the count where the pages hold everything, or have come further', () => {
    const whole = matchCount({ parts: pages, isWhole: true }, { parts: [], isWhole: false });
    expect(whole).toMatchObject({
      rollouts: 3,
      runs: [{ runId: 1, rollouts: 3 }],
      passed: 30,
      isExact: true,
    });
    const begun = matchCount({ parts: pages, isWhole: false }, { parts: [], isWhole: false });
    expect(begun).toMatchObject({ rollouts: 3, isExact: false });
  });

  it('are a lower bound where a rollout could not be searched', () => {
    const unsearched = [{ rolloutId: 1, runId: 1, step: 1, groupKey: 'g', ordinal: 0 }];
    const one = { ...page([group(1, [rollout(0, ['a'])])], 40), unsearched };
    const count = matchCount({ parts: [one], isWhole: true }, { parts: [], isWhole: false });
    expect(count).toMatchObject({ rollouts: 1, isExact: false });
  });

  describe('are told in one sentence', () => {
    const tally = { ...tallyOf([]), rollouts: 222, groups: 12, hits: 304 };
    const count = {
      ...{ rollouts: 872, runs: [], passed: 5178, total: 5178, isExact: true },
      unsearched: [],
    };
    const ended = { isWhole: false, isRunning: false, isStopped: false };

    it('with what is listed where the list has a part of them', () => {
      expect(foundSentence(tally, count, ended)).toBe(
        '872 of 5,178 rollouts match. Listed so far: the first 222 rollouts, with at least 304 hits; scroll for more.',
      );
      const wordless = { ...tally, rollouts: 1, hits: 0 };
      expect(foundSentence(wordless, { ...count, rollouts: 2 }, ended)).toBe(
        '2 of 5,178 rollouts match. Listed so far: the first 1 rollout; scroll for more.',
      );
    });

    it('with groups and hits where all are listed', () => {
      const whole = { ...ended, isWhole: true };
      expect(foundSentence(tally, count, whole)).toBe(
        '872 of 5,178 rollouts match in 12 groups, with 304 hits.',
      );
      expect(foundSentence({ ...tally, areHitsAtLeast: true }, count, whole)).toMatch(
        /, with at least 304 hits\.$/,
      );
      const one = { ...count, rollouts: 1, isExact: false };
      expect(foundSentence({ ...tally, groups: 1, hits: 1 }, one, whole)).toBe(
        'At least 1 of 5,178 rollouts matches in 1 group, with 1 hit.',
      );
      expect(foundSentence(tallyOf([]), { ...count, rollouts: 0 }, whole)).toBe(
        'None of 5,178 rollouts matches.',
      );
    });

    it('as a lower bound while it goes on, or when it was stopped', () => {
      const part = { ...count, rollouts: 40, passed: 1000, isExact: false };
      const running = { ...ended, isRunning: true };
      expect(foundSentence(tally, part, running)).toBe(
        'At least 40 of 5,178 rollouts match; 1,000 rollouts searched so far.',
      );
      expect(foundSentence(tally, part, { ...ended, isStopped: true })).toBe(
        'At least 40 of 5,178 rollouts match; stopped after 1,000 rollouts.',
      );
      expect(foundSentence(tallyOf([]), { ...part, total: 0 }, running)).toBe('Searching…');
    });
  });

  it('show line breaks without moving text', () => {
    expect(onOneLine('a\r\nb\nc\td\u2028e')).toBe('a⏎ b⏎c d⏎e');
  });
});

describe('search scope', () => {
  const nodeOf = (text: string): FilterNode => {
    const read = readFilter(text);
    if (!read.ok) throw new Error(read.fault.message);
    return read.node;
  };

  it.each([
    ['wait', 'text'],
    ['code:sympy reward:0', 'code'],
    ['code:sympy output:error', undefined],
    ['reward:0', undefined],
    // Negated terms are not highlighted.
    ['code:sympy not wait', 'code'],
  ])('%s searches %s', (query, scope) => {
    expect(scopeOf(nodeOf(query))).toBe(scope);
  });

  it.each([
    ['"double check" reward:0', '"double check" reward:0', 'code:"double check" reward:0'],
    ['output:/a b/i or verif*', '/a b/i or verif*', 'code:/a b/i or code:verif*'],
    ['wait not prompt:easy', 'wait not prompt:easy', 'code:wait not prompt:easy'],
  ])('%s, elsewhere', (query, everywhere, inCode) => {
    expect(withScope(nodeOf(query), 'text')).toBe(everywhere);
    expect(withScope(nodeOf(query), 'code')).toBe(inCode);
  });

  it('a pattern with letters is case-sensitive, unless its flags say otherwise', () => {
    expect(['/wait/', '/wait/i', '/==/', 'wait'].map((query) => hasCasedPattern(nodeOf(query)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('a link to a hit', () => {
  it('has rollout, query and position, and parses again', () => {
    const route = { view: 'rollout', runKey: 'r', step: 1, groupKey: 'a/b', ordinal: 3 } as const;
    const link = foundPath(route, { query: 'code:"a b" reward:0', turn: 2, at: { segment: 5, start: 12 } });
    const url = new URL(link, 'http://localhost');
    expect(url.pathname).toBe('/run/r/step/1/group/a%2Fb/rollout/3');
    expect(url.searchParams.get('find')).toBe('code:"a b" reward:0');
    expect(readHitAddress(url.searchParams.get('at'))).toEqual({ segment: 5, start: 12 });
    expect(readHitAddress(hitAddress({ segment: 0, start: 0 }))).toEqual({ segment: 0, start: 0 });
  });

  it.each([null, '', '5', '5.', '-1.2', '1.2.3', 'a.b', '1e9.2'])('rejects %s', (text) => {
    expect(readHitAddress(text)).toBeUndefined();
  });
});

describe('positions of hits in the response', () => {
  const code = 'print("a")\nx = 1\n';
  const written = JSON.stringify({ name: 'python', arguments: { code } });
  const response = `<reason>let me print</reason><tool_call>${written}</tool_call>`;
  const view = (index: number, kind: 'reasoning' | 'tool-call', inner: string): SegmentView => {
    const start = response.indexOf(inner);
    const range = { start, end: start + inner.length };
    return {
      index,
      segment: { kind, turn: 1, outer: range, inner: range },
      source: 'response',
      inner,
      outer: inner,
      hasTokens: false,
    };
  };
  const turns: readonly TurnView[] = [
    { turn: 1, segments: [view(0, 'reasoning', 'let me print'), view(1, 'tool-call', written)] },
  ];
  const placed = (segment: number, start: number, end: number): (string | undefined)[] =>
    placedHits(turns, [{ segment, kind: 'reasoning', turn: 1, start, end }]).map((found) =>
      response.slice(found.start, found.end),
    );

  it('are exact in prose', () => {
    expect(placed(0, 7, 12)).toEqual(['print']);
  });

  it('cover code with its escapes', () => {
    expect(placed(1, 0, 5)).toEqual(['print']);
    expect(placed(1, 7, 8)).toEqual(['a']);
    expect(placed(1, code.indexOf('x'), code.indexOf('x') + 1)).toEqual(['x']);
    // Across an escape: from the first part into the last.
    expect(placed(1, 0, code.indexOf('x') + 1)).toEqual(['print(\\"a\\")\\nx']);
  });

  it('cover the whole call if the code is not found again', () => {
    const strange = JSON.stringify({ name: 'python', arguments: JSON.stringify({ code }) });
    const lost: TurnView = {
      turn: 1,
      segments: [{ ...view(1, 'tool-call', written), inner: strange }],
    };
    const [found] = placedHits([lost], [{ segment: 1, kind: 'tool-call', turn: 1, start: 0, end: 5 }]);
    expect(found).toMatchObject(lost.segments[0]?.segment.inner ?? {});
  });

  it('a hit of a missing segment has no position', () => {
    expect(placed(9, 0, 1)).toEqual([]);
  });
});
