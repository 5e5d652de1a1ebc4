import { describe, expect, it } from 'vitest';
import { argumentPlaces, codePlaces, placedPieces } from '../../renderer/editor/codePlaces.ts';
import { agreementLabels } from '../../renderer/ui/tokenClasses.tsx';
import { marksIn } from '../../renderer/views/replay/text/textMarks.ts';
import {
  resolveThreshold,
  shareOfSlider,
  sliderOfShare,
  thresholdLabel,
} from '../../renderer/views/replay/text/thresholdModel.ts';
import {
  classOf,
  gapFlags,
  heatOf,
  neighbour,
  seriesOf,
  signalLabels,
  tokenScope,
  tokensIn,
} from '../../renderer/views/replay/text/tokenHeat.ts';
import {
  alternativesView,
  columnFacts,
  valueFacts,
} from '../../renderer/views/replay/tokens/readoutModel.ts';
import { segmentMeans } from '../../renderer/views/replay/tokens/segmentMeans.ts';
import {
  contextOf,
  listedTokens,
  parseSpan,
  spanOf,
  tokensCsv,
} from '../../renderer/views/replay/tokens/tokenListModel.ts';
import {
  lexiconAgreement,
  lexiconRanges,
  parseWords,
} from '../../renderer/views/replay/tokens/useLexicon.ts';
import type { Segment, SegmentKind, ToolOutcome, Turn } from '../../shared/domain/model.ts';

/** Segments as kind, text and turn; the response is the concatenated texts. */
function drawRollout(...drawn: readonly (readonly [SegmentKind, string, number])[]) {
  let at = 0;
  const segments = drawn.map(([kind, text, turn]): Segment => {
    const range = { start: at, end: at + text.length };
    at = range.end;
    return { kind, turn, outer: range, inner: range };
  });
  return { response: drawn.map(([, text]) => text).join(''), segments, toolCalls: [] };
}

