import { useRef } from 'react';
import type { ProblemHistory } from '../../../shared/api/contract.ts';
import { plainAnswer } from '../../../shared/domain/latexSigns.ts';
import { plainQuestion, problemName } from '../../../shared/domain/question.ts';
import { standalonePart } from '../../charts/exportChart.ts';
import type { Route } from '../../data/route.ts';
import { usePage } from '../../data/usePage.ts';
import { useRequest } from '../../data/useRequest.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { SourceText, withLongWord } from '../../ui/SourceText.tsx';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { ChartMenu, chartFileName } from '../../widgets/charts/ChartMenu.tsx';
import { answerClusters, historyCsv, historyScale } from './historyModel.ts';
import { ClusterKey, RunHistory, scaleText } from './RunHistory.tsx';
import './problems.css';

type ProblemRoute = Extract<Route, { view: 'problem' }>;

/** One problem over steps and runs: pass rates, answers and lengths. */
export default function ProblemView({ route }: { readonly route: ProblemRoute }) {
  const { runKey, step, groupKey } = route;
  const resolved = usePage({ runKey, step, groupKey });
  const groupId = resolved.data?.groupId;
  const history = useRequest('problem.history', groupId === undefined ? undefined : { groupId });
  const error = resolved.error ?? history.error;
  if (error !== null)
    return (
      <FailedState
        isPage
        title="This problem could not be opened"
        error={error}
        onRetry={() => void resolved.refetch()}
      />
    );
  if (history.data === undefined) return <WaitingState title="Opening the problem…" />;
  return <Problem history={history.data} groupId={groupId ?? 0} />;
}

function Problem({ history, groupId }: { readonly history: ProblemHistory; readonly groupId: number }) {
  const { problemId, groundTruth, source, userScenario, prompt, groups, leftOut } = history;
  const name = problemName(history);
  const asked = plainQuestion(history.question);
  // Expected actions or code do not fit into the line of facts.
  const isLongTruth = groundTruth !== undefined && (groundTruth.length > 120 || groundTruth.includes('\n'));
  const shortTruth = isLongTruth ? undefined : groundTruth;
  const clusters = answerClusters(groups);
  const scale = historyScale(groups);
  const drawn = useRef<HTMLDivElement>(null);
  const runs = [...new Set(groups.map(({ runKey }) => runKey))];
  return (
    <div className="page problem-page">
      <header className="page-head is-one-line">
        <h1 title={plainLogText(history.question)}>{name}</h1>
        <div className="end">
          <span className="page-facts">
            {name !== problemId && `id ${plainLogText(problemId)} · `}
            {shortTruth !== undefined && `ground truth ${plainLogText(plainAnswer(shortTruth))} · `}
            {source !== undefined && `${plainLogText(source)} · `}
            {counted(groups.length + leftOut, 'group')} in {counted(runs.length, 'run')}
            {leftOut > 0 && `; the first ${count(groups.length)} are shown`}
          </span>
          <ChartMenu
            title="History of the problem"
            fileName={chartFileName('problem', problemId)}
            drawing={() =>
              drawn.current === null
                ? undefined
                : standalonePart(drawn.current, {
                    title: `History of ${name}${shortTruth === undefined ? '' : `, ground truth ${shortTruth}`}`,
                    subtitle: scaleText(groups, scale),
                    legend: [],
                  })
            }
            csv={() => historyCsv(history)}
            provenance="from rollouts"
          />
        </div>
      </header>
      <div className="problem-body">
        {isLongTruth && (
          <details className="problem-prompt" open={groundTruth.length < 1200}>
            <summary>Ground truth</summary>
            <div className="problem-prompt-text">
              <SourceText text={groundTruth} />
            </div>
          </details>
        )}
        {userScenario !== undefined && (
          <details className="problem-prompt" open={userScenario.length < 1200}>
            <summary>User scenario: instructions of the simulated user. The policy did not see them.</summary>
            <div className="problem-prompt-text">
              <SourceText text={userScenario} />
            </div>
          </details>
        )}
        {asked !== '' && <p className={withLongWord('problem-question', asked)}>{asked}</p>}
        <details className="problem-prompt" open={asked === '' && prompt.length < 1200}>
          <summary>Prompt as logged</summary>
          <div className="problem-prompt-text">
            <SourceText text={prompt} />
          </div>
        </details>
        <div ref={drawn}>
          {runs.map((runKey) => (
            <RunHistory
              key={runKey}
              problemId={problemId}
              groups={groups.filter((group) => group.runKey === runKey)}
              clusters={clusters}
              scale={scale}
              here={groupId}
            />
          ))}
          <ClusterKey clusters={clusters} hasTruth={groundTruth !== undefined} />
        </div>
      </div>
    </div>
  );
}
