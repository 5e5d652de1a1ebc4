/** How tall a row will be, before it is there to be measured. */
import type { Layout } from '../../data/compareLink.ts';
import type { Compared } from './laneModel.ts';
import type { CssPixels } from './measuredRows.ts';
import type { Item } from './rowModel.ts';

const LINE: CssPixels = 20;
const HEAD: CssPixels = 34;
const BLOCK: CssPixels = 38;
const FOLD: CssPixels = 30;
/** Characters in a line of a window of usual width, over all columns. */
const WINDOW_CHARS = 170;
/** A long text is cut until it is asked for. */
const MOST_LINES = 60;

export function estimateOf(compared: Compared | undefined, layout: Layout): (item: Item) => CssPixels {
  const columns = layout === 'unified' ? 1 : (compared?.lanes.length ?? 1);
  const lineChars = WINDOW_CHARS / columns;
  return (item) => {
    if (item.kind === 'fold') return FOLD;
    let height = HEAD;
    for (const { chars, lines, isFolded } of item.blocks)
      height += isFolded
        ? FOLD
        : BLOCK + LINE * Math.min(MOST_LINES, Math.max(lines, Math.ceil(chars / lineChars)));
    return height;
  };
}
