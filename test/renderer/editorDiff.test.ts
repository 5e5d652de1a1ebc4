import { describe, expect, it } from 'vitest';
import type { SegmentView } from '../../renderer/data/segmentViews.ts';
import { editorDiff } from '../../renderer/views/compare/blockModel.ts';
import type { SegmentKind, ToolCall } from '../../shared/domain/model.ts';

function view(kind: SegmentKind, inner: string, call?: Partial<ToolCall>): SegmentView {
  const range = { start: 0, end: inner.length };
  return {
    index: 0,
    segment: { kind, turn: 1, outer: range, inner: range },
    source: 'response',
    inner,
    outer: inner,
    ...(call === undefined ? {} : { call: { turn: 1, outcome: 'ok', callSegment: 0, ...call } }),
  } as SegmentView;
}

const cut = (text: string, ranges: readonly { readonly start: number; readonly end: number }[]) =>
  ranges.map(({ start, end }) => text.slice(start, end));

describe('input of the diff editor', () => {
  it('boxes whole numbers that replace one another', () => {
    const diff = editorDiff(
      view('answer', 'the sum is 105, of 3 terms'),
      view('answer', 'the sum is 125, of 3 terms'),
      undefined,
    );
    expect(cut(diff.before, diff.numbers.before)).toEqual(['105']);
    expect(cut(diff.after, diff.numbers.after)).toEqual(['125']);
  });

  it('keeps offsets where lines end in CRLF', () => {
    const diff = editorDiff(view('answer', 'a\r\nb 1\r\nc'), view('answer', 'a\r\nb 22\r\nc'), undefined);
    expect(cut(diff.after, diff.numbers.after)).toEqual(['22']);
  });

  it('boxes nothing against nothing', () => {
    const diff = editorDiff(undefined, view('answer', 'it is 7'), undefined);
    expect(diff).toEqual({ before: '', after: 'it is 7', numbers: { before: [], after: [] } });
  });

  it('shows arguments as compared, if compared by structure', () => {
    const one = view('tool-call', '{"name":"find","arguments":{"price":10}}', { arguments: '{"price":10}' });
    const two = view('tool-call', '{"name":"find","arguments":{"price":12.5}}', {
      arguments: '{"price":12.5}',
    });
    const diff = editorDiff(one, two, { form: 'arguments', changes: [] });
    expect(diff.before).toContain('"price": 10');
    expect(cut(diff.before, diff.numbers.before)).toEqual(['10']);
    expect(cut(diff.after, diff.numbers.after)).toEqual(['12.5']);
  });
});
