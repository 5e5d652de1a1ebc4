import { useCommands } from '../../app/commands.ts';
import { goTo, useUrlQuery } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { counted, decimal, percent } from '../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { noToolShare, passRate } from './browseModel.ts';
import { FilterField } from './FilterField.tsx';
import { GroupTable } from './GroupTable.tsx';
import { RolloutFilters, rolloutFilterOf } from './RolloutFilters.tsx';
import { RolloutTable } from './RolloutTable.tsx';

interface StepViewProps {
  readonly runKey: string;
  readonly step: number;
}

export default function StepView({ runKey, step }: StepViewProps) {
  const place = useRequest('place.resolve', { runKey, step });
  const runId = place.data?.runId;
  const steps = useRequest('step.list', runId === undefined ? undefined : { runId });
  const [query, setQuery] = useUrlQuery();
  const at = steps.data?.findIndex((row) => row.step === step) ?? -1;
  const summary = steps.data?.[at];

  const goToStep = (index: number) => {
    const row = steps.data?.[index];
    if (row !== undefined) goTo({ view: 'step', runKey, step: row.step }, window.location.search);
  };
  useCommands({
    'sibling.next': () => goToStep(at + 1),
    'sibling.previous': () => goToStep(at - 1),
  });

  if (place.error !== null) {
    return (
      <FailedState
        title={`Step ${step} could not be opened`}
        error={place.error}
        onRetry={() => void place.refetch()}
      />
    );
  }
  if (runId === undefined) return <WaitingState title="Opening the step…" />;
  // Where every problem was sampled once, a list of groups of one would be a detour.
  const hasSingletons = summary !== undefined && summary.groups === summary.rollouts;
  const tab = query.get('tab') ?? (hasSingletons ? 'rollouts' : 'groups');

  return (
    <div className="page">
      <header className="page-head">
        <h1>Step {step}</h1>
        <Segmented
          label="List"
          chosen={tab === 'rollouts' ? 'rollouts' : 'groups'}
          onChoose={(chosen) => setQuery({ tab: chosen, sort: undefined, filter: undefined })}
          choices={[
            { id: 'groups', label: 'Groups' },
            { id: 'rollouts', label: 'All rollouts' },
          ]}
        />
        {summary !== undefined && (
          <div className="end">
            <span>
              {counted(summary.rollouts, 'rollout')} · {counted(summary.groups, 'group')}
              {passRate(summary) !== undefined && ` · ${percent(passRate(summary))} % right`}
              {` · ${percent(noToolShare(summary))} % without a tool call · ${decimal(summary.meanTurns, 1)} turns`}
            </span>
          </div>
        )}
      </header>
      <div className="filters">
        <FilterField
          placeholder={
            tab === 'rollouts' ? 'Filter by answer, reason, problem' : 'Filter by prompt, problem, truth'
          }
        />
        {tab === 'rollouts' && summary !== undefined && (
          <RolloutFilters hasDecisions={summary.decided > 0} hasCorrectness={summary.correctKnown > 0} />
        )}
      </div>
      <div className="page-list">
        {tab === 'rollouts' ? (
          <RolloutTable
            runKey={runKey}
            filter={{ runId, step, ...rolloutFilterOf(query) }}
            label={`Rollouts of step ${step}`}
            hidesProblem={false}
            emptyTitle="No rollout of this step passes the filters"
          />
        ) : (
          <GroupTable runKey={runKey} runId={runId} step={step} />
        )}
      </div>
    </div>
  );
}
