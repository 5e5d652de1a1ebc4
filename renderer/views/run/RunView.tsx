import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import type { RunDetail, RunSummary, StepSummary } from '../../../shared/api/contract.ts';
import { isCopyOfWarehouse } from '../../../shared/domain/warehouseCopies.ts';
import { isRocLogged } from '../../data/rocChoice.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { type StepsOfRun, useRunElsewhere, useSteps } from '../../data/warehouse.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed, keyWord } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, Chip, Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText, plainPath } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { dayAndTime, isoTime, lasted, wholeTime } from '../../ui/times.ts';
import { DerivedChips } from '../../widgets/DerivedChips.tsx';
import { UnfinishedEvaluation } from '../../widgets/EvaluationStatus.tsx';
import { FollowControls } from '../../widgets/FollowControls.tsx';
import { PartlyRead, PartlyReadNote, useJobOf } from '../../widgets/PartlyRead.tsx';
import { LIST_TABS, type ListSummary, listTab, StepLists } from '../../widgets/rollouts/StepLists.tsx';
import { ConfigurationView } from '../configuration/ConfigurationView.tsx';
import { EvaluationView } from '../evaluation/EvaluationView.tsx';
import { ToolsPage } from '../overview/ToolsPage.tsx';
import { RecipeView } from '../recipe/RecipeView.tsx';
import { SourcesPanel } from '../sources/SourcesPanel.tsx';
import { StepTable } from './StepTable.tsx';

const SOURCES_TAB = { id: 'sources' as const, label: 'Sources & rules' };
const STEPS_TAB = { id: 'steps' as const, label: 'Steps' };
const ROLLOUTS_TAB = {
  id: 'rollouts' as const,
  label: 'Rollouts',
  title: 'Rollouts of all steps in one list',
};
const RECIPE_TAB = { id: 'recipe' as const, label: 'Recipe', title: 'Stages, limits, solved problems' };
const TOOLS_TAB = {
  id: 'tools' as const,
  label: 'Tools',
  title: 'Outcomes and latencies of tool calls',
};
const CONFIGURATION_TAB = {
  id: 'configuration' as const,
  label: 'Configuration',
  title: 'Settings in the log, beside those of another run',
};
const EVALUATION_TAB = {
  id: 'evaluation' as const,
  label: 'Evaluation',
  title: 'The log’s own result and settings; pass@1, pass@k and majority@k of each benchmark',
};

/** An evaluation has no recipe, and a training has no benchmark. */
function tabsOf({ kind, hasSteps }: Pick<RunDetail, 'kind' | 'hasSteps'>) {
  const lists = hasSteps ? [STEPS_TAB, ROLLOUTS_TAB] : LIST_TABS;
  const more = kind === 'eval' ? [EVALUATION_TAB] : hasSteps ? [RECIPE_TAB] : [];
  const sources = { ...SOURCES_TAB, title: keyed('Files, groups, names', 'run.sources') };
  return [...lists, TOOLS_TAB, ...more, CONFIGURATION_TAB, sources];
}

/** Sums over all steps. The header uses them, so that it always agrees with the step table. */
function ofAllSteps(steps: readonly StepSummary[]): ListSummary {
  const sum = (of: keyof ListSummary) => steps.reduce((all, step) => all + step[of], 0);
  return {
    rollouts: sum('rollouts'),
    groups: sum('groups'),
    decided: sum('decided'),
    correctKnown: sum('correctKnown'),
  };
}

