import { useQuery } from '@tanstack/react-query';
import type { IssueRow } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient } from './DataProvider.tsx';

/** If there are more such files, mapping their fields is not the solution. */
const MOST_FILES = 1000;

/** Error code of a file that could be read after its fields are mapped. */
export const UNKNOWN_FORMAT = 'unknown_format';

async function unmappedFiles(client: Client, signal: AbortSignal): Promise<readonly IssueRow[]> {
  const wanted = { code: UNKNOWN_FORMAT, limit: MOST_FILES };
  const { issues } = await client.request('issue.list', wanted, { signal });
  return [...new Map(issues.map((issue) => [issue.path, issue])).values()].reverse();
}

/** Files of unknown format, the latest first. */
export function useUnmappedFiles(isWanted: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: ['issue.list', 'unmapped'],
    queryFn: ({ signal }) => unmappedFiles(client, signal),
    enabled: isWanted,
  });
}
