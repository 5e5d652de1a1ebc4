import { describe, expect, it } from 'vitest';
import {
  indentedResponse,
  outcomeMark,
  prettyArguments,
  replayText,
  type SegmentView,
  type TurnView,
  turnsOf,
} from '../../renderer/data/segmentViews.ts';
import { indentedPlaces } from '../../renderer/editor/codePlaces.ts';
import {
  countLines,
  failedResponses,
  foldOf,
  isQuicklyDrawn,
} from '../../renderer/views/replay/foldModel.ts';
import { outlineRows, turnOf } from '../../renderer/views/replay/Outline.tsx';
import { findHits } from '../../renderer/views/replay/text/findModel.ts';
import { columnStatistics, markClusters, profileOf } from '../../renderer/views/replay/text/profileModel.ts';
import {
  dwellMs,
  isFailedCall,
  nextCallSegment,
  nextTurn,
  segmentAt,
} from '../../renderer/views/replay/text/replayModel.ts';
import { reindentedJson } from '../../shared/domain/jsonText.ts';
import { callProblem } from '../../shared/domain/toolCallPayload.ts';
import { rolloutDetail } from '../support/preview/previewData.ts';

const { detail } = rolloutDetail(100_001_07);
const turns = turnsOf(detail);

describe('turns of a rollout', () => {
  it('holds every segment once, the prompt as turn 0', () => {
    expect(turns[0]?.turn).toBe(0);
    expect(turns.flatMap((turn) => turn.segments).map((view) => view.index)).toEqual(
      detail.segments.map((_, i) => i),
    );
  });

  it('shows the exact text of each side', () => {
    const response = turns.slice(1).flatMap((turn) => turn.segments);
    expect(response.map((view) => view.outer).join('')).toBe(detail.response);
    for (const view of response) expect(view.outer).toContain(view.inner);
  });

  it('pairs calls with their responses', () => {
    const views = turns.flatMap((turn) => turn.segments);
    for (const view of views) {
      if (view.call?.responseSegment === undefined) continue;
      expect(views[view.call.responseSegment]?.answeredCall).toBe(view.call);
    }
  });

  it('steps and stops at the ends', () => {
    const last = turns.at(-1)?.turn ?? 0;
    expect(nextTurn(turns, 0, -1)).toBe(0);
    expect(nextTurn(turns, 0, 1)).toBe(1);
    expect(nextTurn(turns, last, 1)).toBe(last);
    expect(nextTurn(turns, 0, 1e9)).toBe(last);
  });

  it('finds the call after and before a segment', () => {
    const [first] = detail.toolCalls;
    expect(nextCallSegment(detail.toolCalls, -1, 1)).toBe(first?.callSegment);
    expect(nextCallSegment(detail.toolCalls, first?.callSegment ?? 0, -1)).toBeUndefined();
  });

  it('counts failed and malformed calls as failures, but none without a response', () => {
    const [call] = detail.toolCalls;
    if (call === undefined) throw new Error('the rollout has no call');
    const failed = (['ok_stdout', 'missing', 'exception', 'malformed'] as const).map((outcome) =>
      isFailedCall({ ...call, outcome }),
    );
    expect(failed).toEqual([false, false, true, true]);
  });

  it('finds the segment under the scrubber', () => {
    for (const [index, segment] of detail.segments.entries()) {
      if (segment.turn > 0) expect(segmentAt(detail.segments, segment.outer.start)).toBe(index);
    }
  });

  it('rests longer on longer turns, never for ever', () => {
    expect(dwellMs(undefined, 1)).toBe(1_200);
    expect(dwellMs(turns[1], 2) * 2).toBe(dwellMs(turns[1], 1));
  });
});

describe('outcomes', () => {
  it('shows the outcome of a call by glyph and word', () => {
    expect(outcomeMark('ok_stdout')).toEqual({ glyph: '✓', label: 'success', isError: false });
    expect(outcomeMark('timeout')).toEqual({ glyph: '✕', label: 'timed out', isError: true });
    expect(outcomeMark('missing').isError).toBe(false);
  });
});

describe('arguments', () => {
  it('lists fields that are not shown elsewhere', () => {
    expect(prettyArguments('{"code":"x","input":"","n":3}', ['code'])).toBe('{\n  "n": 3\n}');
    expect(prettyArguments('{"code":"x"}', ['code'])).toBeUndefined();
    expect(prettyArguments('{"n": NaN}')).toBe('{"n": NaN}');
    expect(prettyArguments(undefined)).toBeUndefined();
  });
});

