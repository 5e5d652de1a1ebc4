/** Facts that an Inspect log states of a sample: scores with explanations, error, retries, usage and times. */
import { useState } from 'react';
import type { RolloutRow } from '../../../shared/api/contract.ts';
import type { LoggedSample, LoggedScorerValue } from '../../../shared/format/loggedSample.ts';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count, counted, duration, figure } from '../../ui/numbers.ts';
import { withLongWord } from '../../ui/SourceText.tsx';
import { timeWithZone } from '../../ui/times.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { ErrorText } from '../../widgets/ErrorText.tsx';
import { Score } from '../../widgets/rollouts/scoreColumns.tsx';
import { Field } from './Field.tsx';
import { MarkdownText } from './text/MarkdownText.tsx';
import './sampleFacts.css';

/** @param at seconds since 1970, perhaps later than any date */
const moment = (at: number | undefined) =>
  at === undefined || Number.isNaN(new Date(at * 1000).getTime()) ? undefined : timeWithZone(at * 1000);

/** UTF-16 units of an explanation before a click. */
const SHORT = 500;

export function SampleScores({ scores }: { readonly scores: LoggedSample['scores'] }) {
  const { shown, more } = useFirstItems(scores, 'scorer');
  return (
    <section aria-label="Scores">
      <h2>Scores, as logged</h2>
      {scores.length === 0 && <p className="dim">none in the log</p>}
      {shown.map((score) => (
        <ScorerValue key={score.scorer} {...score} />
      ))}
      {more}
    </section>
  );
}

function ScorerValue({ scorer, values, explanation, metadata }: LoggedScorerValue) {
  const parts = useFirstItems(values, 'value');
  const facts = useFirstItems(metadata, 'metadata field');
  return (
    <div className="sample-score">
      <dl>
        {parts.shown.map(({ key, value }) => (
          <Field key={key ?? ''} label={key === undefined ? scorer : `${scorer}.${key}`}>
            <Score value={value} />
          </Field>
        ))}
      </dl>
      {parts.more}
      <dl>
        {facts.shown.map(([name, value]) => (
          <Field key={name} label={name}>
            <LogText text={value} />
          </Field>
        ))}
      </dl>
      {facts.more}
      {explanation === undefined ? (
        <dl>
          <Field label="explanation">
            <span className="dim">none in the log</span>
          </Field>
        </dl>
      ) : (
        <Explanation key={explanation} scorer={scorer} text={explanation} />
      )}
    </div>
  );
}

function Explanation({ scorer, text }: { readonly scorer: string; readonly text: string }) {
  const [isOpen, setOpen] = useState(text.length <= SHORT);
  const name = plainLogText(scorer);
  return (
    <section
      className={isOpen ? 'sample-explanation is-open' : 'sample-explanation'}
      // The whole text scrolls, so it must be focusable.
      tabIndex={isOpen ? 0 : undefined}
      aria-label={`Explanation of ${name}`}
    >
      <h3>explanation</h3>
      <div className={withLongWord('prose', text)}>
        <MarkdownText text={isOpen ? text : `${text.slice(0, SHORT)} …`} start={0} source="explanation" />
      </div>
      {!isOpen && (
        <button
          type="button"
          className="button"
          aria-label={`Show all ${count(text.length)} characters of the explanation of ${name}`}
          onClick={() => setOpen(true)}
        >
          Show all {count(text.length)} characters
        </button>
      )}
    </section>
  );
}

export function SampleEnding({ sample }: { readonly sample: LoggedSample }) {
  const { error, retries } = sample;
  const { shown, more } = useFirstItems(retries, 'attempt');
  return (
    <>
      {error !== undefined && (
        <section aria-label="Error">
          <h2>Error of the sample</h2>
          <ErrorText error={error} />
        </section>
      )}
      {retries.length > 0 && (
        <section aria-label="Retries">
          <h2>{counted(retries.length, 'earlier attempt')}, retried</h2>
          {shown.map((each, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: attempts never reorder
            <ErrorText key={i} error={each} />
          ))}
          {more}
        </section>
      )}
    </>
  );
}

interface SampleCostsProps {
  readonly sample: LoggedSample;
  readonly row: RolloutRow;
}

export function SampleCosts({ sample, row }: SampleCostsProps) {
  const { usage, workingSeconds, epoch, callRetries = 0 } = sample;
  const { shown, more } = useFirstItems(usage, 'model');
  return (
    <section aria-label="Sample">
      <h2>Sample, as logged</h2>
      <dl>
        <Field label="epoch">{epoch === undefined ? undefined : figure(epoch)}</Field>
        <Field label="started">{moment(row.startedAt)}</Field>
        <Field label="completed">{moment(row.endedAt)}</Field>
        <Field label="total time">
          {row.duration === undefined ? undefined : duration(row.duration * 1000)}
        </Field>
        <Field label="working time">
          {workingSeconds === undefined ? undefined : duration(workingSeconds * 1000)}
        </Field>
        <Field label="retried model calls">{callRetries > 0 && count(callRetries)}</Field>
        <Field label="usage of the model">
          {usage.length === 0 && <span className="dim">none in the log</span>}
        </Field>
      </dl>
      {shown.map((each) => (
        <Usage key={each.model} {...each} />
      ))}
      {more}
    </section>
  );
}

function Usage({ model, counts }: LoggedSample['usage'][number]) {
  const { shown, more } = useFirstItems(Object.entries(counts), 'count');
  return (
    <div className="sample-usage">
      <h3>
        Usage of <LogText text={model} />
      </h3>
      <dl>
        {shown.map(([name, used]) => (
          <Field key={name} label={name.replaceAll('_', ' ')}>
            {figure(used)}
          </Field>
        ))}
      </dl>
      {more}
    </div>
  );
}
