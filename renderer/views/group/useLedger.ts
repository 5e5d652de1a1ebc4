/**
 * The ledger of one group under the settings in the URL. Changes of a what-if are debounced and supersede earlier
 * requests. The previous rows stay on screen until the response arrives.
 */
import { useMemo } from 'react';
import type { GroupLedger } from '../../../shared/api/contract.ts';
import { choiceOfUrl, type UrlChoice } from '../../data/rocChoice.ts';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useRolloutsOf } from '../../data/useRowWindow.ts';
import { useFrozenList, useIsHeld } from '../../widgets/tables/useFrozenList.tsx';
import { type LedgerEntry, ledgerEntries } from './ledgerModel.ts';

/** Milliseconds. About the pause between typing two digits. */
const REST_MS = 180;

interface Shown {
  readonly ledger: GroupLedger;
  /** Number of rollouts, by which a frozen list knows that it grew. */
  readonly length: number;
}

export interface LedgerState {
  readonly ledger: GroupLedger | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly choice: UrlChoice;
  /** The rows shown belong to an earlier request. */
  readonly isStale: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** The followed run has new rollouts that are not shown yet. */
  readonly fresh: { readonly count: number; readonly show: () => void } | undefined;
}

export function useLedger(runKey: string, groupId: number | undefined): LedgerState {
  const [query] = useUrlQuery();
  const choice = useMemo(() => choiceOfUrl(query), [query]);
  const wanted = JSON.stringify({ basis: choice.basis, whatIf: choice.whatIf });
  const settled = useDebouncedValue(wanted, REST_MS);
  const params = useMemo(() => {
    if (groupId === undefined) return undefined;
    const { basis, whatIf } = choiceOfText(settled);
    return { groupId, basis, ...(whatIf === undefined ? {} : { whatIf }) };
  }, [groupId, settled]);
  const answer = useRequest('roc.group', params);
  const isHeld = useIsHeld(runKey);
  const latest = useMemo<Shown | undefined>(
    () => (answer.data === undefined ? undefined : { ledger: answer.data, length: answer.data.rows.length }),
    [answer.data],
  );
  const held = useFrozenList(`${groupId} ${settled}`, latest, isHeld);
  const ledger = held.value?.ledger;
  const ids = useMemo(
    () => (ledger === undefined ? undefined : Uint32Array.from(ledger.rows, (row) => row.rolloutId)),
    [ledger],
  );
  const rollouts = useRolloutsOf(ids);
  return {
    ledger,
    entries: ledger === undefined ? NONE : ledgerEntries(ledger, rollouts.rowOf),
    choice,
    isStale: wanted !== settled || answer.isFetching,
    error: answer.error ?? rollouts.error ?? null,
    retry: () => void answer.refetch(),
    fresh:
      held.isBehind && latest !== undefined && held.value !== undefined
        ? { count: latest.length - held.value.length, show: held.showNew }
        : undefined,
  };
}

const NONE: readonly LedgerEntry[] = [];

type Wanted = Pick<UrlChoice, 'basis' | 'whatIf'>;

/** Parses the debounced text. Debouncing compares text, so that only changed content causes a request. */
function choiceOfText(text: string): Wanted {
  return JSON.parse(text) as Wanted;
}
