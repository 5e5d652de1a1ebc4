/**
 * The ledger of one group under what the URL asks for. Changes of a what-if are let rest before they are
 * asked; a superseded question is cancelled, and the former rows stay in sight until the answer is there.
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

/** As long as one pauses between two digits. */
const REST_MS = 180;

interface Shown {
  readonly ledger: GroupLedger;
  /** Rollouts, so that a list that grows can be held. */
  readonly length: number;
}

export interface LedgerState {
  readonly ledger: GroupLedger | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly choice: UrlChoice;
  /** The rows shown answer a former question. */
  readonly isStale: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** A followed run has brought rollouts that are not shown. */
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

/** Back from the text it was let rest as, so that only a change of content asks anew. */
function choiceOfText(text: string): Wanted {
  return JSON.parse(text) as Wanted;
}
