/** Problems that became correct or incorrect from one step to another, of this run or of another one. */

import { useMemo } from 'react';
import {
  type ChangedProblem,
  type ChangeSide,
  DIRECTIONS,
  type ProblemChanges,
  type RunSummary,
} from '../../../shared/api/contract.ts';
import { problemName } from '../../../shared/domain/question.ts';
import { type ChangesLink, changedTo, changePath, changesPack, changesPath } from '../../data/changesLink.ts';
import { namesWithModels } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, decimal } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { LabelNames } from '../../widgets/rollouts/labelColumn.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';

export function Changes({ run }: { readonly run: RunSummary }) {
  const [query, setQuery] = useUrlQuery();
  const runs = useRequest('run.list', {});
  const other = runs.data?.find(({ runKey }) => runKey === query.get('with')) ?? run;
  const listed = runs.data ?? [run];
  const names = namesWithModels(listed);
  const [before, after] = [useSteps(run), useSteps(other)];
  const became = DIRECTIONS.find((one) => one === query.get('became')) ?? 'incorrect';
  const isSame = other.runId === run.runId;
  const from = chosenStep(query.get('from'), before) ?? before?.[0];
  const to = chosenStep(query.get('to'), after) ?? after?.at(-1);
  const isWhole = from !== undefined && to !== undefined && !(isSame && from === to);
  const changes = useRequest(
    'problem.changes',
    isWhole ? { from: { runId: run.runId, step: from }, to: { runId: other.runId, step: to } } : undefined,
    { keepPrevious: true },
  );
  const canExport = isWhole && changes.data !== undefined && changedTo(changes.data, became).length > 0;
  const exportPairs = canExport
    ? () =>
        useInterface.getState().showDialog({
          kind: 'exportPack',
          scope: changesPack(became, { run, step: from }, { run: other, step: to }),
        })
    : undefined;
  useCommands({ 'pack.export': exportPairs });
  return (
    <>
      <div className="filters">
        <StepChoice
          label="from step"
          run={run}
          steps={before}
          step={from}
          onChoose={(step) => setQuery({ from: step })}
        />
        <StepChoice
          label="to step"
          run={other}
          steps={after}
          step={to}
          onChoose={(step) => setQuery({ to: step })}
        />
        <label className="overview-field">
          {other.hasSteps ? 'of' : run.hasSteps ? 'to' : 'from this run to'}
          <select
            value={other.runKey}
            onChange={({ target }) =>
              setQuery({ with: target.value === run.runKey ? undefined : target.value, to: undefined })
            }
          >
            {listed.map(({ runKey }, at) => (
              <option key={runKey} value={runKey}>
                {plainLogText(runKey === run.runKey ? thisRun(run) : (names[at] ?? ''))}
              </option>
            ))}
          </select>
        </label>
        {changes.data !== undefined && (
          <Segmented
            label="Direction"
            chosen={became}
            onChoose={(next) => setQuery({ became: next === 'incorrect' ? undefined : next })}
            choices={DIRECTIONS.map((id) => ({
              id,
              label: `became ${id} (${count(changedTo(changes.data, id).length)})`,
              title: `Problems that became ${id}`,
            }))}
          />
        )}
        {exportPairs !== undefined && (
          <Button
            title={keyed('Export these pairs as a page or as JSONL', 'pack.export')}
            onClick={exportPairs}
          >
            Export pairs…
          </Button>
        )}
      </div>
      {!isWhole ? (
        <NothingToCompare run={run} hasOtherRuns={listed.length > 1} />
      ) : changes.error !== null ? (
        <FailedState
          title="The changes could not be counted"
          error={changes.error}
          onRetry={() => void changes.refetch()}
        />
      ) : changes.data === undefined ? (
        <WaitingState title="Comparing problems…" />
      ) : (
        <ChangedProblems
          isBetweenRuns={!isSame && !run.hasSteps && !other.hasSteps}
          changes={changes.data}
          link={{ from: { run: run.runKey, step: from }, to: { run: other.runKey, step: to }, became }}
        />
      )}
    </>
  );
}

interface NothingToCompareProps {
  readonly run: RunSummary;
  readonly hasOtherRuns: boolean;
}

function NothingToCompare({ run, hasOtherRuns }: NothingToCompareProps) {
  if (run.hasSteps) return <EmptyState title="Choose two steps, or another run to compare with" />;
  return (
    <EmptyState title="No steps to compare in this log">
      <p>
        {hasOtherRuns
          ? 'Choose a run of the same problems above, for example of another model.'
          : 'Open the log of another run of the same problems, for example of another model, to compare with it.'}
      </p>
    </EmptyState>
  );
}

const thisRun = ({ model }: RunSummary): string => (model === undefined ? 'this run' : `this run · ${model}`);

