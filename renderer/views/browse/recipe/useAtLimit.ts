import { useQueries } from '@tanstack/react-query';
import type { StepFacts } from '../../../../shared/api/contract.ts';
import { useClient } from '../../../data/DataProvider.tsx';
import { requestKey } from '../../../data/useRequest.ts';
import { atLimit, type RecipeRow } from './recipeModel.ts';

/**
 * How many rollouts reached the response limit of a stage by their tokens, where the log says of none why it stopped.
 *
 * @returns a share for each stage; undefined where tokens or the limit are not known, or the answer is not here
 */
export function useAtLimit(runId: number, stages: readonly RecipeRow[]): readonly (number | undefined)[] {
  const client = useClient();
  const asked = stages.filter(({ stopsLogged }) => stopsLogged === 0);
  const limits = [...new Set(asked.flatMap(({ maxResponseTokens }) => maxResponseTokens ?? []))];
  const filters = limits.length === 0 ? [] : ['policy_tokens:*', ...limits.map(filterOf)];
  const answers = useQueries({
    queries: filters.map((filter) => ({
      queryKey: requestKey('step.series', { runId, filter }, undefined),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.request('step.series', { runId, filter }, { signal }),
    })),
  });
  const of = (filter: string): readonly StepFacts[] | undefined =>
    answers[filters.indexOf(filter)]?.data?.steps;
  return stages.map((stage) => {
    const { maxResponseTokens: limit, stopsLogged } = stage;
    if (limit === undefined || stopsLogged > 0) return undefined;
    const known = of('policy_tokens:*');
    const reached = of(filterOf(limit));
    return known === undefined || reached === undefined ? undefined : atLimit(stage, reached, known);
  });
}

const filterOf = (limit: number): string => `policy_tokens:>=${limit}`;
