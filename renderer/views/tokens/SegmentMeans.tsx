import type { Mean } from '../../../shared/domain/signalStatistics.ts';
import type { ScopeLevel } from '../../data/route.ts';
import { RightMark } from '../../ui/Marks.tsx';
import { compact, counted, significant } from '../../ui/numbers.ts';
import { SaveCsv } from './SaveCsv.tsx';
import { TokenizerLink } from './TokenizerLink.tsx';
import { segmentsCsv } from './tokensCsv.ts';
import { type ByCorrectness, type SegmentMean, standardError } from './tokensModel.ts';

interface SegmentMeansProps {
  /** Means may be negative, so bars begin in the middle. */
  readonly isSigned: boolean;
  readonly means: readonly SegmentMean[];
  readonly label: string;
  readonly level: ScopeLevel;
}

const COLUMNS = ['right', 'wrong', 'unknown'] as const;
const COLORS = { right: 'var(--right)', wrong: 'var(--wrong)', unknown: 'var(--ink3)' } as const;

/** Mean by segment kind and correctness: where does the policy hesitate? */
export function SegmentMeans({ means, label, level, isSigned }: SegmentMeansProps) {
  const columns = COLUMNS.filter((column) => means.some((row) => row[column] !== undefined));
  const most = Math.max(...means.flatMap((row) => columns.map((c) => Math.abs(row[c]?.mean ?? 0))), 1e-9);
  return (
    <section className="tokens-section" aria-label="Mean by kind of segment">
      <header>
        <h2>
          Mean {label} by kind of segment{' '}
          <span className="dim">
            {level === 'rollout' ? 'mean, tokens' : 'correct, incorrect: mean, tokens'}
          </span>
        </h2>
        <SaveCsv what="the means by segment" disabled={means.length === 0} table={() => segmentsCsv(means)} />
      </header>
      {means.length === 0 ? (
        <p className="dim tokens-wait">
          These tokens are not placed on the text: the log has ids without text. <TokenizerLink />
        </p>
      ) : (
        <table className="mean-table">
          <thead>
            <tr>
              <td />
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column === 'unknown' ? (
                    'correctness unknown'
                  ) : (
                    <>
                      <RightMark isCorrect={column === 'right'} />{' '}
                      {column === 'right' ? 'correct' : 'incorrect'}
                    </>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {means.map((row) => (
              <tr key={row.kind}>
                <th scope="row">{row.kind}</th>
                {columns.map((column) => (
                  <MeanCell
                    key={column}
                    mean={row[column]}
                    most={most}
                    color={COLORS[column]}
                    of={column}
                    isSigned={isSigned}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface MeanCellProps {
  readonly mean: Mean | undefined;
  readonly most: number;
  readonly color: string;
  readonly of: keyof ByCorrectness;
  readonly isSigned: boolean;
}

function MeanCell({ mean, most, color, of, isSigned }: MeanCellProps) {
  if (mean === undefined) return <td />;
  const { tokens, deviation } = mean;
  const share = (Math.abs(mean.mean) / most) * (isSigned ? 50 : 100);
  const left = !isSigned ? 0 : mean.mean < 0 ? 50 - share : 50;
  return (
    <td
      title={`${of}: mean ${significant(mean.mean, 4)} of ${counted(tokens, 'token')}, standard deviation ${significant(deviation)}, standard error of the mean ${significant(standardError(mean), 4)}`}
    >
      <span className="mean-cell">
        <span className={isSigned ? 'mean-track is-signed' : 'mean-track'}>
          <span
            className="mean-bar"
            style={{ width: `${share}%`, marginLeft: `${left}%`, background: color }}
          />
        </span>
        <b>{significant(mean.mean)}</b>
        <span className="mean-tokens">{compact(tokens)}</span>
      </span>
    </td>
  );
}
