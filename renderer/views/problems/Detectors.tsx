/** Findings of reward hacking and degeneration: one row per detector, and the findings of the chosen one. */

import { type CSSProperties, useMemo, useRef, useState } from 'react';
import type {
  DetectorReport,
  RolloutDetectorReport,
  RunSummary,
  StepsDetectorReport,
} from '../../../shared/api/contract.ts';
import {
  DETECTORS,
  type Detector,
  THRESHOLD_NAMES,
  THRESHOLDS,
} from '../../../shared/domain/detectors/detectors.ts';
import { isNamedByQuestion, problemName } from '../../../shared/domain/question.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { findingPath } from '../../data/findingLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useRolloutsOf } from '../../data/useRowWindow.ts';
import { useInterface } from '../../state/interface.ts';
import { useTokenView } from '../../state/tokenView.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { EmptyState, FailedState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { SeverityTag } from '../../widgets/detectors/SeverityTag.tsx';
import { ThresholdList } from '../../widgets/detectors/ThresholdList.tsx';
import { useThresholds } from '../../widgets/detectors/useThresholds.ts';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { STEP_LINE_WIDTH, StepLine } from './StepLine.tsx';

export function Detectors({ run }: { readonly run: RunSummary }) {
  const { applied } = useFilterLink();
  const [query, setQuery] = useUrlQuery();
  const thresholds = useThresholds();
  const steps = useRequest('step.list', run.hasSteps ? { runId: run.runId } : undefined).data ?? [];
  const asked = Number(query.get('step') ?? Number.NaN);
  const step = steps.some((one) => one.step === asked) ? asked : undefined;
  const state = useLongQuery('detector.report', {
    ...{ runId: run.runId, filter: applied, thresholds },
    ...(step === undefined ? {} : { step }),
  });
  const { data, error, progress, isStopped, stop, restart } = state;
  const scope = `${run.runId} ${applied} ${step}`;
  // While only thresholds change, the former report stays in place.
  const answered = useRef('');
  if (data !== undefined && !state.isFormer) answered.current = scope;
  return (
    <>
      <div className="filters">
        <FilterBox runId={run.runId} runKey={run.runKey} what="rollouts" />
        {steps.length > 1 && (
          <select
            aria-label="Step"
            className="detector-step"
            value={step ?? ''}
            onChange={({ target }) => setQuery({ step: target.value === '' ? undefined : target.value })}
          >
            <option value="">All steps</option>
            {steps.map((one) => (
              <option key={one.step} value={one.step}>
                Step {one.step}
              </option>
            ))}
          </select>
        )}
      </div>
      {error !== null ? (
        <FailedState title="The rollouts could not be checked" error={error} onRetry={() => void restart()} />
      ) : isStopped ? (
        <EmptyState title="Stopped">
          <Button onClick={() => void restart()}>Check the rollouts</Button>
        </EmptyState>
      ) : data === undefined || (state.isFormer && answered.current !== scope) ? (
        <p className="failure-waiting waiting" role="status">
          <progress aria-label="Steps read" value={progress?.share} max={1} /> reading the texts…{' '}
          <Button onClick={stop}>Cancel</Button>
        </p>
      ) : data.rollouts === 0 ? (
        <EmptyState title="No rollout matches" />
      ) : (
        <Report key={scope} run={run} report={data} isFormer={state.isFormer} />
      )}
    </>
  );
}

/** A detector with its findings, of rollouts or of steps. */
type Entry =
  | { readonly about: Detector; readonly ofRollouts: RolloutDetectorReport; readonly ofSteps?: never }
  | { readonly about: Detector; readonly ofSteps: StepsDetectorReport; readonly ofRollouts?: never };

const detectorOf = ({ ofRollouts, ofSteps }: Entry) => (ofRollouts ?? ofSteps).detector;

interface ReportProps {
  readonly run: RunSummary;
  readonly report: DetectorReport;
}

