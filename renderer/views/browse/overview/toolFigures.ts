import type { StepFacts } from '../../../../shared/api/contract.ts';
import type { ChartSpec, LineSpec } from './overviewCharts.ts';
import { TOOL_CHARTS } from './toolCharts.ts';

interface ToolFigure extends Pick<LineSpec, 'name' | 'describe' | 'opens'> {
  /** With its unit. */
  readonly value: string;
  readonly filter: string;
}

export interface FigureGroup extends Pick<ChartSpec, 'id' | 'title' | 'unit' | 'describe'> {
  readonly figures: readonly ToolFigure[];
}

/** On a scale of its own as a chart; as numbers they stand among the outcomes already. */
const SAID_ALREADY = 'failures';

/** What the charts of tool calls would show of all rollouts, as far as it is known; a schedule needs its step. */
export function toolFigures(facts: StepFacts): readonly FigureGroup[] {
  return TOOL_CHARTS.filter(({ id }) => id !== SAID_ALREADY).flatMap((chart) => {
    const { id, unit, describe, format, lines } = chart;
    const title = chart.title.replace(/ of a step$/, '');
    const figures = lines.flatMap((line): readonly ToolFigure[] => {
      const value = line.of(facts);
      if (value === undefined || line.leadsTo !== undefined) return [];
      if (line.isOneOfMany === true && value === 0) return [];
      const { name, describe: what, opens } = line;
      return [{ name, describe: what, opens, value: format(value), filter: line.filter(facts) }];
    });
    const isOfCalls = (facts.values.toolCalls ?? 0) > 0;
    return figures.length === 0 || !isOfCalls ? [] : [{ id, title, unit, describe, figures }];
  });
}
