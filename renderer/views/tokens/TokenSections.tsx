import { useContext, useState } from 'react';
import type { RunDetail, TokenStatistics } from '../../../shared/api/contract.ts';
import type { SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import { isSigned } from '../../../shared/domain/tokenSignal.ts';
import type { PanelLine } from '../../charts/panelModel.ts';
import type { ScopeLevel } from '../../data/route.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { compact, count, counted, percent, significant } from '../../ui/numbers.ts';
import { signalLabel } from '../../ui/signalSource.ts';
import { agreementLabels, ClassIcon } from '../../ui/tokenClasses.tsx';
import { SavingChart } from '../../widgets/charts/SavingChart.tsx';
import { AfterResponse } from './AfterResponse.tsx';
import { DistributionSection } from './DistributionSection.tsx';
import { Measured, SaveCsv } from './SaveCsv.tsx';
import { SegmentMeans } from './SegmentMeans.tsx';
import { classesCsv, stepsCsv } from './tokensCsv.ts';
import { classCounts, classMeaning, rowsOf, type StepMean, segmentMeans, stepMeans } from './tokensModel.ts';

interface TokenSectionsProps {
  readonly run: RunDetail;
  readonly source: SourceStatistics;
  readonly answer: TokenStatistics | undefined;
  readonly window: number;
  readonly level: ScopeLevel;
  readonly hasSteps: boolean;
  readonly onOpenStep: (step: number) => void;
}

/** From the whole distribution to its parts: after tool responses, by segment, by step. */
export function TokenSections(props: TokenSectionsProps) {
  const { run, source, answer, window, level, hasSteps, onOpenStep } = props;
  const label = signalLabel(source);
  const segments = segmentMeans(rowsOf(answer, 'segment', source));
  return (
    // The region takes the focus so that keys can scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
    <section className="tokens-main" aria-label={`Statistics of ${label}`} tabIndex={0}>
      <DistributionSection source={source} />
      <AfterResponse rows={rowsOf(answer, 'position', source)} source={source} window={window} />
      <div className="tokens-pair">
        <SegmentMeans means={segments} label={label} level={level} isSigned={isSigned(source.signal)} />
        {!isSigned(source.signal) && <HighTokens source={source} window={window} />}
      </div>
      {hasSteps && <Steps run={run} source={source} answer={answer} onOpenStep={onOpenStep} />}
    </section>
  );
}

function Steps({
  run,
  source,
  answer,
  onOpenStep,
}: Pick<TokenSectionsProps, 'run' | 'source' | 'answer' | 'onOpenStep'>) {
  const measured = useContext(Measured);
  const [step, setStep] = useState<number>();
  const rows = stepMeans(rowsOf(answer, 'step', source));
  const axis = rows.map((row) => row.step);
  const line = (
    { key, name, color, stroke }: Pick<PanelLine, 'key' | 'name' | 'color' | 'stroke'>,
    value: (row: StepMean) => number | undefined,
  ): PanelLine => ({
    ...{ key, name, color, stroke, role: 'main', steps: axis, values: rows.map(value) },
    onOpen: onOpenStep,
    opens: 'the statistics of the step',
  });
  const correct = { key: 'correct', name: 'correct', color: 'var(--right)', stroke: 'solid' } as const;
  const incorrect = { key: 'incorrect', name: 'incorrect', color: 'var(--wrong)', stroke: 'solid' } as const;
  const common = {
    ...measured,
    axis,
    marks: run.stages.map((stage) => ({ step: stage.fromStep, name: plainLogText(stage.name) })),
    step,
    onStep: setStep,
    range: undefined,
    onRange: () => undefined,
    provenance: 'from rollouts',
  } as const;
  return (
    <section className="tokens-section" aria-label="Step by step">
      <header>
        <h2>
          Step by step{' '}
          <span className="dim">
            {counted(rows.length, 'step')} of {counted(run.steps, 'step')} with {signalLabel(source)}; a click
            opens the step
          </span>
        </h2>
        <SaveCsv what="the steps" disabled={rows.length === 0} table={() => stepsCsv(rows)} />
      </header>
      {rows.length === 0 ? (
        <p className="dim tokens-wait">No step has any.</p>
      ) : (
        <div className="tokens-charts">
          <SavingChart
            {...common}
            title={`Mean ${signalLabel(source)}`}
            unit={source.source.unit ?? ''}
            describe="Over the policy tokens of the step. A click opens the statistics of the step"
            isFromZero={false}
            format={(value) => significant(value)}
            lines={[
              line(
                { key: 'all', name: 'all', color: 'var(--ink3)', stroke: 'dashed' },
                ({ all }) => all?.mean,
              ),
              line(correct, ({ right }) => right?.mean),
              line(incorrect, ({ wrong }) => wrong?.mean),
            ]}
          />
          <SavingChart
            {...common}
            title="Policy tokens measured"
            unit="tokens"
            describe="Policy tokens that have the signal. A click opens the statistics of the step"
            format={compact}
            lines={[
              line(correct, ({ right }) => right?.tokens),
              line(incorrect, ({ wrong }) => wrong?.tokens),
            ]}
          />
        </div>
      )}
    </section>
  );
}

interface HighTokensProps {
  readonly source: SourceStatistics;
  readonly window: number;
}

/** The paper shows these classes without defining them. Turnwise's definition is on the screen. */
function HighTokens({ source, window }: HighTokensProps) {
  const classes = classCounts(source);
  const isPlaced = classes.some(({ tokens }) => tokens > 0);
  return (
    <section className="tokens-section" aria-label="High tokens by class">
      <header>
        <h2>
          High tokens by class <span className="dim">the top 20 % of each rollout’s policy tokens</span>
        </h2>
        <SaveCsv what="the classes" disabled={!isPlaced} table={() => classesCsv(source)} />
      </header>
      {!isPlaced ? (
        <p className="dim tokens-wait">None: a token has a class only if it is placed on the text.</p>
      ) : (
        <dl className="classes">
          {classes.map(({ name, tokens, share }) => (
            <div key={name}>
              <dt>
                <ClassIcon name={name} /> {name}
              </dt>
              <dd>
                <b>{count(tokens)}</b>{' '}
                <span className="dim">{share === undefined ? '' : `${percent(share)} %`}</span>
              </dd>
              <dd className="muted">{classMeaning(name, window)}</dd>
            </div>
          ))}
        </dl>
      )}
      {source.lexicon !== undefined && (
        <div className="classes-lexicon">
          <h3>
            Agreement with the lexicon{' '}
            <span className="dim">words in the text, a heuristic: neither defines the other</span>
          </h3>
          <ul>
            {agreementLabels(source.lexicon).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
