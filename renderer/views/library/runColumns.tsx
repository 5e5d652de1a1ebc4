import { extent } from 'd3-array';
import { Ellipsis } from 'lucide-react';
import type { RunDate, RunSummary } from '../../../shared/api/contract.ts';
import { withGlyphs } from '../../../shared/domain/hiddenCharacters.ts';
import { isCopyOfWarehouse } from '../../../shared/domain/warehouseCopies.ts';
import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { type Frame, linePath, stepScale, type Values, valueScale } from '../../charts/chartModel.ts';
import { Chip } from '../../ui/Controls.tsx';
import { asShare, count, counted, percent, ratio, reward } from '../../ui/numbers.ts';
import type { Column } from '../../ui/tableColumns.ts';
import { FROM_GRADES, NO_VERDICT } from '../../widgets/DerivedChips.tsx';
import { UnfinishedEvaluation } from '../../widgets/EvaluationStatus.tsx';
import { stepRange } from './libraryModel.ts';
import type { MenuPoint } from './RunMenu.tsx';
import '../../charts/charts.css';
import { plainLogText } from '../../ui/LogText.tsx';
import { day, isoTime, timeZoneName, wholeTime } from '../../ui/times.ts';

export interface RunColumn extends Column<RunSummary> {
  readonly measure?: (run: RunSummary) => string | number | undefined;
  /** Whether the run's cell has content. Default: always. A column is left out if no run has content. */
  readonly isKnown?: (run: RunSummary) => boolean;
}

type Trend = Exclude<keyof RunSummary['trends'], 'steps'>;

interface TrendCellProps {
  readonly run: RunSummary;
  readonly trend: Trend;
  readonly label: string;
  readonly format: (value: number) => string;
  /** Formats the number of a run without steps. Default: `format`. */
  readonly formatAlone?: (value: number) => string;
  readonly color: string;
}

/** Draws a line over the steps, or writes the number of a run without steps. */
function TrendCell({ run, trend, label, format, formatAlone = format, color }: TrendCellProps) {
  const values = run.trends[trend];
  const [only] = values;
  if (!run.hasSteps) return typeof only === 'number' && formatAlone(only);
  return (
    <Sparkline
      label={`${label} by step`}
      format={format}
      steps={run.trends.steps}
      values={values}
      color={color}
    />
  );
}

function trendColumn(
  part: Pick<RunColumn, 'id' | 'label' | 'unit' | 'hint' | 'minWidth'>,
  of: Omit<TrendCellProps, 'run'>,
): RunColumn {
  return {
    ...part,
    grow: 0.5,
    isKnown: ({ trends }) => trends[of.trend].some((value) => value !== null),
    cell: (run) => <TrendCell run={run} {...of} />,
  };
}

const REWARD_TREND = {
  trend: 'meanReward',
  label: 'Mean reward',
  format: reward,
  color: 'var(--right)',
} as const;

const REWARD: RunColumn = {
  ...trendColumn({ id: 'reward', label: 'reward', hint: 'Mean reward, by step', minWidth: 66 }, REWARD_TREND),
  cell: (run) =>
    run.rewardGrade === undefined ? (
      <TrendCell run={run} {...REWARD_TREND} />
    ) : (
      <span className="two-line" title={FROM_GRADES}>
        <TrendCell run={run} {...REWARD_TREND} />
        <small>from grades</small>
      </span>
    ),
};

/** Ids of the columns that would be blank in every row. */
export function blankColumns(
  columns: readonly RunColumn[],
  runs: readonly RunSummary[],
): ReadonlySet<string> {
  return new Set(
    columns.filter(({ isKnown }) => isKnown !== undefined && !runs.some(isKnown)).map(({ id }) => id),
  );
}

/**
 * @param partOf distinguishes runs of the same name
 * @param partlyRead what of the run's logs is missing, if they were not read to their end
 */
