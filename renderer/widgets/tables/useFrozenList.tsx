import { ArrowDown } from 'lucide-react';
import { useState } from 'react';
import type { StepSummary } from '../../../shared/api/contract.ts';
import { useLive } from '../../data/follows.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { count } from '../../ui/numbers.ts';

interface FreshBadgeProps {
  readonly text: string;
  readonly onShow: () => void;
}

/** A list held still says what it holds back. It lies over the list, so that nothing moves when it comes. */
export function FreshBadge({ text, onShow }: FreshBadgeProps) {
  useCommands({ 'fresh.show': onShow });
  return (
    <div className="fresh" role="status">
      <button type="button" onClick={onShow} title={keyed('Show new rows', 'fresh.show')}>
        <ArrowDown size={12} /> {text}
      </button>
    </div>
  );
}

/** Whether the run is live and its pages are paused. */
export function useIsHeld(runKey: string): boolean {
  const isFollowed = useLive(runKey).follow !== undefined;
  const isPaused = useInterface((state) => state.pausedRuns[runKey]) === true;
  return isFollowed && isPaused;
}

/** What the badge of a held list of ids says. */
export function freshRows(held: ArrayLike<number>, latest: ArrayLike<number>): string {
  const more = latest.length - held.length;
  return more > 0 ? `${count(more)} new` : 'the list has changed';
}

export const newestStep = (rows: readonly Pick<StepSummary, 'step'>[]): number | undefined =>
  rows.length === 0 ? undefined : Math.max(...rows.map(({ step }) => step));

interface Snapshot<T> {
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

interface Held<T> {
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
export function useFrozenList<T extends { readonly length: number }>(
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
