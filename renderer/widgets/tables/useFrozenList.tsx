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

/** Tells how much a frozen list holds back. Overlays the list, so that nothing moves when it appears. */
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

/** Whether the run is followed and its pages are paused. */
export function useIsHeld(runKey: string): boolean {
  const isFollowed = useLive(runKey).follow !== undefined;
  const isPaused = useInterface((state) => state.pausedRuns[runKey]) === true;
  return isFollowed && isPaused;
}

/** Text of the badge of a frozen list. */
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

/**
 * The next snapshot: the latest value if the list is another one, is not frozen, or was empty. Otherwise the shown
 * one.
 */
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
  /** Whether a newer value exists that is not shown. */
  readonly isBehind: boolean;
  readonly showNew: () => void;
}

/**
 * A list that does not change while it is read. It keeps the first value of its `key` until `showNew`. If `isHeld` is
 * false, the latest value is shown, and freezing later keeps that one.
 * @param latest undefined while loading; must not belong to another key
 */
export function useFrozenList<T extends { readonly length: number }>(
  key: string,
  latest: T | undefined,
  isHeld: boolean,
): Held<T> {
  const [snapshot, setSnapshot] = useState<Snapshot<T>>();
  const next = nextSnapshot(snapshot, key, latest, isHeld);
  // State derived from the previous state: React renders again before it paints.
  if (next !== snapshot) setSnapshot(next);
  const value = next?.value;
  return {
    value,
    isBehind: latest !== undefined && value !== latest,
    showNew: () => latest !== undefined && setSnapshot({ key, value: latest }),
  };
}
