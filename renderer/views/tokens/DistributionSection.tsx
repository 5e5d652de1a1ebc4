import { useContext } from 'react';
import { csvFile } from '../../../shared/domain/delimited.ts';
import type { SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import { isSigned } from '../../../shared/domain/tokenSignal.ts';
import type { ValueMark } from '../../charts/ValueChart.tsx';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { compact, count, counted, percent, ratio, significant } from '../../ui/numbers.ts';
import { signalLabel } from '../../ui/signalSource.ts';
import { SavingValueChart } from '../../widgets/charts/SavingValueChart.tsx';
import { Measured } from './SaveCsv.tsx';
import { distributionCsv } from './tokensCsv.ts';
import { distributionOf, shareBelowZero } from './tokensModel.ts';

/** The distribution of values. Most tokens are nearly certain, and at a few the policy has a real choice. */
export function DistributionSection({ source }: { readonly source: SourceStatistics }) {
  const [query, setQuery] = useUrlQuery();
  const label = signalLabel(source);
  const measured = useContext(Measured);
  const csv = () => {
    const { columns, rows } = distributionCsv(source);
    return csvFile(measured.source, columns, rows);
  };
  const isTwoSided = isSigned(source.signal);
  const isLinear = query.get('scale') === 'linear';
  const { width, from, tokens, below, under, above, end } = distributionOf(source);
  const digits = width < 0.01 ? 3 : 2;
  const number = (value: number) => significant(value, digits);
  const share = (value: number) => `${percent(value, value > 0 && value < 0.01 ? 2 : 1)} %`;
  const binText = (index: number) => {
    const left = from[index] ?? 0;
    return `${number(left)} to ${number(left + width)}: `;
  };
  const axis = [label, source.source.unit].filter(Boolean).join(', ');
  const { percentile80 } = source;
  const marks: readonly ValueMark[] =
    percentile80 === undefined || percentile80 > end || percentile80 < (from[0] ?? 0)
      ? []
      : [{ at: percentile80, label: `80th percentile ${number(percentile80)}` }];
  const unseen = [
    under > 0 ? `${count(under)} below ${number(from[0] ?? 0)}` : '',
    above > 0 ? `${count(above)} above ${number(end)}` : '',
  ].filter(Boolean);
  const rest = isTwoSided ? shareBelowZero(source) : below[0];
  return (
    <section className="tokens-section" aria-label="Distribution">
      <header>
        <h2>
          Distribution{' '}
          <span className="dim">
            {counted(source.tokens, 'policy token')}, bins of {width}
            {unseen.length > 0 && `; ${unseen.join(' and ')} not drawn`}
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
        <SavingValueChart
          {...measured}
          csv={csv}
          title={`Tokens by ${label}`}
          shape="bars"
          xs={from}
          end={end}
          scale={isLinear ? 'linear' : 'log'}
          xLabel={axis}
          format={compact}
          series={[{ name: 'tokens', values: tokens, color: 'var(--h4)' }]}
          marks={marks}
          reading={(index) => (
            <>
              {binText(index)}
              <b>{counted(tokens[index] ?? 0, 'token')}</b>,{' '}
              {share(ratio(tokens[index] ?? 0, source.tokens) ?? 0)}
            </>
          )}
          rest={
            <>
              below {isTwoSided ? 0 : width}: <b>{rest === undefined ? '' : share(rest)}</b>
            </>
          }
        />
        <SavingValueChart
          {...measured}
          csv={csv}
          title="Share of tokens below"
          // Starts where the bars start, so that a position means the same in both charts.
          xs={[from[0] ?? 0, ...from.map((left) => left + width)]}
          top={1}
          xLabel={axis}
          format={(value) => `${percent(value, 0)}%`}
          series={[
            { name: 'below', values: [ratio(under, source.tokens) ?? 0, ...below], color: 'var(--h5)' },
          ]}
          marks={marks.map((mark) => ({ ...mark, place: 'bottom' as const }))}
          reading={(index) => (
            <>
              below {number(index === 0 ? (from[0] ?? 0) : (from[index - 1] ?? 0) + width)}:{' '}
              <b>{share(index === 0 ? (ratio(under, source.tokens) ?? 0) : (below[index - 1] ?? 0))}</b>
            </>
          )}
          rest="cumulative (ECDF)"
        />
      </div>
    </section>
  );
}
