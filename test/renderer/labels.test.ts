import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOfAnnotations, labelOf } from '../../renderer/data/annotations.ts';
import {
  labelsPath,
  QUEUE_ORDERS,
  type QueueLink,
  readQueue,
  tabOf,
  writeQueue,
} from '../../renderer/data/labelsLink.ts';
import { filterOf, partsOf, reportCsv, stepBars, stepsOf } from '../../renderer/views/labels/reportModel.ts';
import {
  labelId,
  withLabel,
  withLabelMoved,
  withNewLabel,
  withoutLabel,
} from '../../renderer/views/labels/taxonomyModel.ts';
import {
  annotationsShown,
  flagPlace,
  isAbout,
  labelRanges,
  labelsOfAll,
  labelWithoutNote,
  openFlags,
  placeOf,
  scrubberMarks,
  toggledLabel,
} from '../../renderer/views/replay/labels/labelModel.ts';
import { spanOf } from '../../renderer/views/replay/labels/useLabelling.ts';
import { labelMarksIn } from '../../renderer/views/replay/text/textMarks.ts';
import type {
  AnnotationReport,
  AnnotationRow,
  LabelReport,
  RolloutDetail,
} from '../../shared/api/contract.ts';
import { DEFAULT_TAXONOMY } from '../../shared/domain/annotate/taxonomy.ts';
import { parseTaxonomyFile } from '../../shared/format/taxonomy.ts';

const nothing = { rollouts: 0, annotations: 0 };

describe('the link of a queue', () => {
  it('survives a round trip', () => {
    const queue: fc.Arbitrary<QueueLink> = fc
      .record({
        runKey: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
        filter: fc.string({ unit: 'binary' }),
        order: fc.constantFrom(...QUEUE_ORDERS),
        seed: fc.integer({ min: 0, max: 0xffff_ffff }),
        isBlind: fc.boolean(),
        includesRead: fc.boolean(),
        rolloutIds: fc.option(fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 1 }), {
          nil: undefined,
        }),
      })
      .map(
        ({ runKey, rolloutIds, ...rest }): QueueLink => ({
          ...rest,
          ...(runKey === undefined ? {} : { runKey }),
          ...(rolloutIds === undefined ? {} : { rolloutIds }),
        }),
      );
    fc.assert(
      fc.property(queue, (one) => {
        expect(readQueue(writeQueue(one))).toEqual(one);
      }),
    );
  });

  it('is parsed leniently: unparseable parts are dropped', () => {
    expect(readQueue('seed=-3&order=upside-down&ids=..!!')).toMatchObject({
      seed: 0,
      order: 'listed',
      rolloutIds: [],
    });
    expect(readQueue(null)).toBeUndefined();
    expect(readQueue('')).toBeUndefined();
  });
});

describe('the page of labels', () => {
  it('has a link for each part', () => {
    expect(labelsPath({ tab: 'report', runKey: 'a/b', filter: 'step:3' })).toBe(
      '/labels?tab=report&run=a%2Fb&q=step%3A3',
    );
    expect(labelsPath({})).toBe('/labels');
    expect(tabOf('nonsense')).toBe('read');
  });

  it('knows which queries change with annotations', () => {
    expect(isOfAnnotations(['pack.preview', { filter: '', isAll: false }])).toBe(true);
    expect(isOfAnnotations(['annotation.list', { rolloutId: 1 }])).toBe(true);
    expect(isOfAnnotations(['rollout.order', { runId: 1, filter: 'step:2 label:loops' }])).toBe(true);
    expect(isOfAnnotations(['rollout.order', { runId: 1, filter: 'step:2' }])).toBe(false);
    expect(isOfAnnotations(['step.list', { runId: 1 }])).toBe(false);
  });

  it('shows a label that the taxonomy no longer has by its id', () => {
    expect(labelOf(DEFAULT_TAXONOMY, 'gone')).toMatchObject({ name: 'gone', colour: 'grey' });
    expect(labelOf(DEFAULT_TAXONOMY, 'loops').name).toBe('Loops');
  });
});

const row = (changes: Partial<AnnotationRow>): AnnotationRow =>
  ({
    id: 'a',
    annotationNo: 1,
    conflicts: 0,
    rollout: { run: 'r', kind: 'train', step: 0, group: 'g', problem: 'p', ordinal: 0, contentHash: 'h' },
    target: { kind: 'rollout' },
    author: 'me',
    createdAt: 1,
    updatedAt: 1,
    place: { rolloutId: 1, runId: 1, runKey: 'r', step: 0, groupId: 1, state: 'exact' },
    ...changes,
  }) as AnnotationRow;

