/** The groups behind a number of a report. A report the host has forgotten is computed again, once. */
import { useQuery } from '@tanstack/react-query';
import type { ResultOf, RocReport } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient } from './DataProvider.tsx';
import { ApiError } from './failures.ts';

type Recompute = () => Promise<RocReport | undefined>;

export async function groupsBehind(
  client: Client,
  reportId: number,
  key: string,
  recompute: Recompute,
  signal?: AbortSignal,
): Promise<ResultOf<'roc.groups'>> {
  const options = signal === undefined ? {} : { signal };
  try {
    return await client.request('roc.groups', { reportId, key }, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    const report = await recompute();
    if (report === undefined) throw error;
    return client.request('roc.groups', { reportId: report.reportId, key }, options);
  }
}

export function useGroupsBehind(reportId: number, key: string, recompute: Recompute) {
  const client = useClient();
  return useQuery({
    queryKey: ['roc.groups', { reportId, key }] as const,
    queryFn: ({ signal }) => groupsBehind(client, reportId, key, recompute, signal),
  });
}

/** A list in the order of another: the host sorts all groups of a run, a report says which of them. */
export function inOrderOf(ids: Uint32Array, order: Uint32Array): Uint32Array {
  const wanted = new Set(ids);
  return order.filter((id) => wanted.has(id));
}
