import type { StepSummary } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { FilterBox } from '../filter/FilterBox.tsx';
import { GroupTable } from './GroupTable.tsx';
import { RolloutTable } from './RolloutTable.tsx';
import { WarehouseRollouts } from './WarehouseRollouts.tsx';

/** Totals that the lists and their filters need. */
export type ListSummary = Pick<StepSummary, 'rollouts' | 'groups' | 'decided' | 'correctKnown'>;

interface StepListsProps {
  readonly runKey: string;
  /** Undefined while the run is loading. The list does not wait for it. */
  readonly runId: number | undefined;
  /** Absent: all steps. */
  readonly step?: number;
  /** Label of the lists' scope: `step 40`, or the run if the log has no steps. */
  readonly of: string;
  readonly summary: ListSummary | undefined;
  readonly tab: 'groups' | 'rollouts';
  /** Some of the rollouts are in the warehouse only. */
  readonly isElsewhere?: boolean;
}

/** If every problem was sampled once, the rollouts are shown directly, since each group has a single rollout. */
export function listTab(query: URLSearchParams, summary: StepSummary | undefined): 'groups' | 'rollouts' {
  const hasSingletons = summary !== undefined && summary.groups === summary.rollouts;
  return (query.get('tab') ?? (hasSingletons ? 'rollouts' : 'groups')) === 'rollouts' ? 'rollouts' : 'groups';
}

export const LIST_TABS = [
  { id: 'groups' as const, label: 'Groups' },
  { id: 'rollouts' as const, label: 'All rollouts' },
];

/** The groups of a step, or all its rollouts, with their filters. */
export function StepLists({ runKey, runId, step, of, summary, tab, isElsewhere = false }: StepListsProps) {
  const [query, setQuery] = useUrlQuery();
  const isOfWarehouse = isElsewhere && query.get('only') !== 'here';
  const { applied } = useFilterLink();
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
        {isElsewhere && (
          <Segmented
            label="Where"
            chosen={query.get('only') ?? ''}
            onChoose={(only) => setQuery({ only })}
            choices={[
              { id: '', label: 'All steps', title: 'Listed by the warehouse' },
              {
                id: 'here',
                label: 'Steps here',
                title: 'Those that were copied, with every filter and their labels',
              },
            ]}
          />
        )}
        {tab === 'rollouts' && summary !== undefined && (
          <RolloutFilters hasDecisions={summary.decided > 0} hasCorrectness={summary.correctKnown > 0} />
        )}
      </div>
      <div className="page-list">
        {tab === 'rollouts' && isOfWarehouse ? (
          <WarehouseRollouts runKey={runKey} filter={rolloutFilterOf(query)} label={`Rollouts of ${of}`} />
        ) : tab === 'rollouts' ? (
          <RolloutTable
            runKey={runKey}
            filter={{ runKey, ...(step === undefined ? {} : { step }), filter: rolloutFilterOf(query) }}
            label={`Rollouts of ${of}`}
            hidesProblem={false}
            emptyTitle="No rollout passes the filters"
            // That of the steps here is not counted.
            total={isElsewhere ? undefined : summary?.rollouts}
            aside={
              summary !== undefined &&
              summary.correctKnown > 0 &&
              query.get('right') !== 'yes' && (
                <Link
                  className="is-link"
                  href={failuresPath(runKey, step, bothFilters(rolloutFilterOf(query), applied))}
                >
                  Cluster the incorrect ones
                </Link>
              )
            }
          />
        ) : (
          <GroupTable runKey={runKey} step={step ?? 0} label={`Groups of ${of}`} total={summary?.groups} />
        )}
      </div>
    </>
  );
}

/** Clusters of the incorrect rollouts among those of a list. */
function failuresPath(runKey: string, step: number | undefined, filter: string): string {
  const query = new URLSearchParams({
    ...{ tab: 'failures', q: filter },
    ...(step === undefined ? {} : { first: String(step), last: String(step) }),
  });
  return `${pathOfRoute({ view: 'problems', runKey })}?${query}`;
}

const CORRECT: Readonly<Record<string, string>> = { yes: 'is_correct:true', no: 'is_correct:false' };
const TOOLS: Readonly<Record<string, string>> = {
  none: 'tool_calls:0',
  some: 'tool_calls:>0',
  failed: 'tool_errors:>0',
};
const KEPT: Readonly<Record<string, string>> = { yes: 'kept:true', no: 'kept:false' };

/**
 * Reads the switches from the URL (`?right=no&tools=none`), which makes a list shareable.
 * @returns the switches as a filter
 */
function rolloutFilterOf(query: URLSearchParams): string {
  const chosen = [
    CORRECT[query.get('right') ?? ''],
    TOOLS[query.get('tools') ?? ''],
    KEPT[query.get('kept') ?? ''],
  ];
  return chosen.filter((part) => part !== undefined).join(' ');
}

interface RolloutFiltersProps {
  readonly hasDecisions: boolean;
  readonly hasCorrectness: boolean;
}

function RolloutFilters({ hasDecisions, hasCorrectness }: RolloutFiltersProps) {
  const [query, setQuery] = useUrlQuery();
  return (
    <>
      {hasCorrectness && (
        <Segmented
          label="Correctness"
          chosen={query.get('right') ?? ''}
          onChoose={(right) => setQuery({ right })}
          choices={[
            { id: '', label: 'All' },
            { id: 'yes', label: <span className="is-right">✓ correct</span> },
            { id: 'no', label: <span className="is-wrong">✕ incorrect</span> },
          ]}
        />
      )}
      <Segmented
        label="Tool calls"
        chosen={query.get('tools') ?? ''}
        onChoose={(tools) => setQuery({ tools })}
        choices={[
          { id: '', label: 'Any calls' },
          { id: 'none', label: 'No valid tool call' },
          { id: 'some', label: 'With calls' },
          { id: 'failed', label: 'With failed calls' },
        ]}
      />
      {hasDecisions && (
        <Segmented
          label="Decision"
          chosen={query.get('kept') ?? ''}
          onChoose={(kept) => setQuery({ kept })}
          choices={[
            { id: '', label: 'Any decision' },
            { id: 'yes', label: 'Kept' },
            { id: 'no', label: 'Discarded' },
          ]}
        />
      )}
    </>
  );
}
