import { useQueries } from '@tanstack/react-query';
import type { ParamsOf } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { fieldsOf } from '../../data/filterFields.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { requestKey } from '../../data/useRequest.ts';
import { EmptyState } from '../../ui/States.tsx';

interface NoMatchProps {
  readonly title: string;
  /** What the list is of. */
  readonly within: Pick<ParamsOf<'rollout.order'>, 'runId' | 'runKey' | 'step' | 'groupId'>;
}

/** Nothing matches; where that is because the log does not say, that is said. */
export function NoMatch({ title, within }: NoMatchProps) {
  const { node } = useFilterLink();
  const { runId, runKey, step, groupId } = within;
  const client = useClient();
  const fields = fieldsOf(node);
  const known = useQueries({
    queries: fields.map((field) => {
      const params = {
        ...{ runId, runKey },
        ...(step === undefined ? {} : { step }),
        ...(groupId === undefined ? {} : { groupId }),
        filter: `${field}:*`,
      };
      return {
        queryKey: requestKey('rollout.order', params, undefined),
        queryFn: ({ signal }: { signal: AbortSignal }) => client.request('rollout.order', params, { signal }),
      };
    }),
  });
  const missing = fields.filter((_, i) => known[i]?.data?.ids.length === 0);
  return (
    <EmptyState title={title}>
      {missing.length > 0 && (
        <p>
          Not known of any of these rollouts:{' '}
          {missing.map((field, i) => (
            <span key={field}>
              {i > 0 && ', '}
              <code>{field}</code>
            </span>
          ))}
        </p>
      )}
    </EmptyState>
  );
}
