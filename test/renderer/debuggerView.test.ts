import { describe, expect, it } from 'vitest';
import {
  breakOf,
  breakSearch,
  charsOfRow,
  laneHits,
  needsValues,
  nextCallRow,
  nextStopRow,
  READY_MADE,
  readBreaks,
  stopsOf,
  turnAt,
  withCondition,
} from '../../renderer/views/compare/debugger/breakModel.ts';
import type { ComparedRow, RolloutDetail, RolloutSignal } from '../../shared/api/contract.ts';
import type { Hit } from '../../shared/domain/breakpoints.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

/** Turns of two lanes per row; `·` is a gap. */
const rowsOf = (...rows: readonly string[]): readonly ComparedRow[] =>
  rows.map((drawn) => ({
    turns: drawn.split(' ').map((turn) => (turn === '·' ? null : Number(turn))),
    isEqual: false,
    blocks: [],
  }));
const hit = (turn: number, breakpoint = 0): Hit => ({ turn, breakpoint });

const RESPONSE = [
  'It may be \\boxed{3}.</reason>\n<tool_call>\n{"name": "python", "arguments": {"code": "print(1/0)"}}\n</tool_call><|im_end|>\n',
  '<|im_start|>user\n<tool_response>\nTool call failure\nstderr: ZeroDivisionError\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>',
  'So \\boxed{42}.</reason>\n<answer>\\boxed{42}</answer><|im_end|>',
].join('');

function detailOf(): RolloutDetail {
  const { segments, toolCalls, turns } = segmentResponse(RESPONSE, { startsInReasoning: true });
  const shell = { response: RESPONSE, segments, toolCalls, turns: Array.from({ length: turns }) };
  // Of a rollout, the breakpoints look at no more.
  return shell as unknown as RolloutDetail;
}

describe('breakpoints in the link', () => {
  it('come back as they were, with what is off', () => {
    const breaks = [breakOf('first error'), breakOf('text:"a & b, c=d/é" in:code & turn:3', false)];
    const search = breakSearch(breaks, new URLSearchParams('lane=/run/a&row=3&break=answer'));
    const query = new URLSearchParams(search);
    expect(readBreaks(query)).toEqual(breaks);
    expect(query.getAll('lane')).toEqual(['/run/a']);
    expect(query.get('row')).toBe('3');
  });

  it('keep what cannot be read, to be mended', () => {
    const [one] = readBreaks(new URLSearchParams('break=eror'));
    expect(one).toMatchObject({ text: 'eror', isOn: true, fault: { start: 0 } });
    expect(one?.conditions).toBeUndefined();
  });

  it('are each there once, and not without end', () => {
    expect(readBreaks(new URLSearchParams('break=error&break=!error&break= error '))).toHaveLength(1);
    const many = new URLSearchParams(Array.from({ length: 50 }, (_, i) => ['break', `turn:${i + 1}`]));
    expect(readBreaks(many)).toHaveLength(20);
  });

  it('ask for values only where one that is on is about them', () => {
    expect(needsValues([breakOf('value:95', false), breakOf('error')])).toBe(false);
    expect(needsValues([breakOf('error & value:95')])).toBe(true);
  });

  it('are offered in words that can be read', () => {
    for (const { text, hole } of READY_MADE) {
      expect(breakOf(text).fault).toBeUndefined();
      if (hole !== undefined) expect(text).toContain(hole);
    }
    expect(withCondition('', { text: 'turn:3', label: '', hole: '3' })).toEqual({
      text: 'turn:3',
      start: 5,
      end: 6,
    });
    expect(withCondition('error & ', { text: 'fork', label: '' })).toEqual({
      text: 'error & fork',
      start: 12,
      end: 12,
    });
  });
});

describe('hits', () => {
  it('hold where they hold, counted over all breakpoints', () => {
    const breaks = [breakOf('answer', false), breakOf('nonsense'), breakOf('first error'), breakOf('answer')];
    const hits = laneHits(breaks, { detail: detailOf(), signal: undefined, fork: undefined });
    expect(hits.map(({ turn, breakpoint, found }) => [turn, breakpoint, found])).toEqual([
      [1, 2, 'exception'],
      [2, 3, '3 → 42'],
    ]);
  });

  it('take the place where a lane parts, and values where there are any', () => {
    const detail = detailOf();
    const at = (text: string, signal?: RolloutSignal) =>
      laneHits([breakOf(text)], { detail, signal, fork: { turn: 2, offset: 5 } }).map(({ turn }) => turn);
    expect(at('fork')).toEqual([2]);
    expect(at('value:50')).toEqual([]);
    const signal: RolloutSignal = {
      count: 2,
      available: ['entropy'],
      ends: Uint32Array.from([5, 10]),
      values: Float32Array.from([0.1, 2]),
    };
    expect(at('value:50', signal)).toEqual([1]);
    expect(at('value:50', { count: 2, available: [] })).toEqual([]);
  });

  it('stand in the row that shows their turn', () => {
    const rows = rowsOf('1 1', '2 ·', '· 2', '3 3');
    const stops = stopsOf(rows, [
      [hit(2), hit(3)],
      [hit(2), hit(3, 1), hit(9)],
    ]);
    expect(stops.map(({ row, lane }) => [row, lane])).toEqual([
      [1, 0],
      [2, 1],
      [3, 0],
      [3, 1],
    ]);
    expect(nextStopRow(stops, 0, 1)).toBe(1);
    expect(nextStopRow(stops, 1, 1)).toBe(2);
    expect(nextStopRow(stops, 3, 1)).toBeUndefined();
    expect(nextStopRow(stops, 3, -1)).toBe(2);
    expect(nextStopRow(stops, 1, -1)).toBeUndefined();
  });
});

describe('the playhead', () => {
  it('leaves a lane at its last turn where it has a gap', () => {
    const rows = rowsOf('· 1', '1 2', '2 ·');
    expect(turnAt(rows, 0, 0)).toBeUndefined();
    expect(turnAt(rows, 1, 2)).toBe(2);
    expect(turnAt(rows, 0, 2)).toBe(2);
    expect(turnAt([], 0, 0)).toBeUndefined();
  });

  it('goes from call to call, whichever lane makes it', () => {
    const rows = rowsOf('1 1', '2 ·', '· 2', '3 3');
    const calling = (...turns: readonly number[]) =>
      ({ toolCalls: turns.map((turn) => ({ turn })) }) as unknown as RolloutDetail;
    const lanes = [calling(1), calling(2)];
    expect(nextCallRow(rows, lanes, 0, 1)).toBe(2);
    expect(nextCallRow(rows, lanes, 2, 1)).toBeUndefined();
    expect(nextCallRow(rows, lanes, 2, -1)).toBe(0);
  });

  it('stays as long as the longest lane takes to read', () => {
    const lane = (length: number) =>
      ({ segments: [{ inner: { start: 0, end: length } }] }) as unknown as RolloutDetail;
    const row: ComparedRow = {
      turns: [1, 1],
      isEqual: false,
      blocks: [{ segments: [0, 0], relations: ['equal', 'similar'], edits: [null, null] }],
    };
    expect(charsOfRow(row, [lane(10), lane(700)])).toBe(700);
    expect(charsOfRow(undefined, [lane(10)])).toBe(0);
  });
});
