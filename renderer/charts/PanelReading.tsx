/** Legend and reading in one: each line by colour, stroke and name, with its value at the crosshair, else the last. */
import { dashOf, lastKnown, type PanelLine, valueAt } from './panelModel.ts';

interface PanelReadingProps {
  readonly lines: readonly PanelLine[];
  readonly isStacked: boolean;
  readonly step: number | undefined;
  readonly chosen: string | undefined;
  /** The page has a legend for all charts: values alone. */
  readonly isNameless: boolean;
  readonly format: (value: number) => string;
}

export function PanelReading({ lines, isStacked, step, chosen, isNameless, format }: PanelReadingProps) {
  const shown = lines.filter(({ role }) => role !== 'under');
  return (
    <ul className="panel-reading">
      {shown.map((line) => {
        const value = step === undefined ? lastKnown(line) : valueAt(line, step);
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
              {line.role === 'logged' && (
                <em>
                  logged{line.meanOver !== undefined && ', smoothed'}
                  {line.isOfAll && ', of all rollouts'}
                </em>
              )}
            </span>
            <b>{value === undefined ? '' : format(value)}</b>
          </li>
        );
      })}
    </ul>
  );
}
