/** A chart with its menu: as a table, and as PNG, SVG or CSV. */
import { Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef, useState } from 'react';
import { chartCsv } from '../../../charts/chartCsv.ts';
import { pngOf, standaloneSvg } from '../../../charts/exportChart.ts';
import { PanelChart, type PanelChartProps } from '../../../charts/PanelChart.tsx';
import { dashOf } from '../../../charts/panelModel.ts';
import { useInterface } from '../../../state/interface.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { saveText } from '../../../ui/saveText.ts';

interface SavingChartProps extends Omit<PanelChartProps, 'menu' | 'isTable' | 'svgRef'> {
  /** Of what: run, filter, smoothing. */
  readonly source: string;
  /** Begins the names of files. */
  readonly fileName: string;
  readonly provenance: 'recomputed' | 'logged';
}

export function SavingChart({ source, fileName, provenance, ...chart }: SavingChartProps) {
  const [isTable, setTable] = useState(false);
  const svg = useRef<SVGSVGElement>(null);
  const setNotice = useInterface((state) => state.setNotice);
  const { title, unit, lines } = chart;
  const name = `${fileName}-${title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const drawing = () => {
    if (svg.current === null) return undefined;
    return standaloneSvg(svg.current, {
      title: `${title} (${unit})`,
      subtitle: `${provenance} · ${source}`,
      legend: lines
        .filter(({ role }) => role !== 'under')
        .map(({ name: of, color, stroke, role }) => {
          const dash = dashOf(stroke);
          return {
            name: role === 'logged' ? `${of} (logged)` : of,
            color,
            ...(dash === undefined ? {} : { dash }),
          };
        }),
    });
  };
  const saveSvg = () => {
    const text = drawing();
    if (text !== undefined) saveText(`${name}.svg`, text, 'image/svg+xml');
  };
  const savePng = () => {
    const text = drawing();
    if (text === undefined) return;
    pngOf(text).then(
      (blob) => saveText(`${name}.png`, blob, 'image/png'),
      (error: unknown) => setNotice(`No PNG: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  return (
    <PanelChart
      {...chart}
      isTable={isTable}
      svgRef={svg}
      menu={
        <>
          <span className={`panel-source is-${provenance}`} title={PROVENANCE[provenance]}>
            {provenance}
          </span>
          <DropdownMenu.Root>
            <DropdownMenu.Trigger asChild>
              <IconButton label={`${title}: table, save`}>
                <Ellipsis size={13} />
              </IconButton>
            </DropdownMenu.Trigger>
            <DropdownMenu.Portal>
              <DropdownMenu.Content className="menu" align="end" sideOffset={2} aria-label={title}>
                <DropdownMenu.Item onSelect={() => setTable(!isTable)}>
                  {isTable ? 'Show the drawing' : 'Show the numbers'}
                </DropdownMenu.Item>
                <DropdownMenu.Separator />
                <DropdownMenu.Item disabled={isTable} onSelect={savePng}>
                  Save as PNG
                </DropdownMenu.Item>
                <DropdownMenu.Item disabled={isTable} onSelect={saveSvg}>
                  Save as SVG
                </DropdownMenu.Item>
                <DropdownMenu.Item
                  onSelect={() =>
                    saveText(`${name}.csv`, chartCsv(source, [{ title, unit, lines }]), 'text/csv')
                  }
                >
                  Save as CSV
                </DropdownMenu.Item>
              </DropdownMenu.Content>
            </DropdownMenu.Portal>
          </DropdownMenu.Root>
        </>
      }
    />
  );
}

const PROVENANCE = {
  recomputed: 'Computed by Turnwise from the rollouts that were read',
  logged: 'As the trainer wrote it',
} as const;
