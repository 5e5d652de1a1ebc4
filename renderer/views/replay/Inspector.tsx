import { Fragment, useMemo } from 'react';
import type { RolloutDetail, RolloutRow } from '../../../shared/api/contract.ts';
import { withGlyphs } from '../../../shared/domain/hiddenCharacters.ts';
import { loggedSample, SAMPLE_FIELDS } from '../../../shared/format/loggedSample.ts';
import { correctnessSource } from '../../data/domainLabels.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { bytes, count, decimal, reward, signed } from '../../ui/numbers.ts';
import { reasonText } from '../../ui/reasons.ts';
import { ExpectedActions, expectedOf } from './ExpectedActions.tsx';
import { Field } from './Field.tsx';
import { SampleCosts, SampleEnding, SampleScores } from './SampleFacts.tsx';
import type { Hit } from './text/findModel.ts';
import type { Heat } from './text/tokenHeat.ts';
import './inspector.css';
import { LogText } from '../../ui/LogText.tsx';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { penaltyText } from '../../widgets/roc/rocLabels.ts';
import { malformedCell } from '../../widgets/rollouts/cells.tsx';

/** About six lines in the inspector. */
const LONG_VALUE = 200;

/** Other fields of the record before a click. */
const MOST_OTHERS = 100;

const LONGEST_BESIDE = 60;
/** A text in a section of its own scrolls. Beyond this, the browser takes too long to lay it out. */
const LONGEST_SECTION = 10_000;

interface InspectorProps {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  /** Hides correctness, reward and whether the rollout was kept. */
  readonly isBlind: boolean;
  readonly onShow: (hit: Hit) => void;
  readonly onShowRecord: () => void;
}

