import type { SourceStatistics } from '../../../../shared/domain/signalStatistics.ts';
import { BIN_WIDTH } from '../../../../shared/domain/signalStatistics.ts';
import { ValueChart } from '../../../charts/ValueChart.tsx';
import { useUrlQuery } from '../../../data/usePlace.ts';
import { Segmented } from '../../../ui/Controls.tsx';
import { compact, count, counted, decimal, percent, ratio } from '../../../ui/numbers.ts';
import { SIGNAL_FACTS } from './signalWords.ts';
import { distributionOf } from './tokensModel.ts';

/** How the values lie: most tokens are all but certain, and a few are where the policy chooses. */
export function DistributionSection({ source }: { readonly source: SourceStatistics }) {
  const [query, setQuery] = useUrlQuery();
  const { label, isSigned } = SIGNAL_FACTS[source.signal];
  const unit = source.source.unit ?? '';
  if (isSigned) {
    return (
      <section className="tokens-section" aria-label="Distribution">
        <h2>Distribution</h2>
        <p className="dim">
          Not drawn: values of {label} can lie below 0, and the host’s bins begin there. Means are below.
        </p>
      </section>
    );
  }
  const isLinear = query.get('scale') === 'linear';
  const { from, tokens, below, above, end } = distributionOf(source);
  const share = (value: number) => `${percent(value, value > 0 && value < 0.01 ? 2 : 1)} %`;
  const binText = (index: number) => {
    const left = from[index] ?? 0;
    return `${decimal(left)} to ${decimal(left + BIN_WIDTH)}: `;
  };
  const mark = { at: source.percentile80, label: `80th percentile ${decimal(source.percentile80)}` };
  return (
    <section className="tokens-section" aria-label="Distribution">
      <header>
        <h2>
          Distribution{' '}
          <span className="dim">
            {counted(source.tokens, 'policy token')}, bins of {BIN_WIDTH}
            {above > 0 && `; ${count(above)} above ${decimal(end)} not drawn`}
          </span>
        </h2>
        <Segmented
          label="Scale"
          chosen={isLinear ? 'linear' : 'log'}
          onChoose={(scale) => setQuery({ scale: scale === 'linear' ? scale : undefined })}
          choices={[
            { id: 'log', label: 'log', title: 'Counts on a logarithmic scale: the few high ones are seen' },
            { id: 'linear', label: 'linear' },
          ]}
        />
      </header>
      <div className="tokens-charts">
        <ValueChart
          title={`Tokens by ${label}`}
          shape="bars"
          xs={from}
          end={end}
          scale={isLinear ? 'linear' : 'log'}
          xLabel={[label, unit].filter(Boolean).join(', ')}
          format={compact}
          series={[{ name: 'tokens', values: tokens, color: 'var(--h4)' }]}
          marks={[mark]}
          reading={(index) => (
            <>
              {binText(index)}
              <b>{counted(tokens[index] ?? 0, 'token')}</b>,{' '}
              {share(ratio(tokens[index] ?? 0, source.tokens) ?? 0)}
            </>
          )}
          rest={
            <>
              below {BIN_WIDTH}: <b>{share(below[0] ?? 0)}</b>
            </>
          }
        />
        <ValueChart
          title="Share of tokens below"
          xs={from.map((left) => left + BIN_WIDTH)}
          top={1}
          xLabel={[label, unit].filter(Boolean).join(', ')}
          format={(value) => `${percent(value, 0)}%`}
          series={[{ name: 'below', values: below, color: 'var(--h5)' }]}
          marks={[{ ...mark, place: 'bottom' }]}
          reading={(index) => (
            <>
              below {decimal((from[index] ?? 0) + BIN_WIDTH)}: <b>{share(below[index] ?? 0)}</b>
            </>
          )}
          rest="cumulative (ECDF)"
        />
      </div>
    </section>
  );
}
