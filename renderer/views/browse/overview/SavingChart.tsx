/** A chart with its menu: as a table, and as PNG, SVG or CSV. */
import { DropdownMenu } from 'radix-ui';
import { useRef, useState } from 'react';
import { chartCsv } from '../../../charts/chartCsv.ts';
import { standaloneSvg } from '../../../charts/exportChart.ts';
import { PanelChart, type PanelChartProps } from '../../../charts/PanelChart.tsx';
import { dashOf } from '../../../charts/panelModel.ts';
import { type ReferenceLine, useReferenceLines } from '../../../state/referenceLines.ts';
import { ChartMenu, chartFileName } from './ChartMenu.tsx';

interface SavingChartProps extends Omit<PanelChartProps, 'menu' | 'isTable' | 'svgRef' | 'references'> {
  /** That may be shown. */
  readonly references?: readonly ReferenceLine[] | undefined;
  /** Of what: run, filter, smoothing. */
  readonly source: string;
  /** Begins the names of files. */
  readonly fileName: string;
  readonly provenance: 'recomputed' | 'logged';
}

const NO_IDS: readonly string[] = [];

export function SavingChart({ source, fileName, provenance, references = [], ...chart }: SavingChartProps) {
  const [isTable, setTable] = useState(false);
  const svg = useRef<SVGSVGElement>(null);
  const { title, unit, lines } = chart;
  const shownIds = useReferenceLines((state) => state.shownOf[title]) ?? NO_IDS;
  const { flip } = useReferenceLines.getState();
  const drawing = () => {
    if (svg.current === null) return undefined;
    return standaloneSvg(svg.current, {
      title: `${title} (${unit})`,
      subtitle: `${provenance} · ${source}`,
      legend: lines
        .filter(({ role }) => role !== 'under')
        .map(({ name: of, color, stroke, role, isOfAll }) => {
          const dash = dashOf(stroke);
          return {
            name: role === 'logged' ? `${of} (logged${isOfAll ? ', of all rollouts' : ''})` : of,
            color,
            ...(dash === undefined ? {} : { dash }),
          };
        }),
    });
  };
  return (
    <PanelChart
      {...chart}
      isTable={isTable}
      references={references.filter(({ id }) => shownIds.includes(id))}
      svgRef={svg}
      menu={
        <ChartMenu
          title={title}
          isTable={isTable}
          onTable={setTable}
          fileName={chartFileName(fileName, title)}
          drawing={drawing}
          csv={() => chartCsv(source, [{ title, unit, lines }])}
          provenance={provenance}
        >
          {references.map((line) => (
            <DropdownMenu.CheckboxItem
              key={line.id}
              checked={shownIds.includes(line.id)}
              onCheckedChange={() => flip(title, line.id)}
              title={line.source}
            >
              <span className="menu-check">{shownIds.includes(line.id) ? '✓' : ''}</span>
              {line.name}
              <code className="menu-hint">{chart.format(line.value)}</code>
            </DropdownMenu.CheckboxItem>
          ))}
        </ChartMenu>
      }
    />
  );
}
