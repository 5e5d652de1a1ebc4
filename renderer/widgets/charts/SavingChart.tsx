/** A chart with its menu: show as a table, enlarge, logarithmic axis, and save as PNG, SVG or CSV. */
import { DropdownMenu } from 'radix-ui';
import { useRef, useState } from 'react';
import { chartCsv } from '../../charts/chartCsv.ts';
import { type ChartCaption, figureSvg, type LegendEntry, standaloneSvg } from '../../charts/exportChart.ts';
import { PanelChart, type PanelChartProps } from '../../charts/PanelChart.tsx';
import { dashOf, type PanelLine } from '../../charts/panelModel.ts';
import { type ReferenceLine, useChartScales, useReferenceLines } from '../../state/chartSettings.ts';
import { ChartMenu, chartFileName, type Look } from './ChartMenu.tsx';
import { LargeChart } from './LargeChart.tsx';

/** A single reference has a switch in the chart's head. Several are in the menu. */
const AT_HEAD = 1;

interface SavingChartProps extends Omit<PanelChartProps, 'menu' | 'isTable' | 'svgRef' | 'references'> {
  /** References that the user can show. */
  readonly references?: readonly ReferenceLine[] | undefined;
  /** Describes the data: run, filter, smoothing. */
  readonly source: string;
  /** Prefix of file names. */
  readonly fileName: string;
  readonly provenance: 'from rollouts' | 'logged';
  /** Shown beside the title instead of the values' unit. */
  readonly shownUnit?: string | undefined;
}

const NO_IDS: readonly string[] = [];

export function SavingChart(props: SavingChartProps) {
  const { source, fileName, provenance, references = [], shownUnit, ...chart } = props;
  const [isTable, setTable] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const svg = useRef<SVGSVGElement>(null);
  const { title, unit, lines } = chart;
  const shownIds = useReferenceLines((state) => state.shownOf[title]) ?? NO_IDS;
  const { flip } = useReferenceLines.getState();
  // Stacked shares need a linear axis, and values of 0 and below cannot be drawn on a logarithmic one.
  const canBeLog =
    chart.isStacked !== true && lines.some(({ values }) => values.some((value) => (value ?? 0) > 0));
  const isLog = useChartScales((state) => state.isLog[title] === true) && canBeLog;
  const shown = references.filter(({ id }) => shownIds.includes(id));
  const unitHere = `${shownUnit ?? unit}${isLog ? ', log' : ''}`;
  const caption = (): ChartCaption => ({
    title: `${title} (${unitHere})`,
    subtitle: `${provenance} · ${source}`,
    legend: [
      ...lines
        .filter(({ role }) => role !== 'under')
        .map((line) => legendEntry(line, chart.isStacked === true)),
      ...shown.map((one) => referenceEntry(one, chart.format)),
    ],
    xLabel: chart.seconds === undefined ? 'step' : 'time since the first step shown',
  });
  const panel = { ...chart, unit: shownUnit ?? unit, isLog, references: shown };
  const drawing = (look: Look) => {
    if (look === 'screen') return svg.current === null ? undefined : standaloneSvg(svg.current, caption());
    const alone = { ...panel, step: undefined, range: undefined };
    return figureSvg((size) => <PanelChart {...alone} size={size} />, caption());
  };
  return (
    <>
      <PanelChart
        {...panel}
        isTable={isTable}
        svgRef={svg}
        menu={
          <ChartMenu
            title={title}
            head={
              references.length === AT_HEAD && (
                <ReferenceSwitch
                  lines={references}
                  shownIds={shownIds}
                  onFlip={(id) => flip(title, id)}
                  format={chart.format}
                />
              )
            }
            isTable={isTable}
            onTable={setTable}
            onLarge={() => setLarge(true)}
            fileName={chartFileName(fileName, title)}
            drawing={drawing}
            csv={() => chartCsv(source, [{ title, unit, lines }])}
            provenance={provenance}
          >
            {canBeLog && (
              <DropdownMenu.CheckboxItem
                checked={isLog}
                onCheckedChange={() => useChartScales.getState().flipLog(title)}
              >
                <span className="menu-check">{isLog ? '✓' : ''}</span>
                Logarithmic axis
              </DropdownMenu.CheckboxItem>
            )}
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
      {isLarge && (
        <LargeChart title={title} onClose={() => setLarge(false)}>
          {(height) => <PanelChart {...panel} isNameless={false} height={height} />}
        </LargeChart>
      )}
    </>
  );
}

function legendEntry({ name, color, stroke, role, isOfAll }: PanelLine, isStacked: boolean): LegendEntry {
  const dash = dashOf(stroke);
  const said = [...(role === 'logged' ? ['logged'] : []), ...(isOfAll ? ['of all rollouts'] : [])];
  return {
    name: said.length === 0 ? name : `${name} (${said.join(', ')})`,
    color,
    ...(dash === undefined ? {} : { dash }),
    ...(isStacked ? { isArea: true } : {}),
  };
}

function referenceEntry(
  { name, value, source }: ReferenceLine,
  format: (value: number) => string,
): LegendEntry {
  return { name: `${name} ${format(value)}: ${source}`, color: 'var(--ink3)', dash: '2 3' };
}

interface ReferenceSwitchProps {
  readonly lines: readonly ReferenceLine[];
  readonly shownIds: readonly string[];
  readonly onFlip: (id: string) => void;
  readonly format: (value: number) => string;
}

/** Toggles a published reference number. The tooltip shows its name, value and source. */
function ReferenceSwitch({ lines, shownIds, onFlip, format }: ReferenceSwitchProps) {
  return lines.map(({ id, name, value, source }) => (
    <button
      key={id}
      type="button"
      className="reference-switch"
      aria-pressed={shownIds.includes(id)}
      aria-label={`Reference: ${name} ${format(value)}`}
      title={`${name} ${format(value)} · ${source}`}
      onClick={() => onFlip(id)}
    >
      reference
    </button>
  ));
}
