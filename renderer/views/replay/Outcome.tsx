/** Why a rollout ended as it did: its ending, its last error, its answer, verdicts with evidence, and its reward by part. */

import { type ReactNode, useMemo } from 'react';
import type { RolloutDetail, RolloutRow } from '../../../shared/api/contract.ts';
import { errorType } from '../../../shared/domain/errorType.ts';
import {
  answerPlace,
  type LimitUse,
  lastFailedCall,
  lastSegment,
  limitUses,
  type RewardBreakdown,
  rewardBreakdown,
  stopBasis,
} from '../../../shared/domain/outcome.ts';
import { parseScores } from '../../../shared/domain/scores.ts';
import { reasonText } from '../../../shared/domain/words.ts';
import {
  areMultiplied,
  type LoggedChecks,
  loggedChecks,
  weightedParts,
} from '../../../shared/format/loggedChecks.ts';
import { contextIn } from '../../../shared/format/loggedContext.ts';
import type { LoggedSample } from '../../../shared/format/loggedSample.ts';
import { correctnessSource } from '../../data/domainLabels.ts';
import { outcomeMark } from '../../data/segmentViews.ts';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { count, figure, reward } from '../../ui/numbers.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { AnswerText } from '../../widgets/AnswerText.tsx';
import { useReruns } from '../../widgets/rerun/Reruns.tsx';
import { verifiedParts } from '../../widgets/rerun/rerunModel.ts';
import { Source } from './ContextPane.tsx';
import { ExpectedActions, expectedOf } from './ExpectedActions.tsx';
import { Field } from './Field.tsx';
import { LongText } from './LongText.tsx';
import { SampleEnding, SampleScores } from './SampleFacts.tsx';
import type { Hit } from './text/findModel.ts';
import './outcome.css';

interface OutcomeProps {
  readonly detail: RolloutDetail;
  /** Absent in a blind review. */
  readonly sample: LoggedSample | undefined;
  /** Hides correctness, reward and whether the rollout was kept. */
  readonly isBlind: boolean;
  readonly onShow: (hit: Hit) => void;
}

export function Outcome({ detail, sample, isBlind, onShow }: OutcomeProps) {
  const { row } = detail;
  const expected = useMemo(() => expectedOf(detail), [detail]);
  const scores = useMemo(() => parseScores(row.scores), [row]);
  const checks = useMemo(() => loggedChecks(detail.extra), [detail]);
  // Each scorer of a sample measures something of its own: their scores are no parts of a reward.
  const parts = useMemo(
    () =>
      sample === undefined
        ? rewardBreakdown(row.reward, scores, weightedParts(detail.extra), areMultiplied(detail.extra))
        : undefined,
    [row, scores, detail, sample],
  );
  const [scorer, score] = Object.entries(scores)[0] ?? [];
  return (
    <section className="outcome" aria-label="Outcome">
      {isBlind ? (
        <p className="muted">Blind review: reward, correctness and decision are hidden.</p>
      ) : (
        <Verdict row={row} />
      )}
      <Ending detail={detail} sample={sample} onShow={onShow} />
      {sample !== undefined && <SampleEnding sample={sample} />}
      {!isBlind && (
        <>
          {expected === undefined && row.groundTruth !== undefined && <GroundTruth text={row.groundTruth} />}
          <RewardParts
            row={row}
            parts={parts}
            basis={
              sample !== undefined && typeof score === 'string'
                ? `Translated from the score “${score}” of ${scorer}`
                : undefined
            }
            rule={
              parts !== undefined
                ? ruleText(parts, row.reward)
                : sample !== undefined && sample.scores.length > 1 && row.reward !== undefined
                  ? 'The reward is the score of the first scorer of the log.'
                  : undefined
            }
          />
          {checks.map((one) => (
            <Checks key={one.field} {...one} />
          ))}
          {sample !== undefined && <SampleScores scores={sample.scores} />}
          {expected !== undefined && <ExpectedActions detail={detail} expected={expected} onShow={onShow} />}
        </>
      )}
    </section>
  );
}

