/** Legend and values: each line's colour, stroke and name, with its value at the crosshair, else at the step shown at rest. */
import { ChartTable } from './ChartTable.tsx';
import type { PanelReference } from './PanelLevels.tsx';
import { axisOf, dashOf, type PanelLine, readingOf, valueAt } from './panelModel.ts';

interface PanelReadoutProps {
  readonly lines: readonly PanelLine[];
  readonly isStacked: boolean;
  readonly step: number | undefined;
  /** The step shown while nothing is pointed at. The page names it. */
  readonly last: number | undefined;
  readonly chosen: string | undefined;
  /** Published numbers that are shown, each with its source. */
  readonly references: readonly PanelReference[];
  /** Shows values only, since the page has one legend for all charts. */
  readonly isNameless: boolean;
  readonly format: (value: number) => string;
}

export function PanelReadout({
  lines,
  isStacked,
  step,
  last,
  chosen,
  references,
  isNameless,
  format,
}: PanelReadoutProps) {
  const shown = lines.filter(({ role }) => role !== 'under');
  return (
    <ul className="panel-reading">
      {shown.map((line) => {
        const read = readingOf(line, step, last);
        return (
          <li
            key={line.key}
            title={line.describe ?? line.name}
            className={`is-${line.role}${line.key === chosen ? ' is-chosen' : ''}`}
          >
            <svg style={{ width: isStacked ? 10 : 18 }} height={8} aria-hidden="true">
              {isStacked ? (
                <rect width={10} height={8} fill={line.color} opacity={0.8} />
              ) : (
                <line
                  x1={0}
                  x2={18}
                  y1={4}
                  y2={4}
                  stroke={line.color}
                  strokeWidth={2}
                  strokeDasharray={dashOf(line.stroke)}
                />
              )}
            </svg>
            <span className={isNameless ? 'visually-hidden' : 'panel-name'}>
              <span className="panel-line">{line.name}</span>
              {line.role !== 'logged' && line.isOfAll && <em>of all rollouts</em>}
              {line.role === 'logged' && (
                <em>
                  logged{line.meanOver !== undefined && ', smoothed'}
                  {line.isOfAll && ', of all rollouts'}
                </em>
              )}
            </span>
            <b>{read === undefined ? '' : format(read.value)}</b>
            {read?.from !== undefined && <small title="Last known value">at {read.from}</small>}
          </li>
        );
      })}
      {references.map(({ name, value, source }) => (
        <li key={name} className="is-reference">
          <svg style={{ width: 18 }} height={8} aria-hidden="true">
            <line x1={0} x2={18} y1={4} y2={4} stroke="var(--ink3)" strokeDasharray="2 3" />
          </svg>
          <span className="panel-line">
            {name} <b>{format(value)}</b> <em>{source}</em>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface PanelTableProps {
  readonly title: string;
  readonly lines: readonly PanelLine[];
  readonly format: (value: number) => string;
  readonly height: number;
}

export function PanelTable({ title, lines, format, height }: PanelTableProps) {
  const shown = lines.filter(({ role }) => role !== 'under');
  const heads = shown.map(({ name, role }) => (role === 'logged' ? `${name} (logged)` : name));
  const rows = axisOf(shown).map((step) => ({
    at: step,
    cells: shown.map((line) => {
      const value = valueAt(line, step);
      return value === undefined ? '' : format(value);
    }),
  }));
  return <ChartTable title={title} heads={['step', ...heads]} rows={rows} height={height} />;
}
