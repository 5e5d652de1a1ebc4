import { useRef } from 'react';
import type { EvaluationPoint } from '../../../../shared/api/contract.ts';
import { standaloneSvg } from '../../../charts/exportChart.ts';
import { ValueChart } from '../../../charts/ValueChart.tsx';
import { percent } from '../../../ui/numbers.ts';
import { ChartMenu, chartFileName } from '../overview/ChartMenu.tsx';
import { asShare } from '../overview/overviewCharts.ts';
import { byKCsv } from './evaluationModel.ts';

interface ByKProps {
  readonly point: EvaluationPoint;
  readonly hasSteps: boolean;
  /** Of what: run, benchmark, filter. */
  readonly source: string;
  /** Begins the names of files. */
  readonly fileName: string;
}

/** How much more samples help, at one step; nothing to be drawn from one sample of each problem. */
export function ByK({ point, hasSteps, source, fileName }: ByKProps) {
  const svg = useRef<SVGSVGElement>(null);
  const { passAtK, majorityAtK } = point;
  if (passAtK.length < 2) return null;
  const ks = passAtK.map(({ k }) => k);
  const majority = ks.map((k) => majorityAtK.find((one) => one.k === k)?.value);
  const hasMajority = majority.some((value) => value !== undefined);
  const title = `By samples${hasSteps ? `, step ${point.step}` : ''}`;
  const drawing = () =>
    svg.current === null
      ? undefined
      : standaloneSvg(svg.current, {
          title: `${title} (of problems)`,
          subtitle: `recomputed · ${source}`,
          legend: [
            { name: 'pass@k', color: 'var(--kept)' },
            ...(hasMajority ? [{ name: 'majority@k', color: 'var(--ink)', dash: '5 3' }] : []),
          ],
        });
  return (
    <ValueChart
      title={title}
      xs={ks}
      height={134}
      top={1}
      series={[
        { name: 'pass@k', values: passAtK.map(({ value }) => value), color: 'var(--kept)' },
        { name: 'majority@k', values: majority, color: 'var(--ink)', isDashed: true },
      ]}
      xLabel="k samples"
      isWhole
      format={asShare}
      rest={hasMajority ? 'majority@k dashed' : 'pass@k; no answer is known'}
      reading={(index) =>
        `k = ${ks[index]}: pass ${percent(passAtK[index]?.value)} %${majority[index] === undefined ? '' : `, majority ${percent(majority[index])} %`}`
      }
      svgRef={svg}
      menu={
        <ChartMenu
          title={title}
          fileName={chartFileName(fileName, title)}
          drawing={drawing}
          csv={() => byKCsv(hasSteps ? `${source}, step ${point.step}` : source, point)}
          provenance="recomputed"
        />
      }
    />
  );
}
