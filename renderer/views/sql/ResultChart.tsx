/** Columns of a result over another one, as lines, bars or points. */
import { ChevronDown, Download } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useMemo } from 'react';
import type { SqlRow } from '../../../shared/api/contract.ts';
import { type DrawingSize, figureSvg, type LegendEntry, pngOf } from '../../charts/exportChart.ts';
import { dashOf, STROKES } from '../../charts/panelModel.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { counted } from '../../ui/numbers.ts';
import { BarDrawing } from './BarDrawing.tsx';
import { fitBelow } from './barLayout.ts';
import { ChartDrawing } from './ChartDrawing.tsx';
import { type ChartChoice, chartData, drawnCsv, inkOf, MOST_SERIES, SHAPES } from './chartChoice.ts';
import { isNumeric } from './sqlModel.ts';
import '../../charts/charts.css';

interface ResultChartProps {
  readonly columns: readonly string[];
  readonly rows: readonly SqlRow[];
  readonly choice: ChartChoice;
  readonly fileName: string;
  readonly onChoose: (choice: ChartChoice) => void;
  readonly notify: (sentence: string) => void;
}

const SHAPE_CHOICES = SHAPES.map((id) => ({
  id,
  label: { line: 'Line', bar: 'Bars', scatter: 'Points' }[id],
}));

export function ResultChart(props: ResultChartProps) {
  const { columns, rows, choice, onChoose } = props;
  const data = useMemo(() => chartData(rows, choice), [rows, choice]);
  const x = columns[choice.x] ?? '';
  const names = choice.y.map((i) => columns[i] ?? '');
  const numeric = columns.map((_, i) => isNumeric(rows, i));
  const series = names.map((name, i) => {
    const dash = choice.shape === 'line' ? dashOf(STROKES[i] ?? 'solid') : undefined;
    return {
      name,
      color: inkOf(i, names.length),
      isArea: choice.shape === 'bar',
      ...(dash === undefined ? {} : { dash }),
    };
  });
  const drawn = { data, xName: x, names };
  const isHorizontal =
    choice.shape === 'bar' && numeric[choice.x] !== true && !fitBelow(data.points.map(({ label }) => label));
  const drawingOf = (size?: DrawingSize) =>
    isHorizontal ? (
      <BarDrawing {...drawn} {...(size === undefined ? {} : { size })} />
    ) : (
      <ChartDrawing {...drawn} shape={choice.shape} {...(size === undefined ? {} : { size })} />
    );
  const drawing = () =>
    figureSvg(drawingOf, {
      title: `${names.join(', ')} by ${x}`,
      subtitle: `SQL · ${counted(data.points.length, 'row')}`,
      legend: names.length > 1 ? series : [],
    });
  const save = (kind: 'svg' | 'png') => {
    const text = drawing();
    if (text === undefined) return;
    if (kind === 'svg') return saveText(`${props.fileName}.svg`, text, 'image/svg+xml');
    pngOf(text).then(
      (blob) => saveText(`${props.fileName}.png`, blob, 'image/png'),
      (error: unknown) => props.notify(`No PNG: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  return (
    <section className="sql-chart" aria-label="Chart">
      <div className="sql-chart-choice">
        <label>
          x{' '}
          <select
            value={choice.x}
            onChange={(event) => onChoose({ ...choice, x: Number(event.target.value) })}
          >
            {columns.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
              <option key={i} value={i} disabled={choice.shape !== 'bar' && numeric[i] === false}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <YColumns
          columns={columns}
          numeric={numeric}
          chosen={choice.y}
          onChoose={(y) => onChoose({ ...choice, y })}
        />
        <Segmented
          label="Shape"
          choices={SHAPE_CHOICES}
          chosen={choice.shape}
          onChoose={(shape) => onChoose({ ...choice, shape })}
        />
        <Button onClick={() => save('png')}>
          <Download size={13} /> PNG
        </Button>
        <Button onClick={() => save('svg')}>
          <Download size={13} /> SVG
        </Button>
        <Button
          onClick={() => saveText(`${props.fileName}.csv`, drawnCsv(x, names, data), 'text/csv')}
          title="The numbers that are drawn"
          aria-label="CSV of the chart"
        >
          <Download size={13} /> CSV
        </Button>
        {data.left > 0 && (
          <span className="dim">
            {counted(data.left, 'row')} not drawn: no number there, or more bars than fit
          </span>
        )}
      </div>
      {data.points.length === 0 ? (
        <p className="dim">No row has a number on x and on y. Choose other columns, or bars.</p>
      ) : (
        <>
          {names.length > 1 && <Legend series={series} />}
          {drawingOf()}
        </>
      )}
    </section>
  );
}

function Legend({ series }: { readonly series: readonly LegendEntry[] }) {
  return (
    <ul className="sql-legend" aria-label="Columns drawn">
      {series.map(({ name, color, dash, isArea }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
        <li key={i}>
          <svg width={22} height={8} aria-hidden="true">
            <line x2={22} y1={4} y2={4} stroke={color} strokeWidth={isArea ? 8 : 2} strokeDasharray={dash} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

interface YColumnsProps {
  readonly columns: readonly string[];
  /** Per column: whether it contains numbers. */
  readonly numeric: readonly boolean[];
  /** Indices of the chosen columns, in order. */
  readonly chosen: readonly number[];
  readonly onChoose: (chosen: readonly number[]) => void;
}

/** Chooses the columns to draw over x: up to six numeric ones. */
function YColumns({ columns, numeric, chosen, onChoose }: YColumnsProps) {
  const isFull = chosen.length >= MOST_SERIES;
  const names = chosen.map((i) => columns[i] ?? '').join(', ');
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="button sql-y" aria-label={`y: ${names}`} title={names}>
          y <span>{names}</span> <ChevronDown size={13} />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu sql-y-menu"
          align="start"
          sideOffset={4}
          aria-label="Columns on y"
        >
          <DropdownMenu.Label className="menu-label">
            {isFull ? `${MOST_SERIES} columns are the most` : `Up to ${MOST_SERIES} columns`}
          </DropdownMenu.Label>
          {columns.map((name, i) => {
            const isChosen = chosen.includes(i);
            return (
              <DropdownMenu.CheckboxItem
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
                key={i}
                checked={isChosen}
                disabled={numeric[i] === false || (isChosen ? chosen.length === 1 : isFull)}
                // Keep the menu open, so that several can be chosen.
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={(isOn) =>
                  onChoose(isOn ? [...chosen, i].sort((a, b) => a - b) : chosen.filter((each) => each !== i))
                }
              >
                <span className="menu-check">{isChosen ? '✓' : ''}</span>
                {name}
              </DropdownMenu.CheckboxItem>
            );
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
