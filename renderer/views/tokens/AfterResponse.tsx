import { useContext } from 'react';
import { csvFile } from '../../../shared/domain/delimited.ts';
import { AFTER, type SourceStatistics, type StatisticsRow } from '../../../shared/domain/signalStatistics.ts';
import { isSigned } from '../../../shared/domain/tokenSignal.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { count, counted, percent, significant } from '../../ui/numbers.ts';
import { signalLabel } from '../../ui/signalSource.ts';
import { SavingValueChart } from '../../widgets/charts/SavingValueChart.tsx';
import { NumberField } from './NumberField.tsx';
import { Measured, SaveCsv } from './SaveCsv.tsx';
import { curvesCsv, densityCsv } from './tokensCsv.ts';
import { type Curve, curveOf, density, standardError } from './tokensModel.ts';

interface AfterResponseProps {
  readonly rows: readonly StatisticsRow[];
  readonly source: SourceStatistics;
  readonly window: number;
}

/** Does the policy reflect on a tool response? The mean at each position after it, and the density of reflections. */
export function AfterResponse({ rows, source, window }: AfterResponseProps) {
  const label = signalLabel(source);
  const unit = source.source.unit ?? '';
  const measured = useContext(Measured);
  const [success, error] = [curveOf(rows, 'success'), curveOf(rows, 'error')];
  const length = Math.max(success.means.length, error.means.length);
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  const xs = Array.from({ length }, (_, i) => i);
  const name = { success: 'success', error: 'error' } as const;
  const faint = (curve: Curve, color: string) => ({
    name: `${name[curve.after]}, each position`,
    values: curve.means.map((mean) => mean?.mean),
    spread: curve.means.map((mean) => (mean === undefined ? undefined : standardError(mean))),
    color,
    isFaint: true,
  });
  return (
    <section className="tokens-section" aria-label="After a tool response">
      <header>
        <h2>
          After a tool response{' '}
          <span className="dim">
            {tokens > 0 && `${counted(tokens, 'token')} of `}reasoning and prose directly after it, by the
            outcome of the response
          </span>
        </h2>
      </header>
      {length === 0 ? (
        <p className="dim tokens-wait">No placed policy token follows a tool response.</p>
      ) : (
        <div className="tokens-after">
          <SavingValueChart
            {...measured}
            unit={unit}
            csv={() => {
              const { columns, rows: cells } = curvesCsv([success, error]);
              return csvFile(measured.source, columns, cells);
            }}
            title={`Mean ${label} by position`}
            xs={xs}
            height={190}
            xLabel="policy tokens since the tool response"
            format={(value) => significant(value, 2)}
            series={[
              faint(success, 'var(--ink2)'),
              faint(error, 'var(--wrong)'),
              { name: 'success', values: success.smooth, color: 'var(--ink)' },
              { name: 'error', values: error.smooth, color: 'var(--wrong)', isDashed: true },
            ]}
            marks={window > 0 && window < length ? [{ at: window, label: `window ${window}` }] : []}
            reading={(index) => (
              <>
                position {index}
                <PlaceText name="success" mean={success.means[index]} />
                <PlaceText name="error" mean={error.means[index]} />
              </>
            )}
            rest={
              <>
                <span className="key-line" /> after success <span className="key-line is-error" /> after error
              </>
            }
          />
          {!isSigned(source.signal) && <Density source={source} window={window} />}
        </div>
      )}
      {length > 0 && (
        <p className="dim tokens-note">
          {[label, unit].filter(Boolean).join(', ')}. Strong: mean over 4 positions on either side, by their
          tokens; thin: each position, ± one standard error as if its tokens were independent.
        </p>
      )}
    </section>
  );
}

interface PlaceTextProps {
  readonly name: string;
  readonly mean: StatisticsRow | Curve['means'][number];
}

function PlaceText({ name, mean }: PlaceTextProps) {
  if (mean === undefined) return null;
  return (
    <>
      {' · '}
      {name} <b>{significant(mean.mean, 2)}</b> of {count(mean.tokens)}
    </>
  );
}

/** Reflections per policy token within the window. The paper shows this only in pictures. */
function Density({ source, window }: { readonly source: SourceStatistics; readonly window: number }) {
  const [query, setQuery] = useUrlQuery();
  const sides = AFTER.map((after) => ({
    ...{ after, name: `after ${after}`, counts: source.reflections[after] },
    isOpen: query.get('after') === after,
  }));
  const most = Math.max(...sides.map(({ counts }) => density(counts) ?? 0), 0.01);
  return (
    <div className="density">
      <header>
        <h3>Reflection tokens</h3>
        <SaveCsv what="the density of reflection tokens" table={() => densityCsv(source, window)} />
      </header>
      <p className="dim density-meaning">
        High tokens (the top 20 % of a rollout) soon after a tool response, whatever their words
      </p>
      <table>
        <tbody>
          {sides.map(({ after, name, counts, isOpen }) => {
            const share = density(counts);
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  {share !== undefined && (
                    <span
                      className={name === 'after error' ? 'mean-bar is-error' : 'mean-bar'}
                      style={{ width: `${(share / most) * 64}px` }}
                    />
                  )}
                </td>
                <td>
                  <b>{share === undefined ? '' : `${percent(share)} %`}</b>
                </td>
                <td className="dim">
                  {counts.reflections === 0 ? (
                    0
                  ) : (
                    <button
                      type="button"
                      className="number-link"
                      aria-pressed={isOpen}
                      aria-label={`${count(counts.reflections)} reflection tokens ${name}`}
                      title={isOpen ? 'Hide them' : 'Show them in the list, highest first'}
                      onClick={() =>
                        setQuery({ after: isOpen ? undefined : after, of: undefined, order: undefined })
                      }
                    >
                      {count(counts.reflections)}
                    </button>
                  )}{' '}
                  of {counted(counts.tokens, 'token')}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="density-window">
        in the first{' '}
        <NumberField
          label="Reflection window, policy tokens"
          value={window}
          least={0}
          onChange={(value) => setQuery({ window: String(value) })}
        />{' '}
        policy tokens <span className="dim">0: the whole segment</span>
      </p>
    </div>
  );
}
