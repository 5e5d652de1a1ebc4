/** Prints decisions step by step, because a run has millions. */

import { terminalJson } from '../../shared/domain/terminalText.ts';
import type { DecidedStep } from '../host/host.ts';

type Groups = DecidedStep['groups'];
type Print = (text: string) => Promise<void>;

export interface DecisionWriter {
  page(groups: Groups): Promise<void>;
  end(): Promise<void>;
}

/** One JSON array, one group per line. */
export function jsonWriter(print: Print): DecisionWriter {
  let written = 0;
  return {
    async page(groups) {
      for (const group of groups) await print(`${written++ === 0 ? '[' : ','}\n${terminalJson(group)}`);
    },
    async end() {
      await print(written === 0 ? '[]\n' : '\n]\n');
    },
  };
}

const COLUMNS = [
  'step',
  'groups',
  'rejected',
  'rollouts',
  'kept',
  'positives kept',
  'negatives kept',
  'undecided',
];
const WIDTHS = COLUMNS.map((name) => Math.max(name.length + 4, 9));

/** One line per step. Under the paper's rule the number of kept rollouts is an expectation. */
export function tableWriter(print: Print, isExpected: boolean): DecisionWriter {
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell, i) => cell.padStart(WIDTHS[i] ?? 0)).join('  ')}\n`;
  const columns = isExpected ? COLUMNS.map((name) => name.replace('kept', 'expected')) : COLUMNS;
  let isFirst = true;
  return {
    async page(groups) {
      if (isFirst) await print(line(columns));
      isFirst = false;
      const [first] = groups;
      if (first !== undefined) await print(line(cellsOf(first.step, groups)));
    },
    async end() {
      if (isFirst) await print(line(columns));
    },
  };
}

function cellsOf(step: number | null, groups: Groups): readonly string[] {
  const rows = groups.flatMap(({ rollouts }) => rollouts);
  const share = (row: (typeof rows)[number]): number | null =>
    row.kept === null ? row.inclusion : Number(row.kept);
  const of = (kind: (reward: number) => boolean): string => {
    const some = rows.filter(({ reward }) => reward !== null && kind(reward));
    return `${shown(some.reduce((sum, row) => sum + (share(row) ?? 0), 0))} of ${some.length}`;
  };
  const isRejected = ({ rollouts }: Groups[number]): boolean =>
    rollouts.every(({ reason }) => reason?.startsWith('discarded_equal_reward') === true);
  return [
    step === null ? '' : String(step),
    String(groups.length),
    String(groups.filter(isRejected).length),
    String(rows.length),
    shown(rows.reduce((sum, row) => sum + (share(row) ?? 0), 0)),
    of((reward) => reward > 0),
    of((reward) => reward <= 0),
    String(rows.filter((row) => share(row) === null).length),
  ];
}

const shown = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1));