const ROLLOUT = drawRollout(
  ['reasoning', 'Wait now', 1],
  ['tool-call', ' x=1', 1],
  ['tool-response', ' out', 1],
  ['reasoning', ' But see', 2],
  ['answer', ' "a,b"', 2],
);
// Wait| now| x=1| out| But| see| "a,b"
const ENDS = Uint32Array.of(4, 8, 12, 16, 20, 24, 30);
const MASK = Uint8Array.of(1, 1, 1, 0, 1, 1, 1);
const VALUES = Float32Array.of(2, 0.1, 0.75, 9, 1.5, 0, 0.5);
const SOURCE = { kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' } as const;
const NO_SETTINGS = { fixed: undefined, percentile: undefined } as const;

function heatAt(share: number, outcome?: ToolOutcome) {
  const logged = {
    count: 7,
    available: ['entropy'] as const,
    ends: ENDS,
    mask: MASK,
    signal: 'entropy' as const,
    source: SOURCE,
    values: VALUES,
  };
  const words = signalLabels(logged);
  const series = words === undefined ? undefined : seriesOf(logged, 'entropy', words);
  if (series === undefined) throw new Error('no series');
  const { known } = series;
  const call = { turn: 1, ordinal: 0, callSegment: 1, responseSegment: 2 };
  const text = { ...ROLLOUT, toolCalls: outcome === undefined ? [] : [{ ...call, outcome }] };
  return heatOf(series, resolveThreshold({ kind: 'rollout', share, known, ...NO_SETTINGS }), text, 60);
}

describe('thresholds', () => {
  it('count high tokens, and of how many', () => {
    const { threshold } = heatAt(0.5);
    expect(thresholdLabel(threshold, 'nats', true)).toBe('≥ 0.750 nats · 3 of 6 policy tokens');
    expect(thresholdLabel({ ...threshold, value: undefined, high: 0 }, 'nats', false)).toBe(
      '0 of 6 tokens, no loss mask',
    );
  });

  it('never make a certain token high', () => {
    const known = Float32Array.of(0, 0, 0, 0.3);
    expect(resolveThreshold({ kind: 'rollout', share: 0.5, known, ...NO_SETTINGS }).high).toBe(1);
    const certain = resolveThreshold({
      ...NO_SETTINGS,
      kind: 'fixed',
      share: 0.2,
      fixed: 0,
      known: known.slice(0, 3),
    });
    expect(certain.value).toBeUndefined();
  });

  it('wait for a percentile that is not yet known', () => {
    const input = { kind: 'run', share: 0.2, fixed: undefined, known: Float32Array.of(1, 2) } as const;
    expect(resolveThreshold({ ...input, percentile: undefined })).toMatchObject({
      value: undefined,
      high: 0,
    });
    expect(resolveThreshold({ ...input, percentile: 1.5 })).toMatchObject({ value: 1.5, high: 1 });
  });

  it('use exactly the slider’s share', () => {
    expect(shareOfSlider(sliderOfShare(0.2))).toBe(0.2);
    for (const share of [0.005, 0.01, 0.05, 0.5])
      expect(shareOfSlider(sliderOfShare(share))).toBeCloseTo(share, 2);
  });
});

describe('classes, jumps and marks', () => {
  it('jump everywhere, after an error only, or in code only', () => {
    const jumps = (scope: string | null) => {
      const { high, reflections } = tokensIn(heatAt(1, 'exception'), tokenScope(scope));
      return [[...high], [...reflections]];
    };
    expect(jumps(null)).toEqual([[0, 1, 2, 4, 6], [4]]);
    expect(jumps('anywhere')).toEqual(jumps(null));
    expect(jumps('after-error')).toEqual([[4, 6], [4]]);
    expect(jumps('code')).toEqual([[2], []]);
  });

  it('count what follows the last of several responses as after an error', () => {
    const calls = drawRollout(
      ['tool-call', 'a', 1],
      ['tool-response', 'b', 1],
      ['tool-response', 'c', 1],
      ['reasoning', 'd', 2],
      ['tool-call', 'e', 2],
      ['tool-response', 'f', 2],
      ['reasoning', 'g', 3],
    );
    const logged = {
      ...{ count: 7, available: ['entropy'] as const, signal: 'entropy' as const, source: SOURCE },
      ends: Uint32Array.of(1, 2, 3, 4, 5, 6, 7),
      mask: Uint8Array.of(1, 0, 0, 1, 1, 0, 1),
      values: Float32Array.of(1, 1, 1, 2, 3, 1, 4),
    };
    const words = signalLabels(logged);
    const series = words && seriesOf(logged, 'entropy', words);
    if (series === undefined) throw new Error('no series');
    const threshold = resolveThreshold({ ...NO_SETTINGS, kind: 'rollout', share: 1, known: series.known });
    const call = (outcome: ToolOutcome, callSegment: number, responseSegment: number) => ({
      ...{ turn: 1, outcome, callSegment, responseSegment },
    });
    const toolCalls = [call('exception', 0, 1), call('ok', 0, 2), call('ok', 4, 5)];
    expect([...heatOf(series, threshold, { ...calls, toolCalls }, 0).afterErrors]).toEqual([3, 4]);
  });

  it('separate forking, reflection, code and answer; the environment has none', () => {
    const heat = heatAt(1);
    expect(Array.from(ENDS, (_, token) => classOf(heat, token))).toEqual([
      'forking',
      'forking',
      'code',
      'none',
      'reflection',
      'none',
      'answer',
    ]);
    expect(Array.from(heat.high)).toEqual([0, 1, 2, 4, 6]);
    expect(Array.from(heat.reflections)).toEqual([4]);
    expect(Array.from(heat.afterErrors)).toEqual([]);
    expect(Array.from(heatAt(1, 'exception').afterErrors)).toEqual([4, 6]);
    expect(Array.from(heatAt(1, 'ok_stdout').afterErrors)).toEqual([]);
    expect(heat.classCounts).toMatchObject({ forking: 2, reflection: 1, code: 1, answer: 1 });
  });

  it('go to the next and the previous, and stop at the ends', () => {
    const { high } = heatAt(1);
    expect([neighbour(high, 2, 1), neighbour(high, 2, -1)]).toEqual([4, 1]);
    expect([neighbour(high, 6, 1), neighbour(high, 0, -1)]).toEqual([undefined, undefined]);
  });

  it('detect a constant signal', () => {
    const logged = {
      count: 2,
      available: ['advantage'] as const,
      signal: 'advantage' as const,
      source: { kind: 'advantage' } as const,
      values: Float32Array.of(-0.5, -0.5),
    };
    const words = signalLabels(logged);
    const series = words === undefined ? undefined : seriesOf(logged, 'advantage', words);
    expect(series?.isConstant).toBe(true);
    expect(Array.from(series?.heights ?? [])).toEqual([0.5, 0.5]);
  });

  it('have their own names for reflection and for each overlay', () => {
    const marks = {
      heat: heatAt(1),
      isUnderlined: false,
      masked: Uint8Array.of(0, 0, 0, 1, 0, 0, 0),
      gap: undefined,
      ends: ENDS,
      words: [{ start: 0, end: 4 }],
      labels: [],
    };
    const all = { start: 0, end: 30 };
    const named = marksIn(all, marks).map(({ name, start, end }) => `${name} ${start}-${end}`);
    expect(named).toContain('masked 12-16');
    expect(named).toContain('words 0-4');
    expect(named.some((one) => /^reflection-\d 17-20$/.test(one))).toBe(true);
    expect(named.some((one) => /^heat-\d 0-4$/.test(one))).toBe(true);
    const underlined = marksIn(all, { ...marks, isUnderlined: true }).map(({ name }) => name);
    expect(underlined.some((name) => name.startsWith('reflection-line-'))).toBe(true);
    expect(underlined.some((name) => name.startsWith('heat-'))).toBe(false);
  });

  it('mark the largest log-probability gaps, whatever their sign', () => {
    const gap = Float32Array.from({ length: 40 }, (_, i) => (i === 7 ? -3 : i === 9 ? 2 : 0.01));
    const flags = gapFlags(gap, undefined);
    expect([flags?.[7], flags?.[9], flags?.[8]]).toEqual([1, 1, 0]);
    expect(gapFlags(new Float32Array(40), undefined)).toBeUndefined();
  });
});

describe('the readout of a token', () => {
  it('shows value, rank and percentile, and leaves out unknown ones', () => {
    const heat = heatAt(0.5);
    expect(valueFacts(heat, 4).map(({ label, value }) => `${label} ${value}`.trim())).toEqual([
      'entropy 1.500 nats',
      'rank 2 of 6',
      '66.7th percentile',
      'class reflection',
    ]);
    expect(valueFacts(heat, 3)[0]?.value).toContain('written by the environment');
    expect(columnFacts(heat, 0, {}).map(({ label }) => label)).toEqual(['written by']);
    const columns = { logprob: Float32Array.of(-1), trainerLogprob: Float32Array.of(-1.25) };
    expect(columnFacts(heat, 0, columns).find(({ label }) => label === 'gap')?.value).toBe('−0.250');
  });

  it('turns listed alternatives into probabilities and shows the rest', () => {
    const listed = [
      ['a', Math.log(0.5)],
      ['b', Math.log(0.25)],
    ] as const;
    const view = alternativesView(listed, 'b', Math.log(0.25));
    expect(view?.rows.map(({ text, isSampled }) => [text, isSampled])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(view?.tail).toBeCloseTo(0.25);
    const outside = alternativesView([['a', Math.log(0.5)]], 'z', Math.log(0.125));
    expect(outside?.rows.map(({ text }) => text)).toEqual(['a', 'z']);
    expect(outside?.tail).toBeCloseTo(0.375);
    // A sentinel: the probability of the sampled token is unknown, not 0.
    expect(alternativesView([['a', -0.1]], 'z', -9999)?.rows).toHaveLength(1);
    expect(alternativesView(null, 'z', undefined)).toBeUndefined();
  });
});

describe('the list of high tokens', () => {
  it('filters by text, class and range, and orders by value', () => {
    const heat = heatAt(1);
    const all = { text: '', tokenClass: 'all', span: undefined, order: 'place' } as const;
    expect(Array.from(listedTokens(heat, { ...all, order: 'value' }))).toEqual([0, 4, 2, 6, 1]);
    expect(Array.from(listedTokens(heat, { ...all, tokenClass: 'forking' }))).toEqual([0, 1]);
    expect(Array.from(listedTokens(heat, { ...all, span: { from: 1, to: 4 } }))).toEqual([1, 2, 4]);
    expect(Array.from(listedTokens(heat, { ...all, text: 'but' }))).toEqual([4]);
    expect(Array.from(listedTokens(heat, { ...all, text: 'WAIT' }))).toEqual([]);
    expect(contextOf(heat, 4)).toMatchObject({ text: ' But', after: ' see "a,b"' });
  });

  it('is written as CSV, unknown values and classes empty', () => {
    expect(tokensCsv(heatAt(0.5), [0, 3, 6])).toBe(
      'i,start,end,text,value,class\n0,0,4,Wait,2,forking\n3,12,16, out,9,\n6,24,30," ""a,b""",0.5,\n',
    );
  });

  it('takes its range from the brush and from the URL', () => {
    expect(spanOf(ENDS, 30, 0.9, 0.1)).toEqual({ from: 0, to: 6 });
    expect(spanOf(ENDS, 30, 0.4, 0.5)).toEqual({ from: 3, to: 3 });
    expect(parseSpan('2-99', 7)).toEqual({ from: 2, to: 6 });
    for (const text of ['5-2', 'x', null]) expect(parseSpan(text, 7)).toBeUndefined();
  });
});

describe('the lexicon', () => {
  it('finds lexicon words in the policy’s text and measures their overlap with heat', () => {
    const words = parseWords('Wait, but\nout,, wait');
    expect(words).toEqual(['wait', 'but', 'out']);
    // `out` is in a tool response, which the policy did not write.
    const ranges = lexiconRanges(ROLLOUT.response, ROLLOUT.segments, words);
    expect(ranges).toEqual([
      { start: 0, end: 4 },
      { start: 17, end: 20 },
    ]);
    const agreement = lexiconAgreement(heatAt(0.5), ranges);
    expect(agreement).toMatchObject({ both: 2, lexiconOnly: 0, highOnly: 1, neither: 3 });
    expect(agreement === undefined ? [] : agreementLabels(agreement)).toContain(
      '2 tokens are in a listed word and high',
    );
  });
});

describe('ids without text', () => {
  const turn = (number: number, policyTokens?: number): Turn => ({
    turn: number,
    segments: 1,
    toolCalls: 0,
    toolErrors: 0,
    policyTokens,
  });
  const { segments } = ROLLOUT;
  const heights = Float32Array.of(1, 3, 9, 0.5, 0.5, 0.5);
  const mask = Uint8Array.of(1, 1, 0, 1, 1, 1);

  it('are matched by the tokens of each turn', () => {
    const found = segmentMeans({ segments, turns: [turn(1, 2), turn(2, 3)] }, heights, mask);
    expect(found?.by).toBe('turns');
    expect(found?.means.get(0)).toMatchObject({ mean: 2, tokens: 2, segments: 2, level: 4 });
    expect(found?.means.get(3)).toMatchObject({ mean: 0.5, tokens: 3, segments: 2, level: 1 });
  });

  it('show the position of an id, as far as known', () => {
    const found = segmentMeans({ segments, turns: [turn(1, 2), turn(2, 3)] }, heights, mask);
    expect([...(found?.segmentOf ?? [])]).toEqual([0, 0, -1, 3, 3, 3]);
    expect(found?.placeOf(2)).toBeUndefined();
    expect(found?.placeOf(3)).toBe(`turn 2, ${segments[3]?.kind.replace('-', ' ')}`);
  });

  it('else by spans of the mask, else not at all', () => {
    const turns = [turn(1), turn(2)];
    expect(segmentMeans({ segments, turns }, heights, mask)?.by).toBe('runs');
    expect(segmentMeans({ segments, turns }, heights, undefined)).toBeUndefined();
  });
});

describe('code of a tool call', () => {
  const code = 'a = 1\nprint("é")';
  const inner = '{"name":"python","arguments":{"code":"a = 1\\nprint(\\"\\u00e9\\")"}}';

  it('has exact positions if written unchanged', () => {
    const places = codePlaces(code, inner, 100);
    for (const { start, end, source } of places)
      expect(inner.slice(source - 100, source - 100 + end - start)).toBe(code.slice(start, end));
    expect(places.map(({ start, end }) => code.slice(start, end))).toEqual(['a = 1', 'print(', ')']);
    expect(codePlaces('b = 2', inner, 0)).toEqual([]);
    expect(codePlaces('x', 'x', 7)).toEqual([{ start: 0, end: 1, source: 7 }]);
  });

  it('is cut at the end of a range, and loses nothing', () => {
    const pieces = placedPieces(code.slice(6), 6, codePlaces(code, inner, 0));
    expect(pieces.map(({ text }) => text).join('')).toBe('print("é")');
    expect(pieces.map(({ source }) => source !== undefined)).toEqual([true, false, true]);
  });
});

describe('arguments of a call', () => {
  const placesIn = (shown: string, inner: string) =>
    argumentPlaces(shown, inner, 100).map(({ start, end, source }) => {
      expect(inner.slice(source - 100, source - 100 + end - start)).toBe(shown.slice(start, end));
      return shown.slice(start, end);
    });

  it('have exact positions where they are written as shown', () => {
    const shown = '{\n  "id": 7,\n  "by": "he said \\"no\\"",\n  "in": [\n    1.50\n  ]\n}';
    const inner = '{"name": "find", "arguments": {"id": 7, "by": "he said \\"no\\"", "in": [1.50]}}';
    expect(placesIn(shown, inner)).toEqual([
      '{',
      '"id": 7,',
      '"by": "he said \\"no\\"",',
      '"in": [',
      '1.50',
      ']',
      '}',
    ]);
  });

  it('have none for text that is escaped in another way', () => {
    const shown = '{\n  "at": "café",\n  "n": 1\n}';
    expect(placesIn(shown, '{"arguments":{"at":"caf\\u00e9","n":1}}')).toEqual([
      '{',
      '"at":',
      ',',
      '"n":',
      '1',
      '}',
    ]);
  });

  it('are found beside empty ones, which are not shown', () => {
    const shown = '{\n  "b": "x"\n}';
    expect(placesIn(shown, '{"name":"arguments","arguments":{"a":"","b":"x","c":""}}')).toEqual([
      '{',
      '"b":',
      '"x"',
      '}',
    ]);
  });

  it('have none if they are not found in this order', () => {
    expect(placesIn('{\n  "1": 0,\n  "b": 0\n}', '{"arguments":{"b":0,"1":0}}')).toEqual([]);
    expect(placesIn('{}', '{"name":"x"}')).toEqual([]);
    expect(placesIn('{}', 'not JSON')).toEqual([]);
    expect(placesIn('{"a": "\\x"}', '{"arguments":{"a":"\\y"}}')).toEqual([]);
  });
});