export const runColumns = (
  partOf: (run: RunSummary) => string | undefined,
  partlyRead: (run: RunSummary) => string | undefined,
): readonly RunColumn[] => [
  {
    id: 'name',
    label: 'run',
    value: (run) => run.name,
    minWidth: 168,
    // Names are long, and the other columns fit their least width.
    grow: 12,
    sorts: 'ascending',
    measure: (run) => run.name,
    cell: (run) => (
      <span className="two-line">
        <span className="run-title">
          <bdi className="run-name" title={plainLogText(run.name)}>
            {plainLogText(run.name)}
          </bdi>{' '}
          <PartChip text={partlyRead(run)} />{' '}
          {isCopyOfWarehouse(run.directory) && (
            <Chip title="Counts the steps that were copied from the warehouse. The page of the run counts all">
              copy
            </Chip>
          )}
        </span>
        <small title={withGlyphs(run.directory)}>
          <UnfinishedEvaluation run={run} /> {run.kind !== 'train' && <Chip>{RUN_KIND_NAMES[run.kind]}</Chip>}{' '}
          {run.isSynthetic && <Chip>synthetic</Chip>}{' '}
          {[partOf(run), run.model, run.dataset, run.format]
            .flatMap((part) => (part === undefined ? [] : [plainLogText(part)]))
            .join(' · ')}
        </small>
      </span>
    ),
  },
  {
    id: 'date',
    label: 'date',
    unit: timeZoneName(),
    value: ({ lastWritten }) => (lastWritten === undefined ? undefined : isoTime(lastWritten.at)),
    copiedWith: {
      name: 'date from',
      value: ({ lastWritten }) => lastWritten && DATE_LABELS[lastWritten.of],
    },
    hint: 'When the log was written to last: the logged end of the run or of a rollout, else the date of a log file',
    minWidth: 84,
    grow: 0.5,
    sorts: 'descending',
    measure: ({ lastWritten }) => lastWritten?.at,
    isKnown: ({ lastWritten }) => lastWritten !== undefined,
    cell: ({ lastWritten }) => lastWritten !== undefined && <RunDay date={lastWritten} />,
  },
  {
    id: 'steps',
    label: 'steps',
    value: (run) => (run.hasSteps ? run.steps : undefined),
    align: 'end',
    minWidth: 48,
    grow: 0.5,
    sorts: 'descending',
    measure: (run) => (run.hasSteps ? run.steps : undefined),
    isKnown: (run) => run.hasSteps,
    cell: (run) =>
      run.hasSteps && (
        <span className="two-line">
          {count(run.steps)}
          <small>{stepRange(run)}</small>
        </span>
      ),
  },
  {
    id: 'rollouts',
    label: 'rollouts',
    value: (run) => run.rollouts,
    align: 'end',
    minWidth: 74,
    grow: 0.5,
    sorts: 'descending',
    measure: (run) => run.rollouts,
    cell: (run) => (
      <span className="two-line">
        {count(run.rollouts)}
        {run.groups < run.rollouts && <small>{counted(run.groups, 'group')}</small>}
      </span>
    ),
  },
  {
    id: 'correct',
    label: 'correct',
    value: (run) => (run.correctKnown === 0 ? undefined : (100 * run.correct) / run.correctKnown),
    unit: '%',
    hint: 'Correct rollouts among those whose correctness is known, over the whole run',
    align: 'end',
    minWidth: 56,
    grow: 0.5,
    sorts: 'descending',
    measure: (run) => ratio(run.correct, run.correctKnown),
    isKnown: (run) => run.correctKnown > 0,
    copiedWith: { name: 'correctness', value: (run) => run.correctSource },
    cell: (run) =>
      run.correctSource === 'derived' ? (
        <span className="two-line" title={NO_VERDICT}>
          {percent(ratio(run.correct, run.correctKnown))}
          <small>derived</small>
        </span>
      ) : (
        percent(ratio(run.correct, run.correctKnown))
      ),
  },
  REWARD,
  trendColumn(
    {
      id: 'noTool',
      label: 'no valid tool call',
      hint: 'Share of rollouts without a valid tool call, those with malformed calls only included, by step',
      minWidth: 104,
    },
    {
      trend: 'noToolShare',
      label: 'Share without a valid tool call',
      format: asShare,
      color: 'var(--ink2)',
    },
  ),
  trendColumn(
    {
      id: 'toolErrors',
      label: 'failed calls',
      hint: 'Share of tool calls that failed, by step',
      minWidth: 66,
    },
    {
      trend: 'toolErrorRate',
      label: 'Share of failed tool calls',
      format: asShare,
      color: 'var(--wrong)',
    },
  ),
  trendColumn(
    {
      id: 'length',
      label: 'length',
      unit: 'chars',
      hint: 'Mean response length in characters, with tool responses, by step',
      minWidth: 66,
    },
    {
      trend: 'meanResponseChars',
      label: 'Mean response length',
      format: length,
      formatAlone: count,
      color: 'var(--ink2)',
    },
  ),
  {
    id: 'issues',
    label: 'issues',
    value: (run) => run.issues + (run.sharedIssues ?? 0),
    hint: 'Records that are not in the library, and below them those read with a caveat. If a file holds several runs, the run of a record is unknown',
    align: 'end',
    minWidth: 50,
    grow: 0.5,
    sorts: 'descending',
    measure: (run) => run.issues + (run.sharedIssues ?? 0),
    isKnown: (run) => run.issues + (run.sharedIssues ?? 0) + (run.caveats ?? 0) > 0,
    cell: (run) => <Issues run={run} />,
  },
];

