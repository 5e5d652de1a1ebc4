import { useLive } from '../../data/follows.ts';
import { useIsRocLogged } from '../../data/rocChoice.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useSteps } from '../../data/warehouse.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { counted, decimal, percent } from '../../ui/numbers.ts';
import { DerivedChips } from '../../widgets/DerivedChips.tsx';
import { FollowControls } from '../../widgets/FollowControls.tsx';
import { LIST_TABS, listTab, StepLists } from '../../widgets/rollouts/StepLists.tsx';
import { rowOfSummary } from '../../widgets/tables/stepRows.ts';
import RunView from '../run/RunView.tsx';

interface StepViewProps {
  readonly runKey: string;
  readonly step: number;
}

/** A step of a run. A log without steps has a single list, on the run's page; the URL of its step 0 leads there. */
export default function StepView({ runKey, step }: StepViewProps) {
  const { run } = useLive(runKey);
  return run?.hasSteps === false ? <RunView runKey={runKey} /> : <StepOfRun runKey={runKey} step={step} />;
}

function StepOfRun({ runKey, step }: StepViewProps) {
  const runs = useRequest('run.list', {});
  const run = runs.data?.find((one) => one.runKey === runKey);
  const runId = run?.runId;
  const hasRoc = useIsRocLogged(run);
  const steps = useSteps(runKey, runId).all;
  const [query, setQuery] = useUrlQuery();
  const at = steps?.findIndex((row) => row.step === step) ?? -1;
  const summary = steps?.[at];

  const goToStep = (index: number) => {
    const row = steps?.[index];
    if (row !== undefined) goTo({ view: 'step', runKey, step: row.step }, window.location.search);
  };
  useCommands({
    'sibling.next': () => goToStep(at + 1),
    'sibling.previous': () => goToStep(at - 1),
  });

  const tab = listTab(query, summary);
  const row = summary === undefined ? undefined : rowOfSummary(summary);

  return (
    <div className="page">
      <header className="page-head is-one-line">
        <h1>Step {step}</h1>
        <Segmented
          label="List"
          chosen={tab}
          onChoose={(chosen) => setQuery({ tab: chosen, sort: undefined, filter: undefined })}
          choices={LIST_TABS}
        />
        <DerivedChips run={run} />
        <div className="end">
          {row !== undefined && (
            <span className="page-facts">
              {counted(row.rollouts, 'rollout')}
              {row.groups < row.rollouts && ` · ${counted(row.groups, 'group')}`}
              {row.passRate !== undefined && ` · ${percent(row.passRate)} % correct`}
              {` · ${percent(row.noToolShare)} % no valid tool call · ${decimal(row.meanTurns, 1)} turns`}
            </span>
          )}
          {hasRoc && (
            <Link
              className="is-link"
              href={pathOfRoute({ view: 'stepRoc', runKey, step })}
              title={keyed('Resample-on-Correct of this step', 'place.roc')}
            >
              RoC
            </Link>
          )}
          <Link
            className="is-link"
            href={pathOfRoute({ view: 'stepTokens', runKey, step })}
            title={keyed('Statistics of the tokens of this step', 'place.tokens')}
          >
            Tokens
          </Link>
          <Link
            className="is-link"
            href={pathOfRoute({ view: 'schedule', runKey, step })}
            title={keyed('When and where the rollouts of this step ran', 'place.schedule')}
          >
            Schedule
          </Link>
          <FollowControls runKey={runKey} canStart={false} />
        </div>
      </header>
      <StepLists runKey={runKey} runId={runId} step={step} of={`step ${step}`} summary={summary} tab={tab} />
    </div>
  );
}
