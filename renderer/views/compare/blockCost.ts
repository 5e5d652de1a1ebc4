/** How much of each text of a row is drawn at first. A row draws all its texts at once. */
import { createContext } from 'react';
import { costOfChanges } from '../../ui/drawingCost.ts';
import { shownOf } from './blockModel.ts';
import type { Compared } from './lanes/laneModel.ts';
import type { ShownBlock } from './rowModel.ts';

/** What letters and lines of a text cost. */
export const COSTS = { letter: 1, line: 10 };
/** Of a text, and of all changes of direction and font in a row. A page draws 50,000 of these in a second. */
const [MOST_OF_TEXT, MOST_OF_ROW] = [24_000, 40_000];
/** What each text may cost behind those that have used up the row. */
const LEAST = 600;

/** What the text around may cost. */
export const MostCost = createContext(MOST_OF_TEXT);

/** What each text of these blocks may cost. */
export function mostCosts({ lanes }: Compared, blocks: readonly ShownBlock[]): readonly number[] {
  let left = MOST_OF_ROW;
  return blocks.map(({ block }) => {
    const costs = lanes.map((lane, i) => {
      const view = lane?.segments[block.segments[i] ?? -1];
      if (view === undefined) return 0;
      const { text, others = '' } = shownOf(view);
      return costOfChanges(text.slice(0, MOST_OF_TEXT)) + costOfChanges(others.slice(0, MOST_OF_TEXT));
    });
    const all = costs.reduce((sum, cost) => sum + cost, 0);
    const most = all <= left ? MOST_OF_TEXT : Math.max(LEAST, left / lanes.length);
    left = Math.max(0, left - Math.min(all, most * lanes.length));
    return most;
  });
}
