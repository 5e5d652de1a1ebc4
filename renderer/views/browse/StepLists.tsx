import type { StepSummary } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { FilterBox } from '../../app/filter/FilterBox.tsx';
import { useUrlQuery } from '../../data/usePlace.ts';
import { GroupTable } from './GroupTable.tsx';
import { RolloutFilters, rolloutFilterOf } from './RolloutFilters.tsx';
import { RolloutTable } from './RolloutTable.tsx';

/** What the lists and their filters have to know of what they are of. */
export type ListSummary = Pick<StepSummary, 'rollouts' | 'groups' | 'decided' | 'correctKnown'>;

interface StepListsProps {
  readonly runKey: string;
  /** Undefined while the run is looked up: the list does not wait for it. */
  readonly runId: number | undefined;
  /** Absent: of all steps. */
  readonly step?: number;
  /** What the lists are of: `step 40`, or the run where the log knows no step. */
  readonly of: string;
  readonly summary: ListSummary | undefined;
  readonly tab: 'groups' | 'rollouts';
}

/** Where every problem was sampled once, a list of groups of one would be a detour. */
export function listTab(query: URLSearchParams, summary: StepSummary | undefined): 'groups' | 'rollouts' {
  const hasSingletons = summary !== undefined && summary.groups === summary.rollouts;
  return (query.get('tab') ?? (hasSingletons ? 'rollouts' : 'groups')) === 'rollouts' ? 'rollouts' : 'groups';
}

export const LIST_TABS = [
  { id: 'groups' as const, label: 'Groups' },
  { id: 'rollouts' as const, label: 'All rollouts' },
];

/** The groups of a step, or all its rollouts, with their filters. */
export function StepLists({ runKey, runId, step, of, summary, tab }: StepListsProps) {
  const [query] = useUrlQuery();
  const ofStep = step === undefined ? '' : `step:${step}`;
  return (
    <>
      <div className="filters">
        {runId !== undefined && (
          <FilterBox
            runId={runId}
            runKey={runKey}
            what={tab}
            within={tab === 'rollouts' ? bothFilters(ofStep, rolloutFilterOf(query)) : ofStep}
          />
        )}
        {tab === 'rollouts' && summary !== undefined && (
          <RolloutFilters hasDecisions={summary.decided > 0} hasCorrectness={summary.correctKnown > 0} />
        )}
      </div>
      <div className="page-list">
        {tab === 'rollouts' ? (
          <RolloutTable
            runKey={runKey}
            filter={{ runKey, ...(step === undefined ? {} : { step }), filter: rolloutFilterOf(query) }}
            label={`Rollouts of ${of}`}
            hidesProblem={false}
            emptyTitle="No rollout passes the filters"
            total={summary?.rollouts}
          />
        ) : (
          <GroupTable runKey={runKey} step={step ?? 0} label={`Groups of ${of}`} total={summary?.groups} />
        )}
      </div>
    </>
  );
}
