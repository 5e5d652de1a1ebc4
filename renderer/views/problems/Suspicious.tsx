import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { problemName } from '../../../shared/domain/question.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { AnswerText } from '../../widgets/AnswerText.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { RolloutTable } from '../../widgets/rollouts/RolloutTable.tsx';
import { DisputedAnswers, DisputedLink } from './DisputedAnswers.tsx';
import { SUSPECT_VIEWS, type SuspectView } from './suspectViews.ts';

interface SuspiciousProps {
  readonly runKey: string;
  readonly runId: number;
}

/** Ready-made views with their counts at the left, and the results of the chosen one at the right. */
export function Suspicious({ runKey, runId }: SuspiciousProps) {
  const [query, setQuery] = useUrlQuery();
  const hasTruth = useHasTruth(runId);
  // A view that needs no ground truth comes first in a log without ground truths.
  const view = query.get('view') ?? (hasTruth === false ? DISPUTED : TRUTHS);
  const chosen = SUSPECT_VIEWS.find(({ id }) => id === view);
  const isDisputed = view === DISPUTED;
  return (
    <>
      <div className="filters">
        <FilterBox runId={runId} runKey={runKey} what="rollouts" />
      </div>
      <p className="suspect-why">
        Ready-made lists of rollouts and problems whose reward or ground truth may be wrong.{' '}
        <span className="dim">
          Where the policy itself cheats or degenerates, Detectors finds the place in the text.
        </span>
      </p>
      <div className="suspicious">
        <nav className="suspect-views" aria-label="Ready-made views">
          <TruthLink
            runId={runId}
            hasTruth={hasTruth}
            isChosen={chosen === undefined && !isDisputed}
            onChoose={() => setQuery({ view: TRUTHS, sort: undefined })}
          />
          <DisputedLink
            runId={runId}
            isChosen={isDisputed}
            onChoose={() => setQuery({ view: DISPUTED, sort: undefined })}
          />
          {SUSPECT_VIEWS.map((view) => (
            <ViewLink
              key={view.id}
              runId={runId}
              view={view}
              hasTruth={hasTruth}
              isChosen={view === chosen}
              onChoose={() => setQuery({ view: view.id, sort: undefined })}
            />
          ))}
        </nav>
        <section
          className="suspect-list"
          aria-label={chosen?.title ?? (isDisputed ? 'Disputed answers' : 'Suspicious ground truths')}
        >
          {isDisputed ? (
            <DisputedAnswers runKey={runKey} runId={runId} />
          ) : hasTruth === false && (chosen === undefined || chosen.needsTruth === true) ? (
            <EmptyState title="Not judged: no rollout here has a ground truth" />
          ) : chosen === undefined ? (
            <SuspectTruths runKey={runKey} runId={runId} />
          ) : (
            <>
              <p className="suspect-why">
                {chosen.why} <code>{chosen.filter}</code>
              </p>
              <RolloutTable
                key={chosen.id}
                runKey={runKey}
                filter={{ runId, filter: chosen.filter }}
                label={chosen.title}
                listName={chosen.title}
                hidesProblem={false}
                emptyTitle="No rollout of this run matches"
              />
            </>
          )}
        </section>
      </div>
    </>
  );
}

/** Not a filter, since a dispute needs at least two rollouts. */
const DISPUTED = 'disputed';
const TRUTHS = 'truths';

/** Undefined: not known yet. */
function useHasTruth(runId: number): boolean | undefined {
  const { applied } = useFilterLink();
  const found = useRequest('rollout.order', { runId, filter: bothFilters('ground_truth:*', applied) }).data;
  return found === undefined ? undefined : found.ids.length > 0;
}

interface ViewLinkProps {
  readonly runId: number;
  readonly view: SuspectView;
  readonly hasTruth: boolean | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function ViewLink({ runId, view, hasTruth, isChosen, onChoose }: ViewLinkProps) {
  const { applied } = useFilterLink();
  const found = useRequest('rollout.order', { runId, filter: bothFilters(view.filter, applied) });
  return (
    <button type="button" aria-pressed={isChosen} onClick={onChoose} title={view.why}>
      <span>{view.title}</span>
      <Found number={found.data?.ids.length} isJudged={view.needsTruth !== true || hasTruth !== false} />
    </button>
  );
}

function useSuspects(runId: number) {
  const { applied } = useFilterLink();
  return useRequest('problem.suspects', { runId, filter: applied }, { keepPrevious: true });
}

interface FoundProps {
  /** Undefined: not counted yet. */
  readonly number: number | undefined;
  readonly isJudged: boolean;
}

function Found({ number, isJudged }: FoundProps) {
  if (!isJudged)
    return (
      <span className="suspect-count" title="Not judged: no rollout here has a ground truth">
        no truths
      </span>
    );
  return <span className="suspect-count">{number === undefined ? '…' : count(number)}</span>;
}

function TruthLink({ runId, hasTruth, isChosen, onChoose }: Omit<ViewLinkProps, 'view'>) {
  const found = useSuspects(runId);
  return (
    <button type="button" aria-pressed={isChosen} onClick={onChoose}>
      <span>Ground truth against the majority</span>
      <Found number={found.data?.suspects.length} isJudged={hasTruth !== false} />
    </button>
  );
}

function SuspectTruths({ runKey, runId }: SuspiciousProps) {
  const found = useSuspects(runId);
  if (found.error !== null)
    return (
      <FailedState
        title="The answers could not be counted"
        error={found.error}
        onRetry={() => void found.refetch()}
      />
    );
  if (found.data === undefined) return <WaitingState title="Counting answers…" />;
  const { suspects } = found.data;
  if (suspects.length === 0)
    return <EmptyState title="No problem has a majority of answers against its ground truth" />;
  return (
    <>
      <p className="suspect-why">
        At least half of a problem’s answers (four or more) agree on a value other than the ground truth.
        Answers with the same notation count as one.
      </p>
      <div className="suspect-table">
        <table>
          <thead>
            <tr>
              <th>problem</th>
              <th>ground truth</th>
              <th>majority</th>
              <th className="is-figure">of answers</th>
              <th className="is-figure">last step</th>
            </tr>
          </thead>
          <tbody>
            {suspects.map((suspect) => (
              <tr key={suspect.groupId}>
                <td>
                  <GroupLink
                    runKey={runKey}
                    groupId={suspect.groupId}
                    label={problemName(suspect)}
                    hint={suspect.problemId}
                  />
                </td>
                <td title={plainLogText(suspect.groundTruth)}>
                  <AnswerText text={suspect.groundTruth} />
                </td>
                <td className="is-majority" title={plainLogText(suspect.answer)}>
                  <AnswerText text={suspect.answer} />
                </td>
                <td className="is-figure">
                  {count(suspect.rollouts)} of {counted(suspect.answers, 'answer')} (
                  {percent(suspect.rollouts / suspect.answers)} %)
                </td>
                <td className="is-figure">{suspect.step}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function GroupLink({
  runKey,
  groupId,
  label,
  hint,
}: {
  readonly runKey: string;
  readonly groupId: number;
  readonly label: string;
  readonly hint: string;
}) {
  const group = useRequest('group.rows', { groupIds: [groupId] }).data?.[0];
  if (group === undefined) return <span title={hint}>{label}</span>;
  const { step, groupKey } = group;
  return (
    <Link className="is-link" href={pathOfRoute({ view: 'problem', runKey, step, groupKey })} title={hint}>
      {label}
    </Link>
  );
}
