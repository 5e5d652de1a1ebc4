/** A chart drawn anew for a page of a paper: light, and of one size, whatever the screen shows. */
import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { drawingRoom, standaloneSvg } from './exportChart.ts';
import type { ChartCaption } from './figureCaption.ts';

export interface DrawingSize {
  readonly width: number;
  readonly height: number;
}

/** CSS pixels of the whole figure, with its words. */
const FIGURE: DrawingSize = { width: 640, height: 400 };

/** What is drawn meanwhile has the colours of the light theme; nothing of it is seen on the page. */
export function inLight<Drawn>(draw: () => Drawn): Drawn {
  const page = document.documentElement;
  const theme = page.dataset['theme'];
  page.dataset['theme'] = 'light';
  try {
    return draw();
  } finally {
    if (theme === undefined) delete page.dataset['theme'];
    else page.dataset['theme'] = theme;
  }
}

/**
 * Draws out of sight, in the light theme, and takes both back before anything is painted.
 *
 * @param draw the chart at a size; the first SVG in it that is not a swatch of its legend is the drawing
 * @returns the text of an SVG file; undefined where nothing was drawn
 */
export function figureSvg(
  draw: (size: DrawingSize) => ReactElement,
  caption: ChartCaption,
): string | undefined {
  const room = drawingRoom(caption, FIGURE);
  const place = document.createElement('div');
  place.style.cssText = `position:fixed;left:-10000px;top:0;width:${room.width}px;visibility:hidden`;
  document.body.append(place);
  const root = createRoot(place);
  try {
    return inLight(() => {
      flushSync(() => root.render(draw(room)));
      const svg = place.querySelector<SVGSVGElement>('svg[role]');
      return svg === null ? undefined : standaloneSvg(svg, caption);
    });
  } finally {
    // Not within an event of the page, where React would object.
    setTimeout(() => {
      root.unmount();
      place.remove();
    });
  }
}
