import { ChevronDown, ChevronRight } from 'lucide-react';
import { useCommands } from '../../app/commands.ts';
import { pathOfPlace } from '../../data/place.ts';
import { useUrlQuery } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, Chip, Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { counted } from '../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { FollowControls } from './FollowControls.tsx';
import { LIST_TABS, listTab, StepLists } from './StepLists.tsx';
import { StepTable } from './StepTable.tsx';
import { SourcesPanel } from './sources/SourcesPanel.tsx';

const SOURCES_TAB = { id: 'sources' as const, label: 'Sources & rules', title: 'Files, groups, names (s)' };
const STEP_TABS = [{ id: 'steps' as const, label: 'Steps' }, SOURCES_TAB];

/** A run: its steps, or its groups and rollouts where the log knows no step; and where it comes from. */
export default function RunView({ runKey }: { readonly runKey: string }) {
  const run = useRequest('run.get', { runKey });
  const steps = useRequest('step.list', run.data === undefined ? undefined : { runId: run.data.runId });
  const [query, setQuery] = useUrlQuery();
  const areChartsOpen = useInterface((state) => state.areChartsOpen);
  const flip = useInterface((state) => state.flip);
  const askRemoval = useInterface((state) => state.askRemoval);
  const showTab = (tab: string) => setQuery({ tab, sort: undefined, filter: undefined });
  const isSources = query.get('tab') === 'sources';
  useCommands({
    'charts.flip': () => flip('areChartsOpen'),
    'run.sources': () => showTab(isSources ? '' : 'sources'),
    'run.remove': () => askRemoval(runKey),
  });

  const error = run.error ?? steps.error;
  if (error !== null) {
    return (
      <FailedState
        title="This run could not be opened"
        error={error}
        onRetry={() => void (run.error === null ? steps.refetch() : run.refetch())}
      >
        <p>It may not be in this library. The library page lists the runs that are.</p>
      </FailedState>
    );
  }
  if (run.data === undefined || steps.data === undefined) return <WaitingState title="Opening the run…" />;

  const { data } = run;
  const [onlyStep] = steps.data;
  const list = listTab(query, onlyStep);

  return (
    <div className="page">
      <header className="page-head is-one-line">
        <h1 title={data.name}>{data.name}</h1>
        {data.hasSteps ? (
          <Segmented
            label="View"
            chosen={isSources ? 'sources' : 'steps'}
            onChoose={(tab) => showTab(tab === 'steps' ? '' : tab)}
            choices={STEP_TABS}
          />
        ) : (
          <Segmented
            label="View"
            chosen={isSources ? 'sources' : list}
            onChoose={showTab}
            choices={[...LIST_TABS, SOURCES_TAB]}
          />
        )}
        {data.model !== undefined && <Chip title="Model">{data.model}</Chip>}
        {data.dataset !== undefined && <Chip title="Data set">{data.dataset}</Chip>}
        <Chip title={data.directory}>{data.format}</Chip>
        {data.issues > 0 && (
          <Link href="/issues">
            <Chip isWarning title="Lines that could not be read in full">
              {counted(data.issues, 'issue')}
            </Chip>
          </Link>
        )}
        <div className="end">
          <span className="page-facts">
            {counted(data.rollouts, 'rollout')} · {counted(data.groups, 'group')} ·{' '}
            {data.hasSteps ? counted(data.steps, 'step') : 'this log knows no training step'}
          </span>
          <Link
            className="is-link"
            href={pathOfPlace({ view: 'roc', runKey })}
            title="Resample-on-Correct of this run (g r)"
          >
            RoC
          </Link>
          <Link
            className="is-link"
            href={pathOfPlace({ view: 'tokens', runKey })}
            title="Statistics of the tokens of this run (g t)"
          >
            Tokens
          </Link>
          <FollowControls runKey={runKey} canStart />
          {data.hasSteps && !isSources && (
            <Button onClick={() => flip('areChartsOpen')} title="Show or hide the charts (v)">
              {areChartsOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />} Charts
            </Button>
          )}
        </div>
      </header>
      {isSources ? (
        <SourcesPanel run={data} />
      ) : data.hasSteps ? (
        <StepTable run={data} latest={steps.data} />
      ) : (
        <StepLists
          runKey={runKey}
          runId={data.runId}
          step={onlyStep?.step ?? 0}
          of={data.name}
          summary={onlyStep}
          tab={list}
        />
      )}
    </div>
  );
}
