/** Where each list was left, by its URL, so that coming back finds the same row under the cursor. */
import { keyIn } from './presentLibrary.ts';

export interface ListPosition {
  /** CSS pixels of the scroll container, scaled when the list is taller than the browser allows. */
  readonly scrollTop: number;
  readonly cursor: number;
}

const START: ListPosition = { scrollTop: 0, cursor: 0 };
/** Enough for a long sitting; the oldest are dropped. */
const MAX_LISTS = 200;
const positions = new Map<string, ListPosition>();

export function listPosition(list: string): ListPosition {
  return positions.get(keyIn(list)) ?? START;
}

export function rememberListPosition(name: string, position: ListPosition): void {
  const list = keyIn(name);
  positions.delete(list);
  positions.set(list, position);
  if (positions.size <= MAX_LISTS) return;
  const oldest = positions.keys().next();
  if (!oldest.done) positions.delete(oldest.value);
}
