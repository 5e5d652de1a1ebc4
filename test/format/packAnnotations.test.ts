/** Pack lines of other people: any input gives a valid annotation or a refusal with the path. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../electron/storage/contentHash.ts';
import { makeAnchor } from '../../shared/domain/annotate/anchor.ts';
import type { Annotation } from '../../shared/domain/annotate/annotation.ts';
import { readPackLine } from '../../shared/format/pack.ts';

const ANCHOR = makeAnchor('response', 'one two three', { start: 4, end: 7 }, contentHash);
const GOOD: Annotation = {
  id: 'a',
  rollout: {
    run: 'r',
    kind: 'train',
    step: 3,
    group: 'g',
    problem: 'p',
    ordinal: 1,
    contentHash: '00',
    recordHash: '11',
  },
  target: { kind: 'span', anchor: ANCHOR },
  label: 'loops',
  note: '<script>alert(1)</script>\u0000\u001b[31m=1+1',
  severity: 'major',
  flag: 'repetition',
  author: 'ann',
  createdAt: 1,
  updatedAt: 2,
};
const line = (annotation: unknown) => ({ pack: 1, type: 'annotation', annotation });

describe('a line of a pack', () => {
  it('survives a round trip, without unknown fields', () => {
    const written = JSON.parse(JSON.stringify(line({ ...GOOD, mood: 'bad' }))) as Record<string, unknown>;
    expect(readPackLine(written)).toEqual({ kind: 'annotation', annotation: GOOD });
    expect(readPackLine(line({ ...GOOD, label: null, severity: null }))).toMatchObject({
      kind: 'annotation',
    });
  });

  it.each([
    [{ ...GOOD, id: '' }, 'annotation.id: expected a text that is not blank; found ""'],
    [{ ...GOOD, author: 7 }, 'annotation.author: expected a text; found 7'],
    [{ ...GOOD, createdAt: 1e300 }, 'annotation.createdAt: expected milliseconds since 1970; found 1e+300'],
    [
      { ...GOOD, updatedAt: 9e15 },
      'annotation.updatedAt: expected milliseconds since 1970; found 9000000000000000',
    ],
    [
      { ...GOOD, note: 'x'.repeat(200_001) },
      'annotation.note: expected at most 200000 characters; found 200001',
    ],
    [{ ...GOOD, rollout: [] }, 'annotation.rollout: expected an object; found []'],
    [
      { ...GOOD, rollout: { ...GOOD.rollout, kind: 'test' } },
      'annotation.rollout.kind: expected one of train, eval, counterfactual; found "test"',
    ],
    [
      { ...GOOD, target: { kind: 'turn', anchor: ANCHOR } },
      'annotation.target.turn: expected a whole number from 0; found nothing',
    ],
    [
      { ...GOOD, target: { kind: 'span', anchor: { ...ANCHOR, end: 3 } } },
      'annotation.target.anchor.end: expected at least 4; found 3',
    ],
    [
      { ...GOOD, target: { kind: 'span', anchor: { ...ANCHOR, end: 9 } } },
      'annotation.target.anchor: the quote has 3 characters, its range 5',
    ],
    [{ ...GOOD, flag: 'no_such' }, 'annotation.flag: expected one of '],
    [
      { ...GOOD, target: { kind: 'page' } },
      'annotation.target.kind: expected one of rollout, turn, segment, span; found "page"',
    ],
    [{ ...GOOD, target: 7 }, 'annotation.target: expected an object; found 7'],
    [undefined, 'annotation: expected an object; found nothing'],
  ])('is refused with path and reason', (annotation, message) => {
    const read = readPackLine(line(annotation));
    expect(read).toMatchObject({ kind: 'issue', issue: { severity: 'refused', code: 'unfit_line' } });
    if (read.kind === 'issue') expect(read.issue.message).toContain(message);
  });

  it('of a later version is refused with both numbers', () => {
    expect(readPackLine({ ...line(GOOD), pack: 3 })).toEqual({
      kind: 'issue',
      issue: {
        severity: 'refused',
        code: 'newer_version',
        message: 'a pack of version 3; this Turnwise reads up to 1',
      },
    });
  });

  it('never throws, and never accepts half of a line', () => {
    const paths = [
      'id',
      'rollout',
      'target',
      'label',
      'note',
      'author',
      'createdAt',
      'severity',
      'flag',
      'correction',
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        const read = readPackLine(line({ ...GOOD, [path]: value }));
        expect(['annotation', 'issue']).toContain(read.kind);
        if (read.kind !== 'annotation') return;
        expect(readPackLine(line(read.annotation))).toEqual(read);
      }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('annotation', 'reading', 'taxonomy', 'rollout', 'manifest', 'x'),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (type, rest) => {
          expect(['annotation', 'reading', 'taxonomy', 'rollout', 'skip', 'issue']).toContain(
            readPackLine({ ...rest, [type]: rest, pack: 1, type }).kind,
          );
        },
      ),
    );
  });

  it('replaces lone surrogates by U+FFFD, as UTF-8 would', () => {
    const read = readPackLine(line({ ...GOOD, note: 'a\ud800b\udc00😀' }));
    expect(read).toMatchObject({ annotation: { note: 'a\ufffdb\ufffd😀' } });
  });
});
