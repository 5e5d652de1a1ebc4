/** How much of each text of a row is drawn at first. A row draws all its texts at once. */
import { createContext } from 'react';
import { costOfChanges } from '../../../shared/domain/drawingCost.ts';
import { shownOf } from './blockModel.ts';
import type { Compared } from './lanes/laneModel.ts';
import type { ShownBlock } from './rowModel.ts';

/** The cost of one letter and of one line end. */
export const COSTS = { letter: 1, line: 10 };
/** Upper limit for one text. */
const MOST_OF_TEXT = 24_000;
/** Upper limit for all changes of direction and font in a row. A page draws changes of cost 50,000 in one second. */
const MOST_OF_ROW = 40_000;
/** Limit for each further text after a row has reached its limit. */
const LEAST = 600;

/** Upper limit for each text of the block around. */
export const MostCost = createContext(MOST_OF_TEXT);

/** Computes the limit for the texts of each block of a row. */
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
