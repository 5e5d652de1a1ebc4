import type { RefObject } from 'react';
import type { StepSchedule } from '../../../shared/api/contract.ts';
import { type Cell, csvFile } from '../../../shared/domain/delimited.ts';
import { pngOfPainting } from '../../charts/exportChart.ts';
import { isoTime } from '../../ui/times.ts';
import { ChartMenu, chartFileName } from '../../widgets/charts/ChartMenu.tsx';
import { paintSchedule, type SchedulePicture } from './paintSchedule.ts';
import { HEAD, type Span } from './scheduleModel.ts';

interface ScheduleMenuProps {
  /** Run, step and filter of the data. */
  readonly of: string;
  readonly schedule: StepSchedule;
  readonly span: Span;
  /** The current state of the timeline on the page. */
  readonly picture: RefObject<SchedulePicture | null>;
  readonly isTable: boolean;
  readonly onTable: (isTable: boolean) => void;
}

/** Shows the timeline as a table, and exports it as PNG and CSV. */
export function ScheduleMenu({ of, schedule, span, picture, ...table }: ScheduleMenuProps) {
  return (
    <ChartMenu
      {...table}
      title="Timeline"
      fileName={chartFileName(of, 'schedule')}
      png={() =>
        picture.current === null
          ? Promise.reject(new Error('nothing is drawn yet'))
          : schedulePng(of, picture.current)
      }
      csv={() => scheduleCsv(of, schedule, span)}
      provenance="logged"
    />
  );
}

/** Rounds to milliseconds, which is the precision of single floats for the seconds of a step. */
function seconds(value: number | undefined): number {
  return Math.round((value ?? Number.NaN) * 1000) / 1000;
}

const HEADS = [
  'rollout id',
  'worker',
  'GPU',
  'row in the lane',
  'start [s]',
  'end [s]',
  'correct',
  'reward',
  'turns',
  'policy tokens',
  'straggler',
  'waits that are not placed [s]',
];

/**
 * A line per rollout that runs within the span, lane by lane. Unknown values are blank.
 *
 * @param of run, step and filter of the data
 */
export function scheduleCsv(of: string, { bars, lanes, origin }: StepSchedule, span: Span): string {
  const known = (value: number | undefined): Cell =>
    value === undefined || Number.isNaN(value) || value < 0 ? undefined : value;
  const lines: Cell[][] = [];
  bars.rolloutId.forEach((id, i) => {
    const [start = 0, end = 0] = [bars.start[i], bars.end[i]];
    if (end < span.from || start > span.to) return;
    const lane = lanes[bars.lane[i] ?? 0];
    lines.push([
      id,
      lane?.worker,
      lane?.gpu,
      bars.row[i],
      seconds(start),
      seconds(end),
      known(bars.isCorrect[i]),
      // A reward may be below 0.
      bars.reward[i],
      known(bars.turns[i]),
      known(bars.policyTokens[i]),
      bars.straggler[i],
      known(seconds(bars.waitSeconds[i])),
    ]);
  });
  const since = origin === undefined ? '' : `; seconds from ${isoTime(origin * 1000) ?? 'no date'}`;
  const source = `${of}; as logged${since}; ${lines.length} of ${bars.rolloutId.length} rollouts, from ${span.from} s to ${span.to} s`;
  return csvFile(source, HEADS, lines);
}

/** px. Includes lanes below the window; a canvas is at most 32,767 px high. */
const MOST_HEIGHT = 8000;

/** The visible span at the page's width, with as many lanes as fit. */
function schedulePng(of: string, picture: SchedulePicture): Promise<Blob> {
  const height = Math.min(MOST_HEIGHT, Math.max(picture.size.height, picture.layout.height + HEAD + 8));
  const size = { width: picture.size.width, height };
  const whole = { ...picture, size, top: 0, cursor: undefined, brush: undefined };
  const { schedule, span } = picture;
  const isUnknown = schedule.bars.isCorrect.includes(-1);
  return pngOfPainting(size, (canvas, scale) => paintSchedule(canvas, whole, scale), {
    title: 'Rollouts by worker over time',
    subtitle: `as logged · ${of} · ${span.from.toFixed(1)} s to ${span.to.toFixed(1)} s`,
    legend: [
      { name: 'correct', color: 'var(--right)', isArea: true },
      { name: 'incorrect, lower', color: 'var(--wrong)', isArea: true },
      ...(isUnknown ? [{ name: 'unknown', color: 'var(--dropped)', isArea: true as const }] : []),
      { name: 'idle', color: 'var(--hover)', isArea: true },
      { name: 'straggler', color: 'var(--h5)' },
    ],
  });
}
