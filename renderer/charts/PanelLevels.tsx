/**
 * Reference heights of a panel. A single level has its name at its line. Several levels have numbers beside the
 * drawing, where nothing overlaps them, and a list of names below it. References come and go, so their names are
 * inside the drawing and the chart keeps its size.
 */
import type { ScaleLinear } from 'd3-scale';
import { type Frame, placeLabels } from './chartModel.ts';

/** A height to compare values with. */
export interface PanelLevel {
  readonly name: string;
  readonly value: number;
}

/** A published number, which may be far from the values. */
export interface PanelReference extends PanelLevel {
  readonly source: string;
}

/** Width in px of the numbers beside the drawing. */
const NUMBER_ROOM = 20;

function isListed(levels: readonly PanelLevel[]): boolean {
  return levels.length > 1;
}

/** Size in px of the numbers beside the drawing and of the list below it. */
export function roomOfLevels(levels: readonly PanelLevel[]): {
  readonly beside: number;
  readonly below: number;
} {
  return isListed(levels)
    ? { beside: NUMBER_ROOM, below: levels.length * LIST_LINE + 6 }
    : { beside: 0, below: 0 };
}

const LIST_LINE = 13;

interface LevelsProps {
  readonly frame: Frame;
  readonly levels: readonly PanelLevel[];
  readonly references: readonly PanelReference[];
  readonly y: ScaleLinear<number, number>;
  readonly format: (value: number) => string;
}

/** Draws a line only if the level is within the scale. */
export function LevelLines({ frame, levels, references, y }: LevelsProps) {
  const right = frame.width - frame.right;
  return [...levels, ...references]
    .filter(({ value }) => !isBeyond(y(value), frame))
    .map(({ name, value }) => (
      <g key={name} className="level">
        <line x1={frame.left} x2={right} y1={y(value)} y2={y(value)} />
      </g>
    ));
}

function isBeyond(height: number, frame: Frame): boolean {
  return height < frame.top - 1;
}

/** Width of the line that leads from a name to its level. */
const LEADER = 14;

/** Drawn over the lines, to be readable. Names of close levels are moved apart. */
export function LevelNames({ frame, levels, references, y, format }: LevelsProps) {
  const right = frame.width - frame.right;
  const all = [
    ...(isListed(levels) ? [] : levels).map((level) => ({ ...level, label: level.name, source: undefined })),
    ...references.map((reference) => ({
      ...reference,
      label: `${reference.name}: ${format(reference.value)}`,
    })),
  ];
  const { labels, restAt } = placeLabels(
    all.map(({ value }) => y(value)),
    frame,
  );
  // If one name needs a leader line, shift all names, so that they stay aligned.
  const end = labels.some((label) => label?.isMoved === true) ? right - LEADER : right;
  const leftOut = labels.filter((label) => label === undefined).length;
  return (
    <>
      {isListed(levels) && <NumberedLevels frame={frame} levels={levels} y={y} />}
      {all.map(({ name, label, source, value }, i) => {
        const placed = labels[i];
        if (placed === undefined) return null;
        const isOver = isBeyond(y(value), frame);
        return (
          <g key={name} className="level">
            {source !== undefined && <title>{`${label} · ${source}`}</title>}
            {end < right && !isOver && (
              <path
                className="leader"
                d={`M${end + 2} ${placed.y - 3}L${right - 4} ${y(value)}H${right}`}
                fill="none"
              />
            )}
            <text x={end} y={placed.y} textAnchor="end">
              {isOver ? `${label} ↑` : label}
            </text>
          </g>
        );
      })}
      {restAt !== undefined && (
        <g className="level">
          <text x={end} y={restAt} textAnchor="end">
            and {leftOut} more lines
          </text>
        </g>
      )}
    </>
  );
}

/** The highest level is number 1. */
function NumberedLevels({ frame, levels, y }: Pick<LevelsProps, 'frame' | 'levels' | 'y'>) {
  const right = frame.width - frame.right;
  const sorted = [...levels].sort((a, b) => b.value - a.value);
  const { labels, restAt } = placeLabels(
    sorted.map(({ value }) => y(value)),
    frame,
    'beside',
  );
  return (
    <>
      {sorted.map(({ name, value }, i) => {
        const placed = labels[i];
        return (
          <g key={name} className="level">
            {placed !== undefined && (
              <>
                <path
                  className="leader"
                  d={`M${right + 2} ${y(value)}L${right + 9} ${placed.y - 3.5}`}
                  fill="none"
                />
                <text x={right + 11} y={placed.y}>
                  {i + 1}
                </text>
              </>
            )}
            <text x={frame.left} y={frame.height + LIST_LINE * (i + 1)}>
              <tspan>{i + 1}</tspan>
              <tspan x={frame.left + 16}>{name}</tspan>
            </text>
          </g>
        );
      })}
      {restAt !== undefined && (
        <text x={right + 11} y={restAt}>
          …
        </text>
      )}
    </>
  );
}
