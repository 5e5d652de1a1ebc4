import { useQuery } from '@tanstack/react-query';
import type { IssueRow } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient } from './DataProvider.tsx';

const PAGE = 1000;
/** A library with more issues than this has another problem than one file's fields. */
const MOST_PAGES = 20;

/** The code under which a file is refused whose fields could be mapped. */
export const UNKNOWN_FORMAT = 'unknown_format';

async function unmappedFiles(client: Client, signal: AbortSignal): Promise<readonly IssueRow[]> {
  const byPath = new Map<string, IssueRow>();
  let after: number | undefined = 0;
  for (let page = 0; page < MOST_PAGES && after !== undefined; page += 1) {
    const { issues, next }: { issues: readonly IssueRow[]; next?: number } = await client.request(
      'issue.list',
      { after, limit: PAGE },
      { signal },
    );
    for (const issue of issues) if (issue.code === UNKNOWN_FORMAT) byPath.set(issue.path, issue);
    after = next;
  }
  return [...byPath.values()].reverse();
}

/** Files no format knew, the latest first. */
export function useUnmappedFiles(isWanted: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: ['issue.list', 'unmapped'],
    queryFn: ({ signal }) => unmappedFiles(client, signal),
    enabled: isWanted,
  });
}