const anchor = (text: 'prompt' | 'response', start: number, end: number) =>
  ({ text, start, end, quote: 'x', before: '', after: '' }) as const;

const span = (text: 'prompt' | 'response', start: number, end: number, label?: string): AnnotationRow =>
  row({
    target: { kind: 'span', anchor: anchor(text, start, end) },
    place: { rolloutId: 1, runId: 1, runKey: 'r', step: 0, groupId: 1, state: 'exact', start, end },
    ...(label === undefined ? {} : { label }),
  });

describe('annotations in the replay', () => {
  const detail = {
    response: 'x'.repeat(100),
    segments: [
      { kind: 'user', turn: 0, outer: { start: 0, end: 40 }, inner: { start: 0, end: 40 } },
      { kind: 'reasoning', turn: 1, outer: { start: 0, end: 60 }, inner: { start: 0, end: 60 } },
      { kind: 'answer', turn: 2, outer: { start: 60, end: 100 }, inner: { start: 60, end: 100 } },
    ],
  } as unknown as RolloutDetail;

  it('are only the reviewer’s own in a blind review', () => {
    const all = [row({ id: 'a' }), row({ id: 'b', author: 'other' })];
    expect(annotationsShown(all, { isBlind: true, reader: 'me' }).map(({ id }) => id)).toEqual(['a']);
    expect(annotationsShown(all, { isBlind: false, reader: 'me' })).toHaveLength(2);
  });

  it('belong to their segment, in either text', () => {
    expect(placeOf(span('response', 70, 75), detail)).toMatchObject({
      segment: 2,
      turn: 2,
      source: 'response',
    });
    expect(placeOf(span('prompt', 3, 5), detail)).toMatchObject({ segment: 0, turn: 0, source: 'prompt' });
    expect(placeOf(row({}), detail)).toBeUndefined();
  });

  it('mark spans, each text by itself, in order', () => {
    const ranges = labelRanges([span('response', 50, 55, 'loops'), span('prompt', 1, 4)], DEFAULT_TAXONOMY);
    expect(ranges.map(({ source, start, colour }) => [source, start, colour])).toEqual([
      ['prompt', 1, 'grey'],
      ['response', 50, 'teal'],
    ]);
    expect(labelMarksIn({ source: 'response', start: 52, end: 80 }, ranges)).toEqual([
      { name: 'label-teal', start: 52, end: 55 },
    ]);
    expect(labelMarksIn({ source: 'prompt', start: 10, end: 80 }, ranges)).toEqual([]);
  });

  it('mark the scrubber at their position in the response', () => {
    const marks = scrubberMarks(
      [span('response', 50, 55, 'loops'), span('prompt', 1, 4), row({ label: 'loops' })],
      DEFAULT_TAXONOMY,
      100,
    );
    expect(marks).toEqual([{ at: 0.5, colour: 'teal', title: 'Loops' }]);
    expect(scrubberMarks([span('response', 0, 0)], DEFAULT_TAXONOMY, 0)).toEqual([]);
  });

  it('share a range where they touch, and a mark where they begin at one position', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => span('response', i % 50, (i % 50) + 1, 'loops'));
    expect(labelRanges([...many, span('response', 10, 90), span('prompt', 0, 5)], DEFAULT_TAXONOMY)).toEqual([
      { source: 'response', start: 0, end: 50, colour: 'teal' },
      { source: 'prompt', start: 0, end: 5, colour: 'grey' },
      { source: 'response', start: 10, end: 90, colour: 'grey' },
    ]);
    const marks = scrubberMarks(many, DEFAULT_TAXONOMY, 100);
    expect(marks).toHaveLength(50);
    expect(marks[7]).toMatchObject({ at: 0.07, title: 'Loops\nLoops\nLoops\nLoops\nLoops\n195 more' });
  });

  it('show hidden characters of their words in a tooltip', () => {
    const note = { ...span('response', 0, 1), note: 'a\u202eb\nmore' };
    expect(scrubberMarks([note], DEFAULT_TAXONOMY, 100)[0]?.title).toBe('a⟨RLO⟩b');
  });

  it('target what the next key targets', () => {
    expect(isAbout(row({}), { kind: 'rollout' })).toBe(true);
    expect(isAbout(span('response', 3, 5), { kind: 'span', text: 'response', start: 3, end: 5 })).toBe(true);
    expect(isAbout(span('response', 3, 5), { kind: 'span', text: 'prompt', start: 3, end: 5 })).toBe(false);
    expect(
      isAbout(row({ target: { kind: 'turn', turn: 2, anchor: anchor('response', 0, 1) } }), {
        kind: 'turn',
        turn: 2,
      }),
    ).toBe(true);
  });

  it('of a label key go to the rollouts that lack it, or are removed from all', () => {
    const own = (rolloutId: number, ...labels: string[]) => ({
      rolloutId,
      annotations: labels.map((label) => row({ id: `${label} ${rolloutId}`, label })),
    });
    const wanted = { label: 'wrong', target: { kind: 'rollout' }, reader: row({}).author } as const;
    expect(toggledLabel([own(1), own(2)], wanted)).toEqual([
      { put: { rolloutId: 1, target: { kind: 'rollout' }, label: 'wrong' } },
      { put: { rolloutId: 2, target: { kind: 'rollout' }, label: 'wrong' } },
    ]);
    expect(toggledLabel([own(1, 'wrong'), own(2, 'other')], wanted)).toMatchObject([
      { put: { rolloutId: 2 } },
    ]);
    expect(toggledLabel([own(1, 'wrong'), own(2, 'other', 'wrong')], wanted)).toEqual([
      { remove: 'wrong 1' },
      { remove: 'wrong 2' },
    ]);
    expect(toggledLabel([own(1, 'wrong')], { ...wanted, reader: 'another' })).toMatchObject([{ put: {} }]);
    const lists = [own(1, 'wrong', 'other'), own(2, 'wrong')].map(({ annotations }) => annotations);
    expect([...labelsOfAll(lists, wanted.reader)]).toEqual(['wrong']);
    expect([...labelsOfAll(lists, 'another')]).toEqual([]);
  });

  it('take a note of the same reader and target until they have one', () => {
    const reader = row({}).author;
    const target = { kind: 'rollout' } as const;
    const bare = row({ id: 'bare', label: 'wrong', target, updatedAt: 2 });
    const found = (rows: readonly AnnotationRow[], label?: string) =>
      labelWithoutNote(rows, { label, target, reader })?.id;
    expect(found([bare])).toBe('bare');
    expect(found([bare, row({ id: 'old', label: 'loops', target, updatedAt: 1 })])).toBe('bare');
    expect(found([{ ...bare, note: 'why' }])).toBeUndefined();
    expect(found([{ ...bare, author: 'another' }])).toBeUndefined();
    expect(found([{ ...bare, target: { kind: 'turn', turn: 1 } } as AnnotationRow])).toBeUndefined();
    // A newer note belongs to itself. The label is still found where it is chosen for a note.
    const later = row({ id: 'later', note: 'of its own', target, updatedAt: 3 });
    expect(found([bare, later])).toBeUndefined();
    expect(found([bare, later], 'wrong')).toBe('bare');
    expect(found([bare], 'loops')).toBeUndefined();
  });

  it('confirm flags that suggest a label, once', () => {
    const flagged = {
      ...detail,
      flags: [
        { flag: 'equals_truth', evidence: [] },
        { flag: 'repetition', evidence: [] },
      ],
    } as unknown as RolloutDetail;
    expect(openFlags(flagged, []).map(({ flag }) => flag)).toEqual(['repetition']);
    expect(openFlags(flagged, [row({ flag: 'repetition' })])).toEqual([]);
    expect(flagPlace({ segment: 1, start: 61, end: 63 }, detail)).toMatchObject({ segment: 2, turn: 2 });
  });
});

