/**
 * Answers of a problem that were judged correct in one rollout and incorrect in another, so the verifier contradicts
 * itself.
 */

import { useMemo } from 'react';
import type { DisputedAnswer, RolloutRow } from '../../../shared/api/contract.ts';
import { problemName } from '../../../shared/domain/question.ts';
import { comparePath } from '../../data/compareLink.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useRolloutsOf } from '../../data/useRowWindow.ts';
import { Link } from '../../ui/Link.tsx';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';

interface DisputedProps {
  readonly runKey: string;
  readonly runId: number;
}

/** Nobody reads a longer list. A note says how many there are. */
const MOST_ROWS = 500;

function useDisputed(runId: number) {
  const { applied } = useFilterLink();
  return useRequest('problem.disputed', { runId, filter: applied }, { keepPrevious: true });
}

export function DisputedAnswers({ runKey, runId }: DisputedProps) {
  const found = useDisputed(runId);
  const answers = found.data?.answers;
  const shown = useMemo(() => answers?.slice(0, MOST_ROWS) ?? [], [answers]);
  const ids = useMemo(
    () => Uint32Array.from(shown.flatMap(({ rightId, wrongId }) => [rightId, wrongId])),
    [shown],
  );
  const { rowOf } = useRolloutsOf(ids);
  if (found.error !== null)
    return (
      <FailedState
        title="The answers could not be counted"
        error={found.error}
        onRetry={() => void found.refetch()}
      />
    );
  if (answers === undefined) return <WaitingState title="Counting answers…" />;
  if (answers.length === 0)
    return <EmptyState title="No answer of a problem was judged both correct and incorrect" />;
  return (
    <>
      <p className="suspect-why">
        Within a problem, over all its groups and steps in this run, the same text was given as the answer and
        judged correct in one rollout and incorrect in another: a verifier that reads more than the answer,
        timed out, or was changed. No ground truth is needed. The most often disputed first
        {answers.length > shown.length && `; the first ${count(shown.length)} of ${count(answers.length)}`}.
      </p>
      <div className="suspect-table">
        <table aria-label="Same answer, different verdicts">
          <thead>
            <tr>
              <th>problem</th>
              <th>answer</th>
              <th className="is-figure">correct</th>
              <th className="is-figure">incorrect</th>
              <th>one of each</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((each) => (
              <DisputedRow
                key={`${each.rightId} ${each.wrongId}`}
                runKey={runKey}
                found={each}
                right={rowOf(each.rightId)}
                wrong={rowOf(each.wrongId)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface DisputedRowProps {
  readonly runKey: string;
  readonly found: DisputedAnswer;
  /** Undefined while loading. */
  readonly right: RolloutRow | undefined;
  readonly wrong: RolloutRow | undefined;
}

function DisputedRow({ runKey, found, right, wrong }: DisputedRowProps) {
  const pathOf = ({ step, groupKey, ordinal }: RolloutRow): string =>
    pathOfRoute({ view: 'rollout', runKey, step, groupKey, ordinal });
  const name = problemName(found);
  const title = name === found.problemId ? found.question : `${found.problemId}: ${found.question}`;
  const short = found.answer.length > 120 ? `${found.answer.slice(0, 120)}…` : found.answer;
  return (
    <tr>
      <td className="is-problem" title={title}>
        {right === undefined ? (
          name
        ) : (
          <Link
            className="is-link"
            href={pathOfRoute({ view: 'problem', runKey, step: right.step, groupKey: right.groupKey })}
          >
            {name}
          </Link>
        )}
      </td>
      <td title={plainLogText(found.answer)}>
        <LogText text={short} />
      </td>
      <td className="is-figure">{count(found.right)}</td>
      <td className="is-figure">{count(found.wrong)}</td>
      <td className="is-pair">
        {right !== undefined && wrong !== undefined && (
          <>
            <Link className="is-link" href={comparePath([pathOf(right), pathOf(wrong)])}>
              compare
            </Link>
            {' · '}
            <Link className="is-link" href={pathOf(right)} aria-label={`Rollout judged correct: ${short}`}>
              correct
            </Link>
            {' · '}
            <Link className="is-link" href={pathOf(wrong)} aria-label={`Rollout judged incorrect: ${short}`}>
              incorrect
            </Link>
          </>
        )}
      </td>
    </tr>
  );
}

/** A link beside the other ready-made views, with the number of results. */
export function DisputedLink({
  runId,
  isChosen,
  onChoose,
}: {
  readonly runId: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const found = useDisputed(runId);
  const answers = found.data?.answers;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      title={
        answers === undefined
          ? undefined
          : `${counted(answers.length, 'answer')} judged both correct and incorrect`
      }
    >
      <span>Same answer, different verdicts</span>
      <span className="suspect-count">{answers === undefined ? '…' : count(answers.length)}</span>
    </button>
  );
}
