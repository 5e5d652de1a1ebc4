/** The numbers of charts as CSV: a row per step, a column per line, with the meaning of the columns in their heads. */
import { csvFile } from '../../shared/domain/delimited.ts';
import type { Values } from './chartModel.ts';
import { axisOf, type PanelLine, valueAt } from './panelModel.ts';

export interface ChartNumbers {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly PanelLine[];
}

/**
 * @param source run, filter and smoothing of the data
 * @returns unknown values are blank; numbers have all their digits
 */
export function chartCsv(source: string, charts: readonly ChartNumbers[]): string {
  const columns = charts.flatMap((chart) => chart.lines.flatMap((line) => columnsOf(chart, line)));
  return csvFile(
    source,
    ['step', ...columns.map(({ head }) => head)],
    axisOf(columns).map((step) => [step, ...columns.map((column) => valueAt(column, step))]),
  );
}

interface Column extends Pick<PanelLine, 'steps' | 'values'> {
  readonly head: string;
}

/** The value and, if there is one, the ends of its interval. */
function columnsOf({ title, unit }: ChartNumbers, line: PanelLine): readonly Column[] {
  const { steps, values, low, high, name } = line;
  const column = (what: string, of: Values): Column => ({
    head: `${title}: ${what} [${unit}; ${saidBy(line)}]`,
    steps,
    values: of,
  });
  return [
    column(line.role === 'under' ? `${name}, ${line.underOf ?? 'raw'}` : name, values),
    ...(low === undefined ? [] : [column(`${name}, low`, low)]),
    ...(high === undefined ? [] : [column(`${name}, high`, high)]),
  ];
}

function saidBy({ role, underOf, meanOver, isOfAll }: PanelLine): string {
  const by = underOf === 'as logged' ? 'logged' : ROLES[role];
  const who = isOfAll ? `${by}, of all rollouts` : by;
  return meanOver === undefined ? who : `${who}, mean over ${meanOver} steps`;
}

const ROLES = { main: 'from rollouts', under: 'from rollouts', logged: 'logged' } as const;