function Verdict({ row }: { readonly row: RolloutRow }) {
  return (
    <section>
      <h2 className="inspector-verdict">
        {row.isCorrect === undefined ? (
          <span className="muted">correctness unknown</span>
        ) : (
          <span className={row.isCorrect ? 'is-right' : 'is-wrong'}>
            <RightMark isCorrect={row.isCorrect} /> {row.isCorrect ? 'correct' : 'incorrect'}
          </span>
        )}
      </h2>
      {row.isCorrect !== undefined && <p className="muted">{correctnessSource(row)}</p>}
      {row.kept !== undefined && (
        <p className="muted">
          <KeptMark isKept={row.kept} /> {row.kept ? 'kept' : 'discarded'}
          {row.reason !== undefined && `: ${reasonText(row.reason)}`}
        </p>
      )}
    </section>
  );
}

interface LineProps {
  readonly detail: RolloutDetail;
  readonly onShow: (hit: Hit) => void;
}

function Ending({ detail, sample, onShow }: LineProps & Pick<OutcomeProps, 'sample'>) {
  const { row, segments, response, toolCalls, answerSource } = detail;
  const place = useMemo(
    () => (row.answer === undefined ? undefined : answerPlace(row.answer, response, segments)),
    [row, response, segments],
  );
  const basis = stopBasis(row);
  const last = lastSegment(segments);
  const failed = lastFailedCall(toolCalls);
  const unanswered = toolCalls.at(-1)?.outcome === 'malformed' ? toolCalls.at(-1) : undefined;
  const hasText = response !== '';
  return (
    <section aria-label="How it ended">
      <h2>How it ended</h2>
      <dl>
        <Field label="stopped by">
          {row.stopReason !== undefined ? (
            plainLogText(row.stopReason)
          ) : (
            <span className="muted">
              {row.stopReasonLogged === undefined
                ? 'unknown'
                : `unknown: “${plainLogText(row.stopReasonLogged)}” does not say why the policy ended`}
            </span>
          )}{' '}
          {basis !== undefined && <Source {...basis} />}
          {last !== undefined && <Jump detail={detail} segment={last.segment} onShow={onShow} />}
        </Field>
        {row.stopReasonLogged !== row.stopReason && (
          <Field label="stop reason in the log">
            {row.stopReasonLogged !== undefined && <LogText text={row.stopReasonLogged} />}
          </Field>
        )}
        {unanswered !== undefined && (
          <Field label="last call">
            malformed, nothing answered it
            <Jump detail={detail} segment={unanswered.callSegment} onShow={onShow} />
          </Field>
        )}
        <Field label="answer">
          {row.answer === undefined ? (
            <span className="muted">{hasText ? 'none known' : 'unknown, no text'}</span>
          ) : (
            <span title={plainLogText(row.answer)}>
              <AnswerText text={row.answer} />
            </span>
          )}{' '}
          {row.answer !== undefined && answerSource !== undefined && (
            <Source
              source={answerSource === 'logged' ? 'logged' : 'derived'}
              by={answerSource === 'logged' ? 'answer' : 'The last answer in the text of the policy.'}
            />
          )}
          {place !== undefined && (
            <Jump detail={detail} segment={place.segment} range={place} onShow={onShow} />
          )}
        </Field>
        <Field label="last tool error">
          {failed === undefined ? (
            <span className="muted">
              {!hasText ? 'unknown, no text' : toolCalls.length === 0 ? 'no tool calls' : 'none'}
            </span>
          ) : (
            <FailedCall detail={detail} call={failed} onShow={onShow} />
          )}
        </Field>
        <VerifiedCalls detail={detail} onShow={onShow} />
        <Limits detail={detail} reached={sample?.limit} />
      </dl>
    </section>
  );
}

/** UTF-16 units of an error. Its turn has all. */
const LONGEST_ERROR = 300;

