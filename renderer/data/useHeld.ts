import { useState } from 'react';

export interface Snapshot<T> {
  readonly key: string;
  readonly value: T;
}

/** What a list shows next: the newest if it is another list, may move, or had nothing in it; else what it shows. */
export function nextSnapshot<T extends { readonly length: number }>(
  shown: Snapshot<T> | undefined,
  key: string,
  latest: T | undefined,
  isHeld: boolean,
): Snapshot<T> | undefined {
  if (latest === undefined) return shown;
  if (shown?.key !== key) return { key, value: latest };
  const mayMove = !isHeld || shown.value.length === 0;
  return mayMove && shown.value !== latest ? { key, value: latest } : shown;
}

export interface Held<T> {
  readonly value: T | undefined;
  /** A newer value is there and not shown. */
  readonly isBehind: boolean;
  readonly showNew: () => void;
}

/**
 * A list that does not move under the reader: the value as it was when this list (`key`) was first
 * seen, until `showNew`. Where `isHeld` is false the newest is shown, and is what a later hold keeps.
 * @param latest undefined while it is not known; an answer to another key must not be given
 */
export function useHeld<T extends { readonly length: number }>(
  key: string,
  latest: T | undefined,
  isHeld: boolean,
): Held<T> {
  const [snapshot, setSnapshot] = useState<Snapshot<T>>();
  const next = nextSnapshot(snapshot, key, latest, isHeld);
  // A state derived from what came before: React renders again before anything is painted.
  if (next !== snapshot) setSnapshot(next);
  const value = next?.value;
  return {
    value,
    isBehind: latest !== undefined && value !== latest,
    showNew: () => latest !== undefined && setSnapshot({ key, value: latest }),
  };
}