describe('selected text', () => {
  it('extends from the first to the last position', () => {
    expect(
      spanOf([
        { text: 'response', start: 30, end: 40 },
        { text: 'response', start: 10, end: 20 },
      ]),
    ).toEqual({ text: 'response', start: 10, end: 40 });
  });

  it('is in one text: the one with more of it', () => {
    expect(
      spanOf([
        { text: 'prompt', start: 0, end: 5 },
        { text: 'response', start: 0, end: 50 },
      ]),
    ).toEqual({ text: 'response', start: 0, end: 50 });
    expect(spanOf([])).toBeUndefined();
  });
});

describe('a taxonomy that is edited', () => {
  it('gives a new label an id, a key and a colour nobody has', () => {
    const { labels } = withNewLabel({ name: 't', choice: 'many', labels: [] }, 'Ünder­stood it!');
    expect(labels).toEqual([
      { id: 'understood-it', name: 'Ünder­stood it!', colour: 'red', description: '', key: '1' },
    ]);
    expect(labelId('Loops', new Set(['loops', 'loops-2']))).toBe('loops-3');
    expect(labelId('???', new Set())).toBe('label');
  });

  it('gives each key to one label', () => {
    const next = withLabel(DEFAULT_TAXONOMY, 'infrastructure', { key: '1' });
    expect(next.labels.filter(({ key }) => key === '1').map(({ id }) => id)).toEqual(['infrastructure']);
    const without = withLabel(next, 'infrastructure', { key: undefined });
    expect(without.labels.some(({ key }) => key === '1')).toBe(false);
    expect('key' in (without.labels.at(-1) ?? {})).toBe(false);
  });

  it('moves and takes out', () => {
    const moved = withLabelMoved(DEFAULT_TAXONOMY, 'misread-output', -1);
    expect(moved.labels.slice(0, 2).map(({ id }) => id)).toEqual(['misread-output', 'wrong-tool-use']);
    expect(withLabelMoved(DEFAULT_TAXONOMY, 'wrong-tool-use', -1)).toBe(DEFAULT_TAXONOMY);
    expect(withoutLabel(DEFAULT_TAXONOMY, 'loops').labels).toHaveLength(10);
  });

  it('survives its file, and explains an invalid one', () => {
    expect(parseTaxonomyFile(JSON.stringify(DEFAULT_TAXONOMY))).toEqual({
      ok: true,
      value: DEFAULT_TAXONOMY,
    });
    const faultOf = (value: unknown) => {
      const read = parseTaxonomyFile(typeof value === 'string' ? value : JSON.stringify(value));
      return read.ok ? undefined : read.message;
    };
    const [label] = DEFAULT_TAXONOMY.labels;
    expect(faultOf('{')).toMatch(/JSON/);
    expect(faultOf([])).toBe('taxonomy: expected an object; found []');
    expect(faultOf({ name: 'x', choice: 'some', labels: [] })).toBe(
      'taxonomy.choice: expected one of one, many; found "some"',
    );
    expect(faultOf({ name: 'x', choice: 'one', labels: [{ ...label, colour: 'puce' }] })).toMatch(
      /^taxonomy\.labels\[0\]\.colour: expected one of red, .*; found "puce"$/,
    );
    expect(faultOf({ name: 'x', choice: 'one', labels: [label, label] })).toBe(
      'taxonomy.labels: two labels have the id wrong-tool-use',
    );
  });
});

