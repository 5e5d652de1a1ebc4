import type { RunSummary } from '../../shared/api/contract.ts';
import type { Place } from './place.ts';
import { useRequest } from './useRequest.ts';

/** The run a place is in, as the library lists it. */
export function useRunOf(place: Place): RunSummary | undefined {
  const runs = useRequest('run.list', {}).data;
  return 'runKey' in place ? runs?.find(({ runKey }) => runKey === place.runKey) : undefined;
}
