/** A chart over a number other than the step, with its menu: show as a table, enlarge, and save as PNG, SVG or CSV. */
import { useRef, useState } from 'react';
import { type ChartCaption, standaloneSvg } from '../../charts/exportChart.ts';
import { ValueChart, type ValueChartProps } from '../../charts/ValueChart.tsx';
import { ChartMenu, chartFileName } from './ChartMenu.tsx';
import { LargeChart } from './LargeChart.tsx';

interface SavingValueChartProps extends Omit<ValueChartProps, 'menu' | 'isTable' | 'svgRef'> {
  /** Unit of the values, for the caption of a saved picture. */
  readonly unit?: string;
  /** Describes the data: run and filter. */
  readonly source: string;
  /** Prefix of file names. */
  readonly fileName: string;
  readonly csv: () => string;
}

export function SavingValueChart(props: SavingValueChartProps) {
  const { unit, source, fileName, csv, ...chart } = props;
  const { title, series } = chart;
  const [isTable, setTable] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const svg = useRef<SVGSVGElement>(null);
  const caption: ChartCaption = {
    title: unit === undefined ? title : `${title} (${unit})`,
    subtitle: `from rollouts · ${source}`,
    legend: series
      .filter(({ isFaint }) => isFaint !== true)
      .map(({ name, color, isDashed }) => ({
        name,
        color,
        ...(isDashed === true ? { dash: '5 3' } : {}),
        ...(chart.shape === 'bars' ? { isArea: true as const } : {}),
      })),
  };
  return (
    <>
      <ValueChart
        {...chart}
        isTable={isTable}
        svgRef={svg}
        menu={
          <ChartMenu
            title={title}
            isTable={isTable}
            onTable={setTable}
            onLarge={() => setLarge(true)}
            fileName={chartFileName(fileName, title)}
            drawing={() => (svg.current === null ? undefined : standaloneSvg(svg.current, caption))}
            csv={csv}
            provenance="from rollouts"
          />
        }
      />
      {isLarge && (
        <LargeChart title={title} onClose={() => setLarge(false)}>
          {(height) => <ValueChart {...chart} height={height} />}
        </LargeChart>
      )}
    </>
  );
}
