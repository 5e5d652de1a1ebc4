/** A turn of very many segments draws only those near the viewport, and one to scroll to wherever it is. */
import { cleanup } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { TurnView } from '../../renderer/data/segmentViews.ts';
import { TurnSection } from '../../renderer/views/replay/TurnSection.tsx';
import { drawCompared } from '../support/drawCompared.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

function drawnOf(segments: number, called?: number) {
  const calls = Array.from({ length: segments }, (_, call) => `C${call}`).join(' ');
  const [lane] = drawCompared([calls, calls]).lanes;
  const view: TurnView = { turn: 1, segments: lane?.segments ?? [] };
  expect(view.segments).toHaveLength(segments);
  const { container } = renderWithClient(
    createFakeClient({}),
    <TurnSection
      {...{ view, rolloutId: 1, isCurrent: true, isRaw: false, answerSource: undefined }}
      {...{ means: undefined, meanName: undefined, called, redacted: undefined, value: undefined }}
      isBlind={false}
    />,
  );
  return {
    drawn: [...container.querySelectorAll<HTMLElement>('[data-segment]')].map(({ dataset }) =>
      Number(dataset.segment),
    ),
    stretches: [...container.querySelectorAll<HTMLElement>('.stretch')],
  };
}

it('draws the first segments of ten thousand', () => {
  const { drawn, stretches } = drawnOf(10_000);
  expect(drawn.length).toBeLessThan(100);
  expect(drawn[0]).toBe(0);
  expect(stretches.length).toBeLessThan(500);
  // The others keep their place.
  expect(stretches.slice(1).every(({ style }) => Number.parseInt(style.height, 10) > 1_000)).toBe(true);
});

it('draws a segment to scroll to, and those around it', () => {
  const { drawn } = drawnOf(10_000, 7_777);
  expect(drawn).toContain(7_777);
  expect(drawn.length).toBeLessThan(100);
});

it('draws a turn of few segments whole, in no stretch', () => {
  const { drawn, stretches } = drawnOf(24);
  expect(drawn).toHaveLength(24);
  expect(stretches).toEqual([]);
});
