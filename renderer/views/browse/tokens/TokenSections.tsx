import { useState } from 'react';
import type { RunDetail } from '../../../../shared/api/contract.ts';
import type { SourceStatistics } from '../../../../shared/domain/signalStatistics.ts';
import { StepChart } from '../../../charts/StepChart.tsx';
import type { StatisticsState } from '../../../data/useTokenStatistics.ts';
import { compact, decimal } from '../../../ui/numbers.ts';
import { AfterResponse } from './AfterResponse.tsx';
import { DistributionSection } from './DistributionSection.tsx';
import { HighTokens } from './HighTokens.tsx';
import { SegmentMeans } from './SegmentMeans.tsx';
import { SIGNAL_FACTS } from './signalWords.ts';
import { rowsOf, segmentMeans, stepMeans } from './tokensModel.ts';

interface TokenSectionsProps {
  readonly run: RunDetail;
  readonly source: SourceStatistics;
  readonly state: StatisticsState;
  readonly window: number;
  readonly hasSteps: boolean;
  readonly onOpenStep: (step: number) => void;
}

/** From the whole distribution to where it comes from: after tool responses, in which segments, at which step. */
export function TokenSections({ run, source, state, window, hasSteps, onOpenStep }: TokenSectionsProps) {
  const { isSigned, label } = SIGNAL_FACTS[source.signal];
  const segments = segmentMeans(rowsOf(state.segment, source));
  return (
    // Scrolled by keys: the region takes the focus.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
    <section className="tokens-main" aria-label={`Statistics of ${label}`} tabIndex={0}>
      <DistributionSection source={source} />
      <AfterResponse
        rows={rowsOf(state.position, source)}
        isKnown={state.position !== undefined}
        source={source}
        window={window}
      />
      <div className="tokens-pair">
        <SegmentMeans means={segments} label={label} />
        {!isSigned && <HighTokens source={source} window={window} />}
      </div>
      {hasSteps && <Steps run={run} source={source} state={state} onOpenStep={onOpenStep} />}
    </section>
  );
}

function Steps({
  run,
  source,
  state,
  onOpenStep,
}: Pick<TokenSectionsProps, 'run' | 'source' | 'state' | 'onOpenStep'>) {
  const [hovered, setHovered] = useState<number>();
  const rows = stepMeans(rowsOf(state.byStep, source));
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
      <h2>
        Step by step <span className="dim">a click opens the step</span>
      </h2>
      {rows.length === 0 ? (
        <p className="dim tokens-wait">
          {state.byStep === undefined ? 'Not computed yet.' : 'No step has any.'}
        </p>
      ) : (
        <div className="tokens-charts">
          <StepChart
            {...common}
            title={`Mean ${SIGNAL_FACTS[source.signal].label}`}
            fromZero={false}
            format={(value) => decimal(value, 3)}
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
