import { useState } from 'react';
import type { RunDetail, TokenStatistics } from '../../../shared/api/contract.ts';
import type { SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import { isSigned } from '../../../shared/domain/tokenSignal.ts';
import { StepChart } from '../../charts/StepChart.tsx';
import { compact, count, counted, percent, significant } from '../../ui/numbers.ts';
import { signalLabel } from '../../ui/signalSource.ts';
import { agreementLabels, ClassIcon } from '../../ui/tokenClasses.tsx';
import { AfterResponse } from './AfterResponse.tsx';
import { CopyCsv } from './CopyCsv.tsx';
import { DistributionSection } from './DistributionSection.tsx';
import { SegmentMeans } from './SegmentMeans.tsx';
import { classesCsv, stepsCsv } from './tokensCsv.ts';
import { classCounts, classMeaning, rowsOf, segmentMeans, stepMeans } from './tokensModel.ts';
import type { ScopeLevel } from './useTokensScope.ts';

interface TokenSectionsProps {
  readonly run: RunDetail;
  readonly source: SourceStatistics;
  readonly answer: TokenStatistics | undefined;
  readonly window: number;
  readonly level: ScopeLevel;
  readonly hasSteps: boolean;
  readonly onOpenStep: (step: number) => void;
}

/** From the whole distribution to where it comes from: after tool responses, in which segments, at which step. */
export function TokenSections(props: TokenSectionsProps) {
  const { run, source, answer, window, level, hasSteps, onOpenStep } = props;
  const label = signalLabel(source);
  const segments = segmentMeans(rowsOf(answer, 'segment', source));
  return (
    // Scrolled by keys: the region takes the focus.
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
  const [hovered, setHovered] = useState<number>();
  const rows = stepMeans(rowsOf(answer, 'step', source));
  const common = {
    steps: rows.map(({ step }) => step),
    stages: run.stages.map((stage) => ({ step: stage.fromStep, name: stage.name })),
    hovered,
    onHover: setHovered,
    hint: 'A click opens the statistics of the step',
    onOpen: (index: number) => {
      const row = rows[index];
      if (row !== undefined) onOpenStep(row.step);
    },
  };
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
        <CopyCsv what="the steps" disabled={rows.length === 0} table={() => stepsCsv(rows)} />
      </header>
      {rows.length === 0 ? (
        <p className="dim tokens-wait">No step has any.</p>
      ) : (
        <div className="tokens-charts">
          <StepChart
            {...common}
            title={`Mean ${signalLabel(source)}`}
            fromZero={false}
            format={(value) => significant(value)}
            series={[
              { name: 'all', values: rows.map(({ all }) => all?.mean), color: 'var(--ink3)', isDashed: true },
              { name: '✓', values: rows.map(({ right }) => right?.mean), color: 'var(--right)' },
              { name: '✕', values: rows.map(({ wrong }) => wrong?.mean), color: 'var(--wrong)' },
            ]}
          />
          <StepChart
            {...common}
            title="Policy tokens measured"
            format={compact}
            series={[
              { name: '✓', values: rows.map(({ right }) => right?.tokens), color: 'var(--right)' },
              { name: '✕', values: rows.map(({ wrong }) => wrong?.tokens), color: 'var(--wrong)' },
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

/** The paper shows these classes and defines none; ours is on the screen. */
function HighTokens({ source, window }: HighTokensProps) {
  const classes = classCounts(source);
  const isPlaced = classes.some(({ tokens }) => tokens > 0);
  return (
    <section className="tokens-section" aria-label="High tokens by class">
      <header>
        <h2>
          High tokens by class <span className="dim">the top 20 % of each rollout’s policy tokens</span>
        </h2>
        <CopyCsv what="the classes" disabled={!isPlaced} table={() => classesCsv(source)} />
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