describe('raw record', () => {
  it('is split into tokens, numbers as written', () => {
    const text = '{"id":12345678901234567890,"x":NaN,"e":[],"s":"a{\\"b","l":[1,{"k":null}]}';
    const lines = [
      '{',
      '  "id": 12345678901234567890,',
      '  "x": NaN,',
      '  "e": [],',
      '  "s": "a{\\"b",',
      '  "l": [',
      '    1,',
      '    {',
      '      "k": null',
      '    }',
      '  ]',
      '}',
    ];
    expect(reindentedJson(text)).toBe(lines.join('\n'));
    expect(reindentedJson('plain')).toBeUndefined();
  });

  it('gives up where indentation would be most of the text', () => {
    const nested = (levels: number, items: number) =>
      '['.repeat(levels) + '1,'.repeat(items) + '1'.padEnd(levels + 1, ']');
    expect(reindentedJson(nested(100, 0))).toBeDefined();
    expect(reindentedJson(nested(30_000, 0))).toBeUndefined();
    expect(reindentedJson(nested(150, 200_000))).toBeUndefined();
    expect(reindentedJson(nested(2, 200_000))).toBeDefined();
  });
});

describe('a tool response of JSON in one line', () => {
  const response = (inner: string, more: Partial<SegmentView> = {}) =>
    ({
      ...{ inner, outer: `<${inner}>`, hasTokens: false },
      segment: { kind: 'tool-response', inner: { start: 7, end: 7 + inner.length } },
      ...more,
    }) as unknown as SegmentView;
  const json = '{"user": "a\\nb", "id": 12345678901234567890, "id": 1.50, "flights": [], "ok": true}';
  const shown =
    '{\n  "user": "a\\nb",\n  "id": 12345678901234567890,\n  "id": 1.50,\n  "flights": [],\n  "ok": true\n}';

  it('is indented with its tokens as written, each where the log has it', () => {
    const view = response(`${json} `);
    expect(replayText(view, false)).toBe(shown);
    expect(replayText(view, true)).toBe(view.outer);
    const places = indentedPlaces(shown, view.inner, 7);
    for (const { start, end, source } of places)
      expect(view.inner.slice(source - 7, source - 7 + end - start)).toBe(shown.slice(start, end));
    const placed = places.map(({ start, end }) => shown.slice(start, end)).join('');
    expect(placed.replaceAll(/\s/g, '')).toBe(json.replaceAll(/\s/g, ''));
  });

  it('is as logged if it is short, long, laid out already, no JSON, or of a rollout with tokens', () => {
    const others = [
      response('{"a": 1}'),
      response(`{"a": "${'x'.repeat(20_000)}"}`),
      response(`[${'1,'.repeat(2_000)}1]`),
      response(json.replace(', ', ',\n')),
      response(json.replace('true', 'True')),
      response(`"${'x'.repeat(90)}"`),
      response(json, { hasTokens: true }),
      response(json, { segment: { kind: 'user' } as SegmentView['segment'] }),
    ];
    expect(others.map(indentedResponse)).toEqual(others.map(() => undefined));
    expect(others.map((view) => replayText(view, false))).toEqual(others.map(({ inner }) => inner));
  });
});

describe('folds', () => {
  it('counts what it hides', () => {
    const text = Array.from({ length: 1_234 }, (_, i) => `row ${i}`).join('\n');
    const fold = foldOf(text, 'tool-response');
    expect(fold).toMatchObject({ isFoldable: true, lines: 1_234, characters: text.length });
    expect(countLines(fold.head)).toBe(40);
    expect(text.startsWith(fold.head)).toBe(true);
  });

  it('folds one endless line without splitting a character', () => {
    const fold = foldOf('😀'.repeat(9_000), 'tool-response');
    expect(fold.isFoldable).toBe(true);
    expect(fold.head.isWellFormed()).toBe(true);
  });

  it('folds letters whose direction changes so often that a page would be slow', () => {
    const fold = foldOf('אa'.repeat(9_000), 'text');
    expect(fold).toMatchObject({ isFoldable: true, head: 'אa'.repeat(1_000), characters: 18_000 });
    expect(foldOf('𞤀a'.repeat(3_000), 'text').isFoldable).toBe(true);
    expect(foldOf('𓀀𒀀'.repeat(3_000), 'text').isFoldable).toBe(true);
    expect(foldOf('中文 text。'.repeat(900), 'text').isFoldable).toBe(false);
    expect(foldOf('עברית and English, '.repeat(500), 'text').isFoldable).toBe(false);
  });

  it('opens by a hit only what is quickly drawn', () => {
    expect(isQuicklyDrawn('אa'.repeat(120_000))).toBe(false);
    expect(isQuicklyDrawn('İ'.repeat(1_000_000))).toBe(false);
    expect(isQuicklyDrawn('a⏎'.repeat(98_000))).toBe(false);
    expect(isQuicklyDrawn('א '.repeat(49_000))).toBe(false);
    expect(isQuicklyDrawn('a\n'.repeat(900_000))).toBe(false);
    expect(isQuicklyDrawn('a line of output\n'.repeat(100_000))).toBe(true);
    expect(isQuicklyDrawn('中文。'.repeat(20_000))).toBe(true);
  });

  it('opens what failed calls of a turn answered, if it is folded', () => {
    const response = (outcome: string, text: string) => ({
      ...{ inner: text, outer: `<${text}>`, segment: { kind: 'tool-response' } },
      answeredCall: { outcome },
    });
    const long = 'x\n'.repeat(500);
    const turn = {
      segments: [response('exception', long), response('exception', 'short'), response('ok', long)],
    } as unknown as TurnView;
    expect(failedResponses(turn, false)).toEqual([turn.segments[0]]);
    expect(failedResponses(turn, true)).toEqual([turn.segments[0]]);
    expect(failedResponses(undefined, false)).toEqual([]);
  });

  it('keeps text that exceeds its limit by one line', () => {
    expect(foldOf('x\n'.repeat(41), 'tool-response').isFoldable).toBe(false);
  });
});