describe('the report', () => {
  const report = (labels: readonly Partial<LabelReport>[]): AnnotationReport => ({
    ...nothing,
    of: 10,
    unattached: 0,
    labels: labels.map((one) => ({
      ...nothing,
      byStep: [],
      byRun: [],
      byClass: { correct: nothing, wrong: nothing, unknown: nothing },
      byKept: { kept: nothing, discarded: nothing, unknown: nothing },
      byOutcome: [],
      bySeverity: [],
      ...one,
    })),
  });
  const at = (step: number, rollouts: number, runId = 1) => ({
    runId,
    step,
    rollouts,
    annotations: rollouts,
  });

  it('has one axis of steps, and sums runs', () => {
    const one = report([
      { label: 'a', byStep: [at(5, 2), at(0, 1), at(5, 3, 2)] },
      { label: 'b', byStep: [at(10, 1)] },
    ]);
    expect(stepsOf(one)).toEqual([0, 5, 10]);
    const [label] = one.labels;
    const bars =
      label === undefined ? [] : stepBars(label, { steps: [0, 5, 10], highest: 5, width: 180, height: 25 });
    expect(bars.map(({ step, rollouts, height }) => [step, rollouts, height])).toEqual([
      [5, 5, 25],
      [0, 1, 5],
    ]);
    expect(Math.max(...bars.map(({ x, width }) => x + width))).toBeLessThanOrEqual(180);
  });

  it('has shares of known values', () => {
    const parts = partsOf(
      { a: { rollouts: 3, annotations: 4 }, b: nothing, c: { rollouts: 1, annotations: 1 } },
      { a: 'A' },
    );
    expect(parts.map(({ id, words, share }) => [id, words, share])).toEqual([
      ['a', 'A', 0.75],
      ['c', 'c', 0.25],
    ]);
  });

  it('leads to a filter that keeps the meaning of the one there is', () => {
    expect(filterOf('loops', undefined, '')).toBe('label:loops');
    expect(filterOf('loops', 'is_correct:false', 'step:1 or step:2')).toBe(
      'label:loops is_correct:false (step:1 or step:2)',
    );
  });

  it('is CSV without formulas', () => {
    const text = reportCsv(
      report([{ label: 'a', byRun: [{ runId: 1, runKey: '=cmd|x, "y"', rollouts: 1, annotations: 2 }] }]),
      () => '@name',
    );
    expect(text.split('\n')[0]).toBe('label,name,by,part,rollouts,annotations');
    expect(text).toContain(`a,'@name,run,"'=cmd|x, ""y""",1,2`);
  });
});
