/** Saving a store in the browser across sessions: the fields to save, and the values each may have. */

import type { ZodType } from 'zod';
import type { PersistOptions } from 'zustand/middleware';

type Fields<State> = { readonly [Name in keyof State]?: ZodType<State[Name]> };

/**
 * Options of `persist` for some fields of a store. A field that another version saved in a different form gets its
 * default; the other fields are restored.
 *
 * @param name key in the local storage
 */
export function remembered<State extends object>(
  name: string,
  fields: Fields<State>,
): PersistOptions<State, Partial<State>> {
  const names = Object.keys(fields) as (keyof State)[];
  const pick = (from: Partial<State>, isTaken: (field: keyof State) => boolean): Partial<State> => {
    const picked: Partial<State> = {};
    for (const field of names) if (isTaken(field)) picked[field] = from[field];
    return picked;
  };
  return {
    name,
    version: 1,
    partialize: (state) => pick(state, () => true),
    merge: (stored, state) => {
      const known: Partial<State> = typeof stored === 'object' && stored !== null ? stored : {};
      const isValid = (field: keyof State): boolean =>
        field in known && fields[field]?.safeParse(known[field]).success === true;
      return { ...state, ...pick(known, isValid) };
    },
  };
}