/** Steps with rollouts whose correctness is known, ascending. Undefined while loading. */
function useSteps({ runId }: RunSummary): readonly number[] | undefined {
  const { data } = useRequest('step.list', { runId });
  return useMemo(() => data?.filter(({ correctKnown }) => correctKnown > 0).map(({ step }) => step), [data]);
}

function chosenStep(named: string | null, steps: readonly number[] | undefined): number | undefined {
  return named === null ? undefined : steps?.find((step) => String(step) === named);
}

interface StepChoiceProps {
  readonly label: string;
  readonly run: RunSummary;
  readonly steps: readonly number[] | undefined;
  readonly step: number | undefined;
  readonly onChoose: (step: string) => void;
}

/** Nothing for a run without steps. */
function StepChoice({ label, run, steps = [], step, onChoose }: StepChoiceProps) {
  if (!run.hasSteps) return null;
  return (
    <label className="overview-field">
      {label}
      <select value={step} disabled={steps.length < 2} onChange={({ target }) => onChoose(target.value)}>
        {steps.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChangedProblemsProps {
  readonly changes: ProblemChanges;
  readonly link: ChangesLink;
  /** Compares two runs without steps. */
  readonly isBetweenRuns: boolean;
}

function ChangedProblems({ changes, link, isBetweenRuns }: ChangedProblemsProps) {
  const listed = changedTo(changes, link.became);
  const table = useTableCommands();
  const list = changesPath(link);
  return (
    <>
      <p className="filter-note problem-note" role="status">
        {summary(changes, isBetweenRuns)}
      </p>
      {listed.length === 0 ? (
        <EmptyState title={`No problem became ${link.became}`} />
      ) : (
        <div className="page-list">
          <VirtualTable
            key={list}
            handle={table}
            label={`Problems that became ${link.became}`}
            columns={COLUMNS}
            count={listed.length}
            rowAt={(index) => ({ index, problem: listed[index] })}
            onOpen={({ index, problem }) =>
              problem !== undefined && navigateTo(changePath(link, index, problem))
            }
            position={listPosition(list)}
            onPosition={(position) => rememberListPosition(list, position)}
          />
        </div>
      )}
    </>
  );
}

interface Entry {
  readonly index: number;
  readonly problem: ChangedProblem | undefined;
}

const correctOf = (side: ChangeSide | undefined): string =>
  side === undefined ? '' : `${count(side.correct)} of ${count(side.known)}`;

/** Longer than a title elsewhere: a row has room, and the cell cuts what does not fit. */
const ROW_TITLE = 200;

const COLUMNS: readonly Column<Entry>[] = [
  {
    ...{ id: 'problem', label: 'problem', minWidth: 240, grow: 4 },
    cell: ({ problem }) =>
      problem === undefined ? null : (
        <span title={plainLogText(problem.question)}>{problemName(problem, ROW_TITLE)}</span>
      ),
  },
  {
    ...{ id: 'from', label: 'correct before', align: 'end', minWidth: 110, grow: 0 },
    cell: ({ problem }) => correctOf(problem?.from),
  },
  {
    ...{ id: 'to', label: 'correct after', align: 'end', minWidth: 110, grow: 0 },
    cell: ({ problem }) => correctOf(problem?.to),
  },
  {
    ...{ id: 'labels', label: 'labels', minWidth: 180, grow: 0 },
    hint: 'Labels that reviewers gave either rollout of the pair',
    cell: ({ problem }) => <LabelNames ids={problem?.labels} />,
  },
];

/** Counts of the comparison, and the p-value of the changes. */
function summary(changes: ProblemChanges, isBetweenRuns: boolean): string {
  const { compared, stayedCorrect, stayedIncorrect, undecided, unknown, onlyFrom, onlyTo } = changes;
  const lost = changes.becameIncorrect.length;
  const won = changes.becameCorrect.length;
  const p = changes.pValue < 0.0001 ? 'p\u00a0<\u00a00.0001' : `p\u00a0=\u00a0${decimal(changes.pValue, 4)}`;
  const rest = [
    undecided > 0 ? `${count(undecided)} with exactly half of the rollouts correct` : '',
    unknown > 0 ? `${count(unknown)} of unknown correctness` : '',
    onlyFrom + onlyTo > 0
      ? `${count(onlyFrom + onlyTo)} ${isBetweenRuns ? 'in one of the runs' : 'at one of the steps'} only`
      : '',
  ].filter((part) => part !== '');
  return [
    `${counted(compared, 'problem')} ${isBetweenRuns ? 'in both runs' : 'at both steps'}: ${count(lost)} became incorrect, ${count(won)} became correct, ${count(stayedCorrect)} stayed correct, ${count(stayedIncorrect)} stayed incorrect.`,
    rest.length === 0 ? '' : `Not among them: ${rest.join(', ')}.`,
    'A problem is correct if more than half of its rollouts are.',
    lost + won === 0 ? '' : `Exact McNemar test over the ${count(lost + won)} that changed: ${p}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
