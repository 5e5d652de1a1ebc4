/**
 * Which signals a run or a step has something of. Asked of two of its rollouts: the one of the highest mean entropy
 * and the one of most tokens, which have what there is wherever only some rollouts were measured.
 */
import { useQueries } from '@tanstack/react-query';
import { SIGNALS, type SignalName } from '../../shared/domain/tokenSignal.ts';
import { useClient } from './DataProvider.tsx';
import { useRequest } from './useRequest.ts';

/** @returns undefined while it is being asked */
export function useSignalsOf(
  runId: number | undefined,
  step: number | undefined,
): readonly SignalName[] | undefined {
  const client = useClient();
  const scope = runId === undefined ? undefined : { runId, ...(step === undefined ? {} : { step }) };
  const order = (sort: 'meanEntropy' | 'policyTokens') =>
    scope === undefined ? undefined : { ...scope, sort, direction: 'descending' as const };
  const byEntropy = useRequest('rollout.order', order('meanEntropy'));
  const byTokens = useRequest('rollout.order', order('policyTokens'));
  const firsts = [byEntropy.data?.ids[0], byTokens.data?.ids[0]].filter((id) => id !== undefined);
  const found = useQueries({
    queries: [...new Set(firsts)].map((rolloutId) => ({
      queryKey: ['rollout.signal', { rolloutId }] as const,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.request('rollout.signal', { rolloutId }, { signal }),
    })),
  });
  const isAsking =
    runId === undefined ||
    byEntropy.isPending ||
    byTokens.isPending ||
    found.some((answer) => answer.isPending);
  if (isAsking) return undefined;
  return SIGNALS.filter((name) => found.some(({ data }) => data?.available.includes(name)));
}