/** A run: its steps (or its groups and rollouts if the log has no steps) and its sources. */
export default function RunView({ runKey }: { readonly runKey: string }) {
  const run = useRequest('run.get', { runKey });
  const steps = useSteps(runKey, run.data?.runId, { isFresh: true });
  const [query, setQuery] = useUrlQuery();
  const areChartsOpen = useInterface((state) => state.areChartsOpen);
  const flip = useInterface((state) => state.flip);
  const showDialog = useInterface((state) => state.showDialog);
  const showTab = (tab: string) => setQuery({ tab, sort: undefined, filter: undefined });
  const isSources = query.get('tab') === 'sources';
  useCommands({
    'charts.flip': () => flip('areChartsOpen'),
    'run.sources': () => showTab(isSources ? '' : 'sources'),
    'run.remove': () => showDialog({ kind: 'removeRun', runKey }),
    'run.move': () => showDialog({ kind: 'moveRun', runKey }),
    'run.export': () => showDialog({ kind: 'exportRun', runKey }),
  });

  const error = run.error ?? steps.error;
  if (error !== null) {
    return (
      <FailedState
        isPage
        title="This run could not be opened"
        error={error}
        onRetry={() => (run.error === null ? steps.refetch() : void run.refetch())}
      >
        <p>It may not be in this library. The library page lists the runs that are.</p>
      </FailedState>
    );
  }
  if (run.data === undefined || steps.all === undefined) return <WaitingState title="Opening the run…" />;

  const { data } = run;
  const { all, elsewhere } = steps;
  const whole = ofAllSteps(all);
  const [onlyStep] = all;
  const lastStep = all.at(-1);
  const list = listTab(query, onlyStep);
  const tabs = tabsOf(data);
  const chosen =
    tabs.find(({ id }) => id === query.get('tab'))?.id ?? (data.hasSteps ? ('steps' as const) : list);

  return (
    <div className="page">
      <header className="page-head is-one-line run-head">
        <h1
          title={plainLogText([data.name, data.model, data.dataset, data.format].filter(Boolean).join(' · '))}
        >
          {plainLogText(data.name)}
        </h1>
        <Segmented
          label="View"
          chosen={chosen}
          onChoose={(tab) => showTab(tab === 'steps' ? '' : tab)}
          choices={tabs}
        />
        <span className="run-of">
          {data.model !== undefined && <Chip title="Model">{plainLogText(data.model)}</Chip>}
          {data.dataset !== undefined && <Chip title="Data set">{plainLogText(data.dataset)}</Chip>}
          <Chip title={plainPath(data.directory)}>{plainLogText(data.format)}</Chip>
        </span>
        <DerivedChips run={data} />
        <UnfinishedEvaluation run={data} />
        <PartlyRead run={data} />
        {data.issues > 0 && (
          <Link href="/issues">
            <Chip isWarning title="Records that are not in the library">
              {counted(data.issues, 'issue')}
            </Chip>
          </Link>
        )}
        {data.sharedIssues !== undefined && (
          <Link href="/issues">
            <Chip
              isWarning
              title="Records that are not in the library, of a file with several runs. Their run is unknown"
            >
              {counted(data.sharedIssues, 'issue')} of a shared file
            </Chip>
          </Link>
        )}
        {data.caveats !== undefined && (
          <Link href="/issues">
            <Chip title="Records that were read, with a caveat">{counted(data.caveats, 'caveat')}</Chip>
          </Link>
        )}
        {data.filesNotRead > 0 && (
          <Link href={`${pathOfRoute({ view: 'run', runKey })}?tab=sources`}>
            <Chip title="Files of its directory with the same content as files that were read before. Sources & rules names them">
              {counted(data.filesNotRead, 'file')} not read
            </Chip>
          </Link>
        )}
        <div className="end">
          <RunFacts
            run={data}
            whole={whole}
            steps={all.length}
            isCounted={!steps.isAsking || !isCopyOfWarehouse(data.directory)}
          />
          {chosen === 'tools' && lastStep !== undefined && (
            <Link
              className="is-link"
              href={pathOfRoute({ view: 'schedule', runKey, step: lastStep.step })}
              title={`When and where the rollouts of the last step ran; the others open from the charts, and by ${keyWord('sibling.previous')} and ${keyWord('sibling.next')}`}
            >
              Schedule
            </Link>
          )}
          {isRocLogged(data.config, all) && (
            <Link
              className="is-link"
              href={pathOfRoute({ view: 'roc', runKey })}
              title={keyed('Resample-on-Correct of this run', 'place.roc')}
            >
              RoC
            </Link>
          )}
          <Link
            className="is-link"
            href={pathOfRoute({ view: 'tokens', runKey })}
            title={keyed('Statistics of the tokens of this run', 'place.tokens')}
          >
            Tokens
          </Link>
          <FollowControls runKey={runKey} canStart />
          {chosen === 'steps' && (
            <Button
              onClick={() => flip('areChartsOpen')}
              title={keyed('Show or hide the charts', 'charts.flip')}
            >
              {areChartsOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />} Charts
            </Button>
          )}
        </div>
      </header>
      {!isSources && <PartlyReadNote run={data} />}
      {data.format === 'turnwise-pack' && <PackNote run={data} />}
      <CopyNote run={data} />
      <ElsewhereNote run={data} steps={steps} />
      {isSources ? (
        <SourcesPanel run={data} />
      ) : chosen === 'tools' ? (
        <ToolsPage run={data} steps={all.map(({ step }) => step)} />
      ) : chosen === 'evaluation' ? (
        <EvaluationView run={data} />
      ) : chosen === 'configuration' ? (
        <ConfigurationView run={data} />
      ) : chosen === 'recipe' ? (
        <RecipeView run={data} rows={all} elsewhere={elsewhere} missing={steps.missing} />
      ) : data.hasSteps && chosen !== 'rollouts' ? (
        <StepTable run={data} all={all} elsewhere={elsewhere} />
      ) : data.hasSteps ? (
        <StepLists
          runKey={runKey}
          runId={data.runId}
          of={data.name}
          summary={whole}
          tab="rollouts"
          isElsewhere={elsewhere.size > 0}
        />
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

/** A pack of pairs looks like a run whose pass rate fell to 0. */
function PackNote({ run: { runKey, hasSteps } }: { readonly run: RunSummary }) {
  return (
    <p className="page-note" role="note">
      Read from a pack: these rollouts were chosen, so the rates and charts say nothing about the whole run.{' '}
      {hasSteps && (
        <Link className="is-link" href={`${pathOfRoute({ view: 'problems', runKey })}?tab=changes`}>
          Pairs of two steps
        </Link>
      )}
    </p>
  );
}

/** Steps of a warehouse that were copied under a filter. */
function CopyNote({ run: { config } }: { readonly run: RunDetail }) {
  const filter = config['chosen_by'];
  if (typeof filter !== 'string') return null;
  return (
    <p className="page-note" role="note">
      Copied from a warehouse by <code>{filter}</code>: these rollouts were chosen, so the rates and charts
      say nothing about the whole run.
    </p>
  );
}

/** Every other page and search see what is in the library only. */
function ElsewhereNote({ run, steps }: { readonly run: RunDetail; readonly steps: StepsOfRun }) {
  const { all = [], elsewhere, warehouseError, askAgain, isAsking, isThere } = steps;
  const { beside } = useRunElsewhere(run.runKey);
  if (beside !== undefined && beside.steps > all.length)
    return (
      <p className="page-note" role="note">
        The warehouse has {counted(beside.steps, 'step')} of this run. This library shows it from logs of its
        own; remove it here to see that of the warehouse.
      </p>
    );
  if (warehouseError !== null && isCopyOfWarehouse(run.directory))
    return (
      <p className="page-note" role="note">
        The warehouse could not be asked, so only the steps that are here are shown: {warehouseError.message}{' '}
        <Button onClick={askAgain}>Try again</Button>
      </p>
    );
  if (isAsking && isCopyOfWarehouse(run.directory))
    return (
      <p className="page-note" role="note">
        Asking the warehouse for the other steps…
      </p>
    );
  if (!isThere && !isAsking && isCopyOfWarehouse(run.directory) && run.config['chosen_by'] === undefined)
    return (
      <p className="page-note" role="note">
        These steps were copied from a warehouse that is not open, or that does not have the run any more.
        They may be a part of it.
      </p>
    );
  if (elsewhere.size === 0) return null;
  return (
    <p className="page-note" role="note">
      {all.length - elsewhere.size} of {counted(all.length, 'step')} are here. The others are in the
      warehouse, and are copied when you open them. Steps, charts and the list of rollouts know all, also
      under a filter such as <code>text:"wait"</code>; every other page and search know those here, and SQL
      asks either.
    </p>
  );
}

interface RunFactsProps {
  readonly run: RunDetail;
  readonly whole: ListSummary;
  readonly steps: number;
  /** False: the warehouse may have more steps. */
  readonly isCounted: boolean;
}

/**
 * Times and counts, each on one line. While the run is being read, its list and its charts count at different times, so
 * no total is shown.
 */
function RunFacts({ run, whole, steps, isCounted }: RunFactsProps) {
  const isBeingRead = useJobOf(run) !== undefined || !isCounted;
  const counts = [
    ...(isBeingRead ? [] : [counted(whole.rollouts, 'rollout')]),
    // With one rollout in each group, both numbers are equal.
    ...(isBeingRead || whole.groups >= whole.rollouts ? [] : [counted(whole.groups, 'group')]),
    ...(run.hasSteps ? (isBeingRead ? [] : [counted(steps, 'step')]) : ['no training steps in this log']),
  ];
  return (
    <span className="page-facts" title={counts.join(' · ')}>
      <RunTimes run={run} />
      {counts.map((text) => (
        <Fragment key={text}>
          <span className="page-fact">{text}</span>{' '}
        </Fragment>
      ))}
    </span>
  );
}

/** Start and end times of a run, if logged. */
function RunTimes({ run: { startedAt, completedAt } }: { readonly run: RunSummary }) {
  const at = startedAt ?? completedAt;
  if (at === undefined) return null;
  const took =
    startedAt === undefined || completedAt === undefined || completedAt < startedAt
      ? ''
      : `, ${lasted(completedAt - startedAt)}`;
  const title = [
    ...(startedAt === undefined ? [] : [`Started ${wholeTime(startedAt)}`]),
    completedAt === undefined ? 'no end logged' : `completed ${wholeTime(completedAt)}`,
  ].join('; ');
  return (
    <>
      <time className="page-fact" dateTime={isoTime(at)} title={`${title} (logged)`}>
        {startedAt === undefined ? 'completed ' : 'started '}
        {dayAndTime(at)}
        {took}
      </time>{' '}
    </>
  );
}
