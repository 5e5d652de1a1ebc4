/** A chart with its menu: as a table, and as PNG, SVG or CSV. */
import { Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef, useState } from 'react';
import { chartCsv } from '../../../charts/chartCsv.ts';
import { pngOf, standaloneSvg } from '../../../charts/exportChart.ts';
import { PanelChart, type PanelChartProps } from '../../../charts/PanelChart.tsx';
import { dashOf } from '../../../charts/panelModel.ts';
import { useInterface } from '../../../state/interface.ts';
import { type ReferenceLine, useReferenceLines } from '../../../state/referenceLines.ts';
import { IconButton } from '../../../ui/Controls.tsx';
import { saveText } from '../../../ui/saveText.ts';

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
  const setNotice = useInterface((state) => state.setNotice);
  const { title, unit, lines } = chart;
  const shownIds = useReferenceLines((state) => state.shownOf[title]) ?? NO_IDS;
  const { flip } = useReferenceLines.getState();
  const name = `${fileName}-${title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
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
      references={references.filter(({ id }) => shownIds.includes(id))}
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
