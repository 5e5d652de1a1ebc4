/** The charts of the overview, in order: their value at a step, and the rollouts that a point opens. */
import type { SeriesName, StepFacts } from '../../../shared/api/contract.ts';
import type { Stroke } from '../../charts/panelModel.ts';
import type { ReferenceLine } from '../../state/chartSettings.ts';
import { asShare, compact, decimal, duration } from '../../ui/numbers.ts';

export interface LineSpec {
  readonly name: string;
  readonly series?: SeriesName;
  readonly of: (facts: StepFacts) => number | undefined;
  readonly color: string;
  readonly stroke: Stroke;
  /** Title if this line has a chart of its own. */
  readonly alone?: string;
  readonly describe: string;
  /** The rollouts that a point opens, as a filter. '' means all rollouts of the step. */
  readonly filter: (facts: StepFacts) => string;
  /** The same rollouts as a label. */
  readonly opens: string;
  /** The page that a point opens. Absent: the rollouts of the step. */
  readonly leadsTo?: 'schedule';
  /** A fact about the whole step, whatever the filter: other rollouts' work is not idle time. */
  readonly isOfStep?: true;
  /** Left out if it is 0 at every step. For lines of many kinds, most of which a run does not have. */
  readonly isOneOfMany?: true;
}

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  /** Unit of the values. */
  readonly unit: string;
  /** Unit beside the title, if every value on the axis already has its own unit. */
  readonly shownUnit?: string;
  readonly describe: string;
  readonly lines: readonly LineSpec[];
  readonly isStacked?: true;
  readonly format: (value: number) => string;
  /** A limit of the run or stage to draw on the same axis. */
  readonly limit?: 'max_response_tokens';
  /** Published numbers to compare with, each with its source. */
  readonly references?: readonly ReferenceLine[];
  /** Not meaningful for a class of rollouts, since its groups are incomplete. */
  readonly isOfGroups?: true;
  /** Hidden if the chart with this id is shown. */
  readonly insteadOf?: string;
}

const asDecimal = (value: number): string => decimal(value);
/** As many digits as the tables have, where 0.725 is 72.5 %. */
const asThousandths = (value: number): string => decimal(value, 3);
/** Shows two digits below a tenth, so that 0.04 calls are not shown as 0. */
const asTenths = (value: number): string => decimal(value, value > 0 && value < 0.095 ? 2 : 1);
export const asCompact = (value: number): string => compact(value);
export const asSeconds = (value: number): string => duration(value * 1000);
export const asMs = (value: number): string => duration(value);

interface LineOptions {
  readonly color?: string;
  readonly stroke?: Stroke;
  readonly describe?: string;
  readonly alone?: string;
  readonly filter?: string;
  readonly opens?: string;
}

export function line(name: string, series: SeriesName, options: LineOptions = {}): LineSpec {
  const { color = 'var(--ink)', stroke = 'solid', describe = name, filter = '' } = options;
  return {
    name,
    series,
    of: (facts) => facts.values[series],
    color,
    stroke,
    ...(options.alone === undefined ? {} : { alone: options.alone }),
    describe,
    filter: () => filter,
    opens: options.opens ?? 'the rollouts of the step',
  };
}

/** A line of percentiles. A point opens the rollouts at or above the percentile. */
export function beyond(
  base: Omit<LineSpec, 'filter' | 'opens'>,
  field: string,
  opens: string,
  round: (value: number) => number = Math.ceil,
): LineSpec {
  return {
    ...base,
    filter: (facts) => {
      const value = base.of(facts);
      return value === undefined ? '' : `${field}:>=${round(value)}`;
    },
    opens,
  };
}

/** Groups of a single rollout have no group statistics. */
const hasSiblings = ({ groups, rollouts }: StepFacts): boolean => groups < rollouts;

const health = (series: 'groupsAllWrong' | 'groupsMixed' | 'groupsAllRight') => (facts: StepFacts) => {
  if (!hasSiblings(facts)) return undefined;
  const { groupsAllWrong = 0, groupsMixed = 0, groupsAllRight = 0 } = facts.values;
  const total = groupsAllWrong + groupsMixed + groupsAllRight;
  return total === 0 ? undefined : (facts.values[series] ?? 0) / total;
};

const QUIET = 'var(--ink3)';

