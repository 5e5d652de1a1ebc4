/** Text of a saved figure stays within it and does not overlap. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChartCaption,
  captionLayout,
  PAD,
  SWATCH,
  shortened,
} from '../../renderer/charts/exportChart.ts';

/** Every letter is as wide as it is high: wider than any real one. */
const measure = (text: string, size: number): number => [...text].length * size;
const WIDTH = 640;

const caption = fc.record({
  title: fc.string({ maxLength: 300 }),
  subtitle: fc.string({ maxLength: 900 }),
  legend: fc.array(fc.record({ name: fc.string({ maxLength: 260 }), color: fc.constant('red') }), {
    maxLength: 7,
  }),
}) satisfies fc.Arbitrary<ChartCaption>;

describe('the words of a figure', () => {
  it('stay within its width, without overlap', () => {
    fc.assert(
      fc.property(caption, (said) => {
        const { title, subtitle, legend, height } = captionLayout(said, WIDTH, measure);
        const boxes = [
          ...[title, ...subtitle].map((text) => ({ ...text, from: text.x })),
          ...legend.map((text) => ({ ...text, from: text.x - SWATCH - 6 })),
        ].map((text) => ({ ...text, to: text.x + measure(text.text, text.size) }));
        for (const [i, box] of boxes.entries()) {
          expect(box.from).toBeGreaterThanOrEqual(PAD);
          expect(box.to).toBeLessThanOrEqual(WIDTH - PAD);
          expect(box.y).toBeLessThan(height);
          for (const other of boxes.slice(0, i))
            expect(other.y !== box.y || other.to < box.from || box.to < other.from).toBe(true);
        }
        expect(legend.map(({ entry }) => entry)).toEqual(said.legend);
      }),
    );
  });

  it('keep both ends of a truncated name', () => {
    const wide = (text: string): number => text.length;
    expect(shortened('run-a-very-long-name-seed1', 16, wide)).toMatch(/^run-a-\S*…\S*seed1$/);
    expect(shortened('short', 16, wide)).toBe('short');
    expect(shortened('anything', 0, wide)).toBe('…');
  });
});