describe('find', () => {
  it('finds in both texts at their exact places', () => {
    const hits = findHits(turns, 'the');
    expect(hits.length).toBeGreaterThan(3);
    for (const hit of hits) expect(detail[hit.source].slice(hit.start, hit.end).toLowerCase()).toBe('the');
  });

  it('minds the case only when the query does', () => {
    expect(findHits(turns, 'WAIT,').length).toBe(0);
    expect(findHits(turns, '')).toEqual([]);
  });
});

describe('profile', () => {
  it('tiles the response and marks its calls', () => {
    const profile = profileOf(detail.segments, detail.toolCalls, detail.response.length);
    expect(profile.bands[0]?.from).toBe(0);
    expect(profile.bands.at(-1)?.to).toBe(1);
    expect(profile.marks.filter((mark) => mark.what !== 'user')).toHaveLength(detail.toolCalls.length);
    expect(profile.turns.map((turn) => turn.turn)).toEqual(turns.slice(1).map((turn) => turn.turn));
  });

  it('keeps the extremes of a column and leaves the unknown and the environment out', () => {
    const tokens = {
      heights: Float32Array.of(0.1, 2, Number.NaN, 0.5, 9),
      ends: Uint32Array.of(1, 2, 3, 4, 4),
      mask: Uint8Array.of(1, 1, 1, 1, 0),
      classes: Uint8Array.of(1, 2, 0, 0, 0),
    };
    const columns = columnStatistics(tokens, 4, 2);
    expect(Array.from(columns.max)).toEqual([2, 0.5]);
    expect(columns.min[0]).toBeCloseTo(0.1);
    expect(columns.mean[0]).toBeCloseTo(1.05);
    expect(Array.from(columns.forking)).toEqual([1, 0]);
    expect(Array.from(columns.reflection)).toEqual([1, 0]);
    expect(
      columnStatistics({ ...tokens, heights: new Float32Array(5).fill(Number.NaN) }, 4, 1).max[0],
    ).toBeNaN();
  });
});

describe('marks of the scrubber', () => {
  const marks = Array.from({ length: 900 }, (_, i) => ({
    what: i === 437 ? ('failed-call' as const) : ('call' as const),
    at: i / 900,
    turn: i,
  }));

  it('are limited to the room, each counted, and a failure stays visible', () => {
    const clusters = markClusters(marks, 100);
    expect(clusters).toHaveLength(100);
    expect(clusters.reduce((sum, one) => sum + one.marks, 0)).toBe(900);
    expect(clusters.filter(({ what }) => what === 'failed-call')).toMatchObject([
      { turn: 437, marks: 9, failed: 1 },
    ]);
  });

  it('are unchanged if there is room', () => {
    expect(markClusters(marks.slice(0, 3), 10_000)).toMatchObject(marks.slice(0, 3));
  });
});

describe('the outline', () => {
  it('has a row per turn and per segment; a response belongs to its call', () => {
    const turns = turnsOf(detail);
    const rows = outlineRows(turns);
    expect(rows.filter(({ what }) => what === 'turn')).toHaveLength(turns.length);
    expect(rows.some((row) => row.what === 'segment' && row.view.answeredCall !== undefined)).toBe(false);
    expect(rows.map(turnOf)).toEqual([...rows.map(turnOf)].sort((a, b) => a - b));
  });
});

describe('a call that no parser can read', () => {
  const problem = (payload: string, after = '\n</tool_call>') => callProblem(payload, after);

  it.each([
    ['{"name": "f", "arguments": {}}', '\n</tool_call>', undefined],
    ['{"name": "f", "arguments": {}}', '', 'no closing </tool_call>'],
    ['', '', 'nothing follows <tool_call>'],
    ['[1]', '\n</tool_call>', 'not a JSON object'],
    ['{"arguments": {}}', '\n</tool_call>', 'no tool is named'],
    ['{"name": "f"}', '\n</tool_call>', 'no arguments'],
  ])('%j says why', (payload, after, expected) => expect(problem(payload, after)).toBe(expected));

  it('names the place of an error in JSON', () => {
    expect(problem('{"name": "f", "arguments": {"a": 1 2}}')).toMatch(/^not valid JSON: .* position 35/);
    expect(problem('{"name": "f", "arg', '')).toMatch(/^not valid JSON: .*, and no closing <\/tool_call>$/);
    expect(problem('{"name": "f", "arguments": "{a"}')).toMatch(/^arguments are not valid JSON: /);
  });
});