export const CHARTS: readonly ChartSpec[] = [
  {
    id: 'reward',
    title: 'Reward and pass rate',
    unit: '0 … 1',
    describe: 'Mean reward, and the share of correct rollouts among those whose correctness is known',
    format: asThousandths,
    lines: [
      line('correct', 'passRate', {
        alone: 'Pass rate',
        color: 'var(--right)',
        filter: 'is_correct:true',
        opens: 'the correct rollouts',
      }),
      line('reward', 'meanReward', { alone: 'Mean reward', stroke: 'dotted', describe: 'mean reward' }),
    ],
  },
  {
    id: 'health',
    title: 'Groups by outcome',
    unit: 'of groups',
    describe:
      'Groups whose rollouts are all incorrect, mixed, all correct. Only mixed groups have a non-zero group-normalised advantage',
    isStacked: true,
    isOfGroups: true,
    format: asShare,
    lines: [
      {
        ...line('all incorrect', 'groupsAllWrong', { color: 'var(--wrong)', filter: 'pass_rate:0' }),
        of: health('groupsAllWrong'),
        opens: 'rollouts of groups that are all incorrect',
      },
      {
        ...line('mixed', 'groupsMixed', { color: 'var(--rule2)', filter: 'pass_rate:>0 pass_rate:<1' }),
        of: health('groupsMixed'),
        opens: 'rollouts of mixed groups',
      },
      {
        ...line('all correct', 'groupsAllRight', { color: 'var(--right)', filter: 'pass_rate:1' }),
        of: health('groupsAllRight'),
        opens: 'rollouts of groups that are all correct',
      },
    ],
  },
  {
    id: 'errors',
    title: 'Failed tool calls',
    unit: 'of tool calls',
    describe:
      'Failed tool calls among the calls of correct rollouts: Resample-on-Correct is meant to lower this. Dotted: of all rollouts. Malformed calls reached no tool and are not counted',
    format: asShare,
    lines: [
      line('in correct', 'toolErrorRateCorrect', {
        alone: 'Failed calls in correct',
        color: 'var(--wrong)',
        describe: 'failed calls among the calls of correct rollouts',
        filter: 'is_correct:true tool_errors:>0',
        opens: 'correct rollouts with a failed call',
      }),
      line('in all', 'toolErrorRate', {
        alone: 'Failed calls in all',
        color: QUIET,
        stroke: 'dotted',
        describe: 'failed calls among all calls',
        filter: 'tool_errors:>0',
        opens: 'rollouts with a failed call',
      }),
    ],
  },
  {
    id: 'tokens',
    title: 'Response length',
    unit: 'policy tokens',
    describe: 'Tokens the policy wrote; the 95th percentile is the nearest rank',
    format: asCompact,
    limit: 'max_response_tokens',
    lines: [
      line('mean', 'meanTokens'),
      beyond(
        line('p95', 'p95Tokens', { color: QUIET, stroke: 'dotted', describe: '95th percentile' }),
        'tokens',
        'the longest rollouts of the step',
      ),
    ],
  },
  {
    id: 'chars',
    title: 'Response length',
    unit: 'characters',
    describe:
      'No token counts in this log, so the unit is UTF-16 code units, of the policy’s text with the tool responses and markup in it: fewer calls make it shorter, too. The 95th percentile is the nearest rank',
    format: asCompact,
    insteadOf: 'tokens',
    lines: [
      line('mean', 'meanChars'),
      beyond(
        line('p95', 'p95Chars', { color: QUIET, stroke: 'dotted', describe: '95th percentile' }),
        'chars',
        'the longest rollouts of the step',
      ),
    ],
  },
  {
    id: 'truncated',
    title: 'Truncated',
    unit: 'of rollouts',
    describe: 'Stopped by the length limit, among rollouts whose stop reason is logged',
    format: asShare,
    lines: [
      line('truncated', 'truncatedShare', {
        filter: 'stop_reason:length',
        opens: 'rollouts stopped by the length limit',
      }),
    ],
  },
  {
    id: 'turns',
    title: 'Turns and tool calls',
    unit: 'per rollout',
    describe: 'Mean turns and mean tool calls of a rollout',
    format: asTenths,
    lines: [
      line('turns', 'meanTurns', { alone: 'Turns' }),
      line('tool calls', 'toolCallsPerRollout', {
        alone: 'Tool calls',
        color: 'var(--kept)',
        stroke: 'dotted',
        filter: 'tool_calls:>0',
        opens: 'rollouts with a tool call',
      }),
    ],
  },
  {
    id: 'noTool',
    title: 'Without a valid tool call',
    unit: 'of rollouts',
    describe:
      'Rollouts without a tool call that could be read, those with malformed calls only included: the first sign that a policy stops using its tools. Dotted: rollouts with a malformed call, which no tool answered',
    format: asShare,
    lines: [
      line('no valid tool call', 'noToolShare', {
        filter: 'tool_calls:0',
        opens: 'rollouts without a valid tool call',
      }),
      line('malformed', 'malformedCallShare', {
        alone: 'With a malformed call',
        color: 'var(--wrong)',
        stroke: 'dotted',
        describe: 'rollouts with a malformed call',
        filter: 'malformed_calls:>0',
        opens: 'rollouts with a malformed call',
      }),
    ],
  },
  {
    id: 'entropy',
    title: 'Mean entropy',
    unit: 'nats',
    describe: 'Over the policy tokens whose entropy is logged',
    format: asDecimal,
    lines: [
      line('entropy', 'meanEntropy', {
        color: 'var(--h4)',
        filter: 'mean_entropy:*',
        opens: 'rollouts with entropy',
      }),
    ],
  },
  {
    id: 'kept',
    title: 'Kept by RoC',
    unit: 'of rollouts',
    describe:
      'Resample-on-Correct, logged decisions: the share that entered the update, of correct and of incorrect rollouts',
    format: asShare,
    lines: [
      line('of correct', 'keptShareCorrect', {
        color: 'var(--right)',
        filter: 'is_correct:true kept:true',
        opens: 'correct rollouts that were kept',
      }),
      line('of incorrect', 'keptShareWrong', {
        color: 'var(--wrong)',
        stroke: 'dotted',
        filter: 'is_correct:false kept:true',
        opens: 'incorrect rollouts that were kept',
      }),
    ],
  },
  {
    id: 'answers',
    title: 'Different answers',
    unit: 'per group',
    describe: 'Mean number of different answers, as written, in groups with an answer',
    isOfGroups: true,
    format: asTenths,
    lines: [
      {
        ...line('answers', 'answersPerGroup', { filter: 'answer:*', opens: 'rollouts with an answer' }),
        of: (facts) => (hasSiblings(facts) ? facts.values.answersPerGroup : undefined),
      },
    ],
  },
  {
    id: 'hurt',
    title: 'Correct with an error',
    unit: 'of correct',
    describe: 'Correct rollouts with at least one failed tool call',
    format: asShare,
    lines: [
      {
        ...line('correct with an error', 'correctWithErrorShare', {
          color: 'var(--wrong)',
          filter: 'is_correct:true tool_errors:>0',
          opens: 'correct rollouts with a failed call',
        }),
        // Without a tool call nothing could fail.
        of: (facts) => (facts.values.noToolShare === 1 ? undefined : facts.values.correctWithErrorShare),
      },
    ],
  },
  {
    id: 'latency',
    title: 'Tool latency',
    unit: 'milliseconds',
    shownUnit: 'per call',
    describe: 'Median and 95th percentile (nearest rank) of calls whose latency is known',
    format: asMs,
    lines: [
      beyond(
        {
          name: 'p50',
          of: (facts) => facts.latency?.p50Ms,
          color: 'var(--ink)',
          stroke: 'solid',
          describe: 'median',
        },
        'latency_ms',
        'rollouts with a call at least as slow',
        (value) => Math.floor(value),
      ),
      beyond(
        {
          name: 'p95',
          of: (facts) => facts.latency?.p95Ms,
          color: QUIET,
          stroke: 'dotted',
          describe: '95th percentile',
        },
        'latency_ms',
        'rollouts with the slowest calls',
        (value) => Math.floor(value),
      ),
    ],
  },
  {
    id: 'volume',
    title: 'Tool calls of a step',
    unit: 'calls',
    describe: 'All tool calls of the step: the load on the environment',
    format: asCompact,
    lines: [line('tool calls', 'toolCalls', { filter: 'tool_calls:>0', opens: 'rollouts with a tool call' })],
  },
];
