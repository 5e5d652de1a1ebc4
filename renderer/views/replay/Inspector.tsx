import { Fragment, useMemo } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { costOfChanges } from '../../../shared/domain/drawingCost.ts';
import {
  disagreements,
  penaltyInputOf,
  textPenalties,
  typedPenalties,
} from '../../../shared/domain/penalty.ts';
import { CONTEXT_FIELD } from '../../../shared/format/loggedContext.ts';
import { loggedSample, SAMPLE_FIELDS, TURN_USAGE } from '../../../shared/format/loggedSample.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { bytes, count, decimal, signed } from '../../ui/numbers.ts';
import { Field } from './Field.tsx';
import { LongText } from './LongText.tsx';
import { Outcome } from './Outcome.tsx';
import { SampleCosts } from './SampleFacts.tsx';
import type { Hit } from './text/findModel.ts';
import type { Heat } from './text/tokenHeat.ts';
import './inspector.css';
import { LONGEST, LogText, plainLogText, plainPath } from '../../ui/LogText.tsx';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { penaltyText } from '../../widgets/roc/rocLabels.ts';
import { malformedCell } from '../../widgets/rollouts/cells.tsx';

/** Why the logged penalties are not those of the text, or of what the tools really did. */
function PenaltyReasons({ detail }: { readonly detail: RolloutDetail }) {
  const reasons = useMemo(() => {
    const { row, response, segments, turns, toolCalls } = detail;
    if (response === '') return [];
    const input = penaltyInputOf({ response, segments, turns, toolCalls, stopReason: row.stopReason });
    const logged = { pErr: row.pErr, pFormat: row.pFormat };
    const ways = { logged, text: textPenalties(input), typed: typedPenalties(input) };
    return disagreements(ways, input).flatMap(({ part, causes }) =>
      causes.map(({ sentence }) => `${part === 'pErr' ? 'p_err' : 'p_format'}: ${sentence}`),
    );
  }, [detail]);
  return [...new Set(reasons)].map((reason) => (
    <p key={reason} className="inspector-note">
      {reason}
    </p>
  ));
}

/** About six lines in the inspector. */
const LONG_VALUE = 200;

/** Limits of the other fields that are drawn before a click: their number, and the cost of their changes of direction and font. */
const [MOST_OTHERS, MOST_CHANGES] = [100, 24_000];

type Fields = readonly (readonly [name: string, value: string])[];

/** @returns the number of fields that the page draws at once */
function drawnAtOnce(fields: Fields): number {
  let cost = 0;
  const end = fields.findIndex(([name, value], i) => {
    for (const text of [name, value]) cost += costOfChanges(text.slice(0, LONGEST));
    return i === MOST_OTHERS || (i > 0 && cost > MOST_CHANGES);
  });
  return end < 0 ? fields.length : end;
}

function OtherFields({ extra }: { readonly extra: Fields }) {
  const { shown, more } = useFirstItems(extra, 'field', drawnAtOnce(extra));
  return (
    <section className="inspector-extra">
      <h2>Other fields of the record</h2>
      <dl>
        {shown.map(([name, value]) => (
          <Field key={name} label={name === TURN_USAGE ? 'usage by turn, from its model events' : name}>
            <span
              className="mono"
              title={value.length > LONG_VALUE ? 'shortened here; see the raw record' : undefined}
            >
              <LogText text={value} />
            </span>
          </Field>
        ))}
      </dl>
      {more}
    </section>
  );
}

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
  // Extra fields may have any name, so some of them may reveal how the rollout was judged.
  const { sample, extra } = useMemo(
    () => (isBlind ? { sample: undefined, extra: [] } : factsOf(detail.extra)),
    [detail, isBlind],
  );
  return (
    <aside className="inspector" aria-label="Inspector">
      <Outcome
        key={`outcome ${row.rolloutId}`}
        detail={detail}
        sample={sample}
        isBlind={isBlind}
        onShow={onShow}
      />
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
          <Field label="policy tokens">{count(row.policyTokens)}</Field>
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
          <PenaltyReasons detail={detail} />
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
      {extra.length > 0 && <OtherFields key={`others ${row.rolloutId}`} extra={extra} />}
      <section className="inspector-end">
        <h2>Source</h2>
        <p className="mono inspector-path">
          {plainPath(row.path)
            .split(/(?<=[/\\])/)
            .map((part, i) => (
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

/** The facts of a sample of an Inspect log, and the other fields of the record. */
function factsOf(extra: RolloutDetail['extra']) {
  const sample = loggedSample(extra);
  const fields = Object.entries(extra)
    .filter(([name]) => sample === undefined || !SAMPLE_FIELDS.has(name))
    .filter(([name]) => name !== CONTEXT_FIELD);
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
  return `${plainLogText(unit)} ${new Intl.NumberFormat('en').format(line)}`;
}