function FailedCall({
  detail,
  call,
  onShow,
}: LineProps & { readonly call: RolloutDetail['toolCalls'][number] }) {
  const { response, segments } = detail;
  const at = call.responseSegment ?? call.callSegment;
  const inner = call.responseSegment === undefined ? undefined : segments[call.responseSegment]?.inner;
  const text = inner === undefined ? '' : response.slice(inner.start, inner.end).trim();
  return (
    <>
      <span className="is-wrong">✕ {errorType(text) ?? outcomeMark(call.outcome).label}</span>
      <Jump detail={detail} segment={at} onShow={onShow} />
      {text !== '' && (
        <div className="outcome-error mono">
          <LogText text={text} longest={LONGEST_ERROR} />
        </div>
      )}
    </>
  );
}

/** Says how many Python calls print the same when they are run again, and leads to the first that does not. */
function VerifiedCalls({ detail, onShow }: LineProps) {
  const reruns = useReruns(detail.row.rolloutId);
  const results = [...(reruns?.stored.values() ?? [])];
  const different = results.find((result) => result.class === 'different');
  const call = different === undefined ? undefined : detail.toolCalls[different.ordinal];
  return (
    <Field label="verified calls">
      {results.length > 0 &&
        verifiedParts(results).map(({ found, text }, i) => (
          <span key={found} className={found === 'different' ? 'is-wrong' : undefined}>
            {i > 0 && ', '}
            {text}
            {found === 'different' && call !== undefined && (
              <Jump detail={detail} segment={call.callSegment} onShow={onShow} />
            )}
          </span>
        ))}
    </Field>
  );
}

interface JumpProps extends LineProps {
  readonly segment: number;
  readonly range?: { readonly start: number; readonly end: number };
}

function Jump({ detail, segment, range, onShow }: JumpProps) {
  const at = detail.segments[segment];
  if (at === undefined) return null;
  const { start, end } = range ?? at.inner;
  const source = at.turn === 0 ? 'prompt' : 'response';
  return (
    <button
      type="button"
      className="is-link outcome-jump"
      title="Show it in the transcript"
      onClick={() => onShow({ source, turn: at.turn, segment, start, end })}
    >
      turn {at.turn}
    </button>
  );
}

const LIMIT_NAMES: Readonly<Record<LimitUse['limit']['kind'], string>> = {
  context: 'tokens of context',
  prompt: 'tokens of prompt',
  response: 'tokens of response, those of tools included',
  turns: 'turns',
  messages: 'messages',
  'tool-response': 'characters of a tool response',
};

interface LimitsProps {
  readonly detail: RolloutDetail;
  /** The limit that ended a sample, as logged. */
  readonly reached: LoggedSample['limit'];
}

function Limits({ detail, reached }: LimitsProps) {
  const uses = useMemo(() => {
    const { row, turns, limits, tokens } = detail;
    const last = turns.at(-1);
    return limitUses(limits, {
      policyTokens: row.policyTokens,
      tokens: tokens?.count,
      turns: row.turns,
      request: last === undefined ? undefined : contextIn(detail.extra).requests.get(last.turn),
      lastTurnTokens: last?.policyTokens,
    });
  }, [detail]);
  return (
    <Field label="use of limits">
      {reached !== undefined && (
        <div className="is-wrong">
          ended by: <LogText text={reached.type} />
          {reached.value !== undefined && `, ${figure(reached.value)}`} <Source source="logged" by="limit" />
        </div>
      )}
      {detail.limits.length === 0
        ? reached === undefined && (
            <span className="muted" title="The log names no limit on tokens, turns or messages">
              not logged
            </span>
          )
        : uses.length === 0
          ? reached === undefined && <span className="muted">unknown whether one was reached</span>
          : uses.map(({ limit, used, isReached }) => (
              <div
                key={limit.kind}
                className={isReached ? 'is-wrong' : undefined}
                title={plainLogText(limit.field)}
              >
                {isReached && 'reached: '}
                {count(used)} of {count(limit.value)} {LIMIT_NAMES[limit.kind]}
              </div>
            ))}
    </Field>
  );
}