export function Inspector({ detail, heat, isBlind, onShow, onShowRecord }: InspectorProps) {
  const { row, tokens } = detail;
  const expected = useMemo(() => expectedOf(detail), [detail]);
  // Extra fields may have any name, so some of them may reveal how the rollout was judged.
  const { sample, extra } = useMemo(
    () => (isBlind ? { sample: undefined, extra: [] } : factsOf(detail.extra)),
    [detail, isBlind],
  );
  const others = useFirstItems(extra, 'field', MOST_OTHERS);
  return (
    <aside className="inspector" aria-label="Inspector">
      {isBlind ? (
        <section className="muted">Blind review: reward, correctness and decision are hidden.</section>
      ) : (
        <Verdict row={row} />
      )}
      {sample !== undefined && <SampleScores key={`scores ${row.rolloutId}`} scores={sample.scores} />}
      {sample !== undefined && <SampleEnding key={`ending ${row.rolloutId}`} sample={sample} />}
      <section>
        <dl>
          {!isBlind && <Field label="reward">{reward(row.reward)}</Field>}
          <Field label="answer" source={row.answer === undefined ? undefined : detail.answerSource}>
            {row.answer !== undefined && <LogText text={row.answer} />}
          </Field>
          {!isBlind && expected === undefined && !isLong(row.groundTruth) && (
            <Field label="ground truth">
              {row.groundTruth !== undefined && <LogText text={row.groundTruth} />}
            </Field>
          )}
          <Field label="stopped by" source={row.stopReason === undefined ? undefined : row.stopReasonSource}>
            {row.stopReason}
          </Field>
          {row.stopReasonLogged !== row.stopReason && (
            <Field label="stop reason in the log">{withGlyphs(row.stopReasonLogged ?? '')}</Field>
          )}
        </dl>
      </section>
      {!isBlind && expected !== undefined && (
        <ExpectedActions detail={detail} expected={expected} onShow={onShow} />
      )}
      {!isBlind && expected === undefined && isLong(row.groundTruth) && (
        <section>
          <h2>Ground truth</h2>
          <LongText label="Ground truth" text={row.groundTruth} />
        </section>
      )}
      {detail.userScenario !== undefined && (
        <section>
          <h2>User scenario</h2>
          <p className="dim">Instructions of the simulated user. The policy did not see them.</p>
          <LongText label="User scenario" text={detail.userScenario} />
        </section>
      )}
      <section>
        <h2>Size</h2>
        <dl>
          <Field label="turns">{count(row.turns)}</Field>
          <Field label="tool calls">{count(row.toolCalls)}</Field>
          <Field label="failed calls">
            {row.toolErrors !== undefined && (
              <span className={row.toolErrors > 0 ? 'is-wrong' : undefined}>{count(row.toolErrors)}</span>
            )}
          </Field>
          {(row.malformedCalls ?? 0) > 0 && <Field label="malformed calls">{malformedCell(row)}</Field>}
          <Field label="policy tokens">
            {row.policyTokens !== undefined && (
              <>
                {count(row.policyTokens)}
                {detail.maxResponseTokens !== undefined && (
                  <span className="dim"> of {count(detail.maxResponseTokens)}</span>
                )}
              </>
            )}
          </Field>
          <Field label="characters">{count(row.responseChars)}</Field>
        </dl>
      </section>
      {!isBlind && (row.penalty !== undefined || row.advantage !== undefined || row.pErr !== undefined) && (
        <section>
          <h2>Down-sampling, as logged</h2>
          <dl>
            <Field label="p_err">{penaltyText(row.pErr)}</Field>
            <Field label="p_format">{penaltyText(row.pFormat)}</Field>
            <Field label="penalty">{penaltyText(row.penalty)}</Field>
            <Field label="advantage">{signed(row.advantage)}</Field>
          </dl>
        </section>
      )}
      {sample !== undefined && <SampleCosts key={`costs ${row.rolloutId}`} sample={sample} row={row} />}
      {tokens !== undefined && (
        <section>
          <h2>Tokens</h2>
          <dl>
            <Field label="logged">{count(tokens.count)}</Field>
            <Field label="mean entropy">
              {row.meanEntropy === undefined ? undefined : `${decimal(row.meanEntropy, 3)} nats`}
            </Field>
            {heat?.threshold.value !== undefined && (
              <Field label={`high ${heat.words.name}`}>{count(heat.high.length)}</Field>
            )}
          </dl>
          {heat !== undefined && <p className="inspector-note">{heat.words.source}</p>}
          {!tokens.isAligned && (
            <p className="inspector-note">
              The log does not say which characters each token covers, so heat cannot be drawn on the text.
            </p>
          )}
        </section>
      )}
      {extra.length > 0 && (
        <section className="inspector-extra">
          <h2>Other fields of the record</h2>
          <dl>
            {others.shown.map(([name, value]) => (
              <Field key={name} label={name}>
                <span
                  className="mono"
                  title={value.length > LONG_VALUE ? 'shortened here; see the raw record' : undefined}
                >
                  <LogText text={value} />
                </span>
              </Field>
            ))}
          </dl>
          {others.more}
        </section>
      )}
      <section className="inspector-end">
        <h2>Source</h2>
        <p className="mono inspector-path">
          {row.path.split(/(?<=[/\\])/).map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path never reorder
            <Fragment key={i}>
              {i > 0 && <wbr />}
              {part}
            </Fragment>
          ))}
          , <span className="inspector-line">{recordText(detail.record.unit, row.line)}</span>
        </p>
        <button
          type="button"
          className="button"
          onClick={onShowRecord}
          disabled={isBlind}
          title={
            isBlind ? 'Hidden during blind review: it has the reward' : keyed('Raw record', 'record.show')
          }
        >
          Raw record, {bytes(detail.record.byteLength)}
        </button>
      </section>
    </aside>
  );
}

function LongText({ label, text }: { readonly label: string; readonly text: string | undefined }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
    <section className="inspector-scenario" tabIndex={0} aria-label={label}>
      <LogText text={text} longest={LONGEST_SECTION} />
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

/** A long ground truth, such as actions or code, gets its own section. Beside a label it would be a narrow column. */
function isLong(text: string | undefined): boolean {
  return text !== undefined && (text.length > LONGEST_BESIDE || text.includes('\n'));
}

/** The facts of a sample of an Inspect log, and the other fields of the record. */
function factsOf(extra: RolloutDetail['extra']) {
  const sample = loggedSample(extra);
  const fields = Object.entries(extra).filter(([name]) => sample === undefined || !SAMPLE_FIELDS.has(name));
  return { sample, extra: flatFields(Object.fromEntries(fields)) };
}

/**
 * Extra fields as name and text. Opens one level of objects (`timing.worker`), which is as deep as trainers nest
 * values that are worth a glance. Deeper values stay JSON.
 */
function flatFields(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [[name, textOf(value)] as const];
    return Object.entries(value).map(([inner, part]) => [`${name}.${inner}`, textOf(part)] as const);
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `line 12`, `row 3` or `member 1`, depending on the file format. */
export function recordText(unit: string, line: number): string {
  return `${unit} ${new Intl.NumberFormat('en').format(line)}`;
}