const DATE_LABELS: Readonly<Record<RunDate['of'], string>> = {
  completed: 'the run was completed, as logged',
  rollout: 'newest time of a rollout, as logged',
  started: 'the run was started, as logged',
  file: 'a log file was modified',
};

function RunDay({ date: { at, of } }: { readonly date: RunDate }) {
  return (
    <span className="two-line">
      <time dateTime={isoTime(at)} title={`${wholeTime(at)}: ${DATE_LABELS[of]}`}>
        {day(at)}
      </time>
      {of === 'file' && <small>file date</small>}
    </span>
  );
}

function PartChip({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <Chip isWarning title={`${text}. The page of the run continues it`}>
      partly read
    </Chip>
  );
}

/** The last column: a button that opens the run's menu beside it. */
export function menuColumn(onMenu: (at: MenuPoint) => void): RunColumn {
  return {
    id: 'menu',
    label: '',
    name: 'actions',
    align: 'end',
    minWidth: 28,
    grow: 0,
    cell: (run) => (
      <button
        type="button"
        className="row-menu"
        tabIndex={-1}
        aria-label={`Actions for ${run.name}`}
        onClick={(event) => {
          // Prevents the row's link from being followed.
          event.preventDefault();
          event.stopPropagation();
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          onMenu({ run, x: left, y: bottom });
        }}
      >
        <Ellipsis size={16} />
      </button>
    ),
  };
}

function Issues({ run: { issues, sharedIssues, caveats } }: { readonly run: RunSummary }) {
  return (
    <span className="two-line">
      {issues > 0 && <span className="is-wrong">{count(issues)}</span>}
      {sharedIssues !== undefined && (
        <small className="is-wrong" title="Issues of a file with several runs. Their run is unknown.">
          {count(sharedIssues)} in its file
        </small>
      )}
      {caveats !== undefined && (
        <small title={`${counted(caveats, 'record')} read with a caveat`}>△ {count(caveats)}</small>
      )}
    </span>
  );
}

interface SparklineProps {
  readonly label: string;
  readonly format: (value: number) => string;
  readonly steps: readonly number[];
  readonly values: Values;
  readonly color: string;
}

const length = (value: number) => counted(Math.round(value), 'character');

const FRAME: Frame = { width: 66, height: 30, left: 2, right: 4, top: 4, bottom: 3 };

/** A line over steps without axes. The numbers are in the columns and on the run page. */
function Sparkline({ label, format, steps, values, color }: SparklineProps) {
  const known = values.filter((value) => typeof value === 'number');
  if (known.length === 0) return null;
  const x = stepScale(steps, FRAME);
  const y = valueScale([values], FRAME, { fromZero: true });
  const lastIndex = values.findLastIndex((value) => typeof value === 'number');
  const last = values[lastIndex];
  const firstIndex = values.findIndex((value) => typeof value === 'number');
  const [least = 0, most = 0] = extent(known);
  const said = `${label}: ${format(values[firstIndex] ?? 0)} at step ${steps[firstIndex]}, ${format(last ?? 0)} at step ${steps[lastIndex]}; between ${format(least)} and ${format(most)}`;
  return (
    <svg className="sparkline" width={FRAME.width} height={FRAME.height} role="img" aria-label={said}>
      <title>{said}</title>
      <path d={linePath(steps, values, x, y)} fill="none" stroke={color} strokeWidth={1.4} />
      <circle cx={x(steps[lastIndex] ?? 0)} cy={y(last ?? 0)} r={2} fill={color} />
    </svg>
  );
}