const LONGEST_BESIDE = 60;

/** A long ground truth, such as actions or code, gets its own section. Beside a label it would be a narrow column. */
function GroundTruth({ text }: { readonly text: string }) {
  if (text.length <= LONGEST_BESIDE && !text.includes('\n')) {
    return (
      <dl>
        <Field label="ground truth">
          <span title={plainLogText(text)}>
            <AnswerText text={text} />
          </span>
        </Field>
      </dl>
    );
  }
  return (
    <section>
      <h2>Ground truth</h2>
      <LongText label="Ground truth" text={text} />
    </section>
  );
}

interface RewardPartsProps {
  readonly row: RolloutRow;
  readonly parts: RewardBreakdown | undefined;
  /** The logged word that the reward was translated from. */
  readonly basis: string | undefined;
  /** How the scores make up the reward. */
  readonly rule: string | undefined;
}

function RewardParts({ row, parts, basis, rule }: RewardPartsProps) {
  const items = useFirstItems(parts?.parts ?? [], 'part');
  return (
    <section aria-label="Reward">
      <h2>Reward</h2>
      <dl>
        <Field label="reward">
          {row.reward === undefined ? <span className="muted">unknown</span> : reward(row.reward)}{' '}
          {row.reward !== undefined && basis !== undefined && <Source source="derived" by={basis} />}
        </Field>
        {items.shown.map(({ name, value, weight }) => (
          <Field key={name} label={name}>
            {figure(value)}
            {weight !== undefined && <span className="dim"> × {figure(weight)}</span>}
          </Field>
        ))}
      </dl>
      {items.more}
      {rule !== undefined && <p className="inspector-note">{rule}</p>}
    </section>
  );
}

function ruleText({ rule, sum, only, parts }: RewardBreakdown, total = 0): string {
  switch (rule) {
    case 'weighted sum':
      return 'The parts with their logged weights add up to the reward.';
    case 'sum':
      return parts.length === 1 ? 'The reward is its only score.' : 'The scores add up to the reward.';
    case 'product':
      return `The scores add up to ${figure(sum)}; their product is the reward.`;
    case 'one part':
      return `The scores add up to ${figure(sum)}, not to the reward. ${plainLogText(only ?? '')} alone equals it. The log has no weights.`;
    default:
      return `The scores add up to ${figure(sum)}, not to the reward ${reward(total)}. The log does not say which make it up.`;
  }
}

function Checks({ field, checks }: LoggedChecks) {
  const { shown, more } = useFirstItems(checks, 'check');
  const known = checks.filter(({ isMet }) => isMet !== undefined);
  return (
    <section className="outcome-checks" aria-label={`Checks of ${field}`}>
      <h2>{CHECK_NAMES[field] ?? field}</h2>
      <p className="dim">
        {count(known.filter(({ isMet }) => isMet).length)} of {count(known.length)} met{' '}
        <Source source="logged" by={field} />
      </p>
      <ul>
        {shown.map(({ name, isMet, text }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: checks never reorder
          <li key={i}>
            {isMet === undefined ? (
              <span className="dim">unknown</span>
            ) : (
              <span
                className={isMet ? 'is-right' : 'is-wrong'}
                role="img"
                aria-label={isMet ? 'met' : 'not met'}
              >
                {isMet ? '✓' : '✕'}
              </span>
            )}{' '}
            <LogText text={name} />
            {text !== undefined && text !== '{}' && (
              <span className="dim">
                {' '}
                <LogText text={text} longest={LONGEST_ERROR} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {more}
    </section>
  );
}

const CHECK_NAMES: Readonly<Record<string, ReactNode>> = {
  'reward_info.db_check': 'Check of the database',
  'reward_info.env_assertions': 'Assertions about the environment',
  'reward_info.nl_assertions': 'Assertions of a judge',
  'reward_info.communicate_checks': 'What had to be said',
  'reward_info.action_checks': 'Actions, as judged',
  'info.reward_info.info': 'Results of the benchmark',
  'details.test_case_results': 'Tests',
};