function Report({ run, report, isFormer }: ReportProps & { readonly isFormer: boolean }) {
  const all: readonly Entry[] = [
    ...report.ofRollouts.map((one) => ({ about: DETECTORS[one.detector], ofRollouts: one })),
    ...report.ofSteps.map((one) => ({ about: DETECTORS[one.detector], ofSteps: one })),
  ];
  const fired = all.filter((entry) => foundIn(entry) > 0);
  const unable = all.filter((entry) => judgedBy(entry) === 0).length;
  // Those that found something come first. The order stays when a threshold changes.
  const [order] = useState(() => [...fired, ...all.filter((entry) => foundIn(entry) === 0)].map(detectorOf));
  const entries = order.flatMap((id) => all.filter((entry) => detectorOf(entry) === id));
  const [cursor, setCursor] = useState(0);
  const table = useTableCommands();
  const chosen = entries[Math.min(cursor, entries.length - 1)];
  const open = ({ ofRollouts, ofSteps }: Entry) => {
    const [first] = ofRollouts?.findings ?? [];
    const [step] = ofSteps?.findings[0]?.steps ?? [];
    if (first !== undefined) {
      showFlags();
      navigateTo(findingPath(run.runKey, first));
    } else if (step !== undefined && run.hasSteps)
      navigateTo(pathOfRoute({ view: 'step', runKey: run.runKey, step }));
  };
  return (
    <>
      <p className="suspect-why" role="status">
        {isFormer && 'Checking again… '}
        {fired.length === 0
          ? 'No detector found anything'
          : `${fired.length} of ${all.length} detectors found something`}{' '}
        in {counted(report.rollouts, 'rollout')}.{' '}
        {unable > 0 && `${count(unable)} of the ${all.length} had nothing to judge. `}
        <span className="dim">
          A finding is a place worth reading, not a verdict. Rewards and ground truths that may be wrong are
          under Suspicious.
        </span>
      </p>
      <div className="failures" style={{ '--list-rows': entries.length } as CSSProperties}>
        <div className="page-list">
          <VirtualTable
            handle={table}
            label="Detectors"
            columns={columnsOf(run, report)}
            count={entries.length}
            rowAt={(index) => entries[index]}
            onPosition={(position) => setCursor(position.cursor)}
            onOpen={open}
          />
        </div>
        {chosen !== undefined && <ChosenDetector run={run} report={report} chosen={chosen} />}
      </div>
    </>
  );
}

/** Rollouts with a finding, or findings about steps. */
const foundIn = ({ ofRollouts, ofSteps }: Entry): number =>
  ofRollouts?.ids.length ?? ofSteps?.findings.length ?? 0;

/** Rollouts or steps that a detector could judge. */
const judgedBy = ({ ofRollouts, ofSteps }: Entry): number =>
  ofRollouts?.judged ?? ofSteps?.judged.length ?? 0;

/** The replay has findings beside the flags. */
function showFlags(): void {
  useTokenView.getState().setInspectorTab('labels');
  const { isInspectorOpen, flip } = useInterface.getState();
  if (!isInspectorOpen) flip('isInspectorOpen');
}

function ChosenDetector({ run, report, chosen }: ReportProps & { readonly chosen: Entry }) {
  const { about, ofRollouts, ofSteps } = chosen;
  const id = detectorOf(chosen);
  const unjudged = ofRollouts === undefined ? 0 : report.rollouts - ofRollouts.judged;
  const names = THRESHOLD_NAMES.filter((name) => THRESHOLDS[name].detector === id);
  return (
    <section className="failure-detail detector-detail" aria-label="Chosen detector">
      <h2>{about.name}</h2>
      <dl>
        <dt>Meaning</dt>
        <dd>{about.meaning}</dd>
        <dt>False positives</dt>
        <dd>{about.falsePositives}</dd>
        <dt>Needs</dt>
        <dd>
          {about.needs}
          {unjudged > 0 && `; ${counted(unjudged, 'rollout')} could not be judged`}
        </dd>
      </dl>
      {judgedBy(chosen) === 0 && (
        <p className="dim">Nothing was judged: no rollout or step has what it needs.</p>
      )}
      {ofRollouts !== undefined && <RolloutFindings run={run} found={ofRollouts} />}
      {ofSteps !== undefined && <StepsFindings run={run} found={ofSteps} unit={report.lengthUnit} />}
      {names.length > 0 && (
        <>
          <h3>Thresholds</h3>
          <ThresholdList names={names} />
        </>
      )}
    </section>
  );
}

