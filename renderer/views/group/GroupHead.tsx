import { type ReactNode, useState } from 'react';
import { FIRST_OCCURRENCES, type GroupRow, type ProblemOccurrence } from '../../../shared/api/contract.ts';
import { plainAnswer } from '../../../shared/domain/latexSigns.ts';
import {
  isHashedId,
  isNamedByQuestion,
  plainQuestion,
  problemName,
} from '../../../shared/domain/question.ts';
import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Chip } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { count, counted, percent, ratio, reward } from '../../ui/numbers.ts';
import { AnswerText } from '../../widgets/AnswerText.tsx';
import { DerivedChips } from '../../widgets/DerivedChips.tsx';

interface GroupHeadProps {
  readonly runKey: string;
  readonly group: GroupRow;
  /** The button that compares two of its rollouts. */
  readonly compare: ReactNode;
  /** Chips that name the source of the group and of its decisions. */
  readonly children: ReactNode;
}

/** Characters. */
const LONGEST_TRUTH = 20_000;

/** UTF-16 units of a question that is the title. */
const LONGEST_TITLE = 140;

/** Longer than fits beside the title, such as the expected actions of a task. It has a line, and unfolds. */
const isLong = (groundTruth: string): boolean => groundTruth.length > 32;

/** The problem that this group attempts, and the group's results. */
export function GroupHead({ runKey, group, compare, children }: GroupHeadProps) {
  const named = { problemId: group.problemId, question: group.promptPreview };
  const { groundTruth } = group;
  const run = useRequest('run.list', {}).data?.find((one) => one.runKey === runKey);
  const name = problemName(named, LONGEST_TITLE);
  const title = isNamedByQuestion(named)
    ? name
    : `Problem ${isHashedId(group.problemId) ? 'with ' : ''}${name}`;
  return (
    <>
      <header className="page-head">
        <h1 title={plainLogText(`Problem ${group.problemId}, group ${group.groupKey}`)}>{title}</h1>
        <span className="muted">{counted(group.rollouts, 'rollout')}</span>
        {group.correctKnown > 0 && (
          <Chip>
            <RightMark isCorrect /> {group.correct} correct
            <RightMark isCorrect={false} /> {group.correctKnown - group.correct} incorrect
          </Chip>
        )}
        {group.correctKnown > 0 && <DerivedChips run={run} />}
        {group.decided > 0 && (
          <Chip title="As logged">
            <KeptMark isKept /> {group.kept} kept
            <KeptMark isKept={false} /> {group.decided - group.kept} discarded
          </Chip>
        )}
        {children}
        <div className="end">
          {groundTruth !== undefined && !isLong(groundTruth) && (
            <span className="truth">
              ground truth{' '}
              <span className="mono" title={plainLogText(groundTruth)}>
                <AnswerText text={groundTruth} />
              </span>
            </span>
          )}
          {compare}
          <Link
            className="is-link"
            href={pathOfRoute({ view: 'problem', runKey, step: group.step, groupKey: group.groupKey })}
            title="The whole problem, and its pass rate over steps and runs"
          >
            Whole problem
          </Link>
          {group.rollouts > 1 && (
            <Link
              className="is-link"
              href={pathOfRoute({ view: 'groupTree', runKey, step: group.step, groupKey: group.groupKey })}
              title={keyed('Where these rollouts begin to differ, as a tree', 'place.tree')}
            >
              Fork tree
            </Link>
          )}
          <Link
            className="is-link"
            href={pathOfRoute({ view: 'groupTokens', runKey, step: group.step, groupKey: group.groupKey })}
            title={keyed('Statistics of the tokens of this group', 'place.tokens')}
          >
            Tokens
          </Link>
        </div>
      </header>
      {group.promptPreview !== '' && plainQuestion(group.promptPreview) !== title && (
        <p className="problem" title={plainLogText(group.promptPreview)}>
          {plainQuestion(group.promptPreview)}
        </p>
      )}
      {groundTruth !== undefined && isLong(groundTruth) && (
        <details className="long-truth">
          <summary>
            Ground truth{' '}
            <span className="mono">
              <LogText text={plainAnswer(groundTruth)} longest={LONGEST_TRUTH} />
            </span>
          </summary>
        </details>
      )}
      <SamePlaces groupId={group.groupId} />
    </>
  );
}

/** Groups of the same problem at other steps and in other runs, with links. */
function SamePlaces({ groupId }: { readonly groupId: number }) {
  const [isOpen, setOpen] = useState(false);
  const answer = useRequest('problem.occurrences', { groupId, limit: FIRST_OCCURRENCES });
  const others = answer.data?.places.filter((place) => !place.isThis) ?? [];
  if (answer.error !== null) {
    return <p className="same-note is-wrong">✕ Other groups of this problem could not be looked up.</p>;
  }
  if (answer.data === undefined || others.length === 0) return null;
  const total = answer.data.total - 1;
  const runs = new Set(others.map((place) => place.runKey)).size;
  return (
    <section className="same" aria-label="Same problem elsewhere">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? '▾' : '▸'} Same problem elsewhere: {counted(total, 'group')} in {counted(runs, 'run')}
      </button>
      {isOpen && (
        <ul>
          {answer.data.places.map((place) => (
            <li key={`${place.runKey} ${place.step ?? ''} ${place.groupKey}`}>
              <PlaceLine place={place} />
            </li>
          ))}
          {total + 1 > answer.data.places.length && (
            <li className="dim">and {count(total + 1 - answer.data.places.length)} more</li>
          )}
        </ul>
      )}
    </section>
  );
}

function PlaceLine({ place }: { readonly place: ProblemOccurrence }) {
  const { runKey, step, groupKey } = place;
  const share = ratio(place.correct, place.correctKnown);
  return (
    <Link
      href={pathOfRoute({ view: 'group', runKey, step: step ?? 0, groupKey })}
      aria-current={place.isThis ? 'true' : undefined}
    >
      <span className="same-run">
        {plainLogText(place.runName)}
        {place.kind !== 'train' && <span className="dim"> {RUN_KIND_NAMES[place.kind]}</span>}
      </span>
      <span>{step === undefined ? <span className="dim">no step</span> : `step ${count(step)}`}</span>
      <span className="is-end">
        {share === undefined ? (
          <span className="dim">
            {place.meanReward === undefined ? 'correctness unknown' : `reward ${reward(place.meanReward)}`}
          </span>
        ) : (
          <>
            {percent(share)} % correct <span className="dim">{`${place.correct}/${place.correctKnown}`}</span>
            <span className="bar-cell">
              <i style={{ width: `${share * 100}%`, background: 'var(--right)' }} />
            </span>
          </>
        )}
      </span>
      <span className="dim is-end">{counted(place.rollouts, 'rollout')}</span>
      <span className="dim">{place.isThis ? 'this one' : ''}</span>
    </Link>
  );
}