function RolloutFindings({
  run,
  found,
}: {
  readonly run: RunSummary;
  readonly found: RolloutDetectorReport;
}) {
  const { findings, count: all } = found;
  const nameOf = useGroupNames(findings);
  if (found.judged === 0) return null;
  if (all === 0) return <p className="dim">No finding.</p>;
  return (
    <>
      <h3>
        {all > findings.length
          ? `First ${count(findings.length)} of ${counted(all, 'finding')}`
          : counted(all, 'finding')}
      </h3>
      <ul className="detector-findings">
        {findings.map((one) => (
          <li key={`${one.rolloutId} ${one.segment} ${one.start} ${one.message}`}>
            <Link href={findingPath(run.runKey, one)} onClick={showFlags}>
              {run.hasSteps && `step ${one.step} · `}
              {nameOf(one)} · rollout {one.ordinal} · turn {one.turn}
            </Link>{' '}
            <span>{plainLogText(one.message)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The names of the groups of findings: their keys, or the first words of the problem where its id is a hash. */
function useGroupNames(findings: RolloutDetectorReport['findings']) {
  const ids = useMemo(
    () => Uint32Array.from(new Set(findings.map(({ rolloutId }) => rolloutId))),
    [findings],
  );
  const { rowOf } = useRolloutsOf(ids);
  const groupIds = [...new Set([...ids].flatMap((id) => rowOf(id)?.groupId ?? []))];
  const groups = useRequest('group.rows', groupIds.length === 0 ? undefined : { groupIds }, {
    keepPrevious: true,
  }).data;
  return ({ rolloutId, groupKey }: RolloutDetectorReport['findings'][number]): string => {
    const group = groups?.find((one) => one?.groupId === rowOf(rolloutId)?.groupId);
    if (group === undefined) return plainLogText(groupKey);
    const problem = { problemId: group.problemId, question: group.promptPreview };
    return isNamedByQuestion(problem) ? problemName(problem) : plainLogText(groupKey);
  };
}

interface StepsFindingsProps {
  readonly run: RunSummary;
  readonly found: StepsDetectorReport;
  readonly unit: DetectorReport['lengthUnit'];
}

function StepsFindings({ run, found, unit }: StepsFindingsProps) {
  const { detector, findings } = found;
  if (found.judged.length === 0) return null;
  if (findings.length === 0) return <p className="dim">No finding.</p>;
  return (
    <>
      <h3>{counted(findings.length, 'finding')}</h3>
      <ul className="detector-findings">
        {findings.map(({ steps, message }) => {
          const [first = 0] = steps;
          return (
            <li key={`${first} ${steps.length}`}>
              {!run.hasSteps ? null : steps.length === 1 ? (
                <Link href={pathOfRoute({ view: 'step', runKey: run.runKey, step: first })}>
                  step {first}
                </Link>
              ) : (
                <Link href={pathOfRoute({ view: 'run', runKey: run.runKey })}>
                  steps {first} to {steps.at(-1)}
                </Link>
              )}{' '}
              <span>{message}</span>
            </li>
          );
        })}
      </ul>
      {detector === 'length_reward' && <p className="dim">Lengths in {unit}.</p>}
    </>
  );
}

function columnsOf(run: RunSummary, report: DetectorReport): readonly Column<Entry>[] {
  const steps = report.steps.map(({ step }) => step);
  const hasLine = run.hasSteps && steps.length > 1;
  const stepsOf = (found: StepsDetectorReport): readonly number[] =>
    steps.map((step) =>
      found.findings.some((one) => one.steps.length === 1 && one.steps[0] === step) ? 1 : 0,
    );
  return [
    {
      ...{ id: 'severity', label: 'severity', minWidth: 84, grow: 0 },
      cell: (entry) =>
        foundIn(entry) === 0 ? (
          <span className="dim">{entry.about.severity}</span>
        ) : (
          <SeverityTag severity={entry.about.severity} />
        ),
    },
    {
      ...{ id: 'name', label: 'detector', minWidth: 220, grow: 4 },
      cell: ({ about }) => <span title={about.meaning}>{about.name}</span>,
    },
    {
      ...{ id: 'found', label: 'found', align: 'end', minWidth: 110, grow: 0 },
      cell: (entry) => {
        const found = foundIn(entry);
        if (found === 0) return <span className="dim">–</span>;
        return entry.ofRollouts === undefined ? counted(found, 'finding') : counted(found, 'rollout');
      },
    },
    {
      ...{ id: 'share', label: 'share of judged', align: 'end', minWidth: 110, grow: 0 },
      cell: ({ ofRollouts }) =>
        ofRollouts === undefined || ofRollouts.judged === 0 ? (
          <span className="dim">–</span>
        ) : (
          `${percent(ofRollouts.ids.length / ofRollouts.judged)} %`
        ),
    },
    {
      ...{ id: 'judged', label: 'judged', align: 'end', minWidth: 110, grow: 0 },
      cell: (entry) =>
        judgedBy(entry) === 0 ? (
          <span className="dim">nothing</span>
        ) : (
          counted(judgedBy(entry), entry.ofRollouts === undefined ? 'step' : 'rollout')
        ),
    },
    ...(hasLine
      ? [
          {
            ...{ id: 'steps', label: 'by step', minWidth: STEP_LINE_WIDTH, grow: 0 },
            cell: (entry: Entry) =>
              foundIn(entry) > 0 && (
                <StepLine
                  values={entry.ofRollouts === undefined ? stepsOf(entry.ofSteps) : entry.ofRollouts.byStep}
                  steps={steps}
                />
              ),
          },
        ]
      : []),
  ];
}
