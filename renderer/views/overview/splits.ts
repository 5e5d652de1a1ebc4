/** Ways to split the charts of one run. Each class of rollouts is a line, which shows changes of the mix. */

import type { SeriesName } from '../../../shared/api/contract.ts';
import { valueText } from '../../../shared/domain/filter/complete.ts';
import { STOP_REASONS } from '../../../shared/domain/model.ts';

export const SPLITS = ['tools', 'correct', 'stop', 'rerun', 'label', 'filter'] as const;
export type SplitName = (typeof SPLITS)[number];

export const SPLIT_LABELS: Readonly<Record<SplitName, string>> = {
  tools: 'Tool use',
  correct: 'Correctness',
  stop: 'Stop reason',
  rerun: 'Calls run again',
  label: 'Label',
  filter: 'The filter',
};

/** Series that a split determines: a chart of them would only show 0 % and 100 %. */
export const DECIDED_BY: Readonly<Record<SplitName, readonly SeriesName[]>> = {
  tools: ['noToolShare'],
  correct: [
    'passRate',
    'toolErrorRateCorrect',
    'correctWithErrorShare',
    'keptShareCorrect',
    'keptShareWrong',
  ],
  stop: ['truncatedShare'],
  rerun: [],
  label: [],
  filter: [],
};

/** A class of rollouts and the filter that selects it. Label classes may overlap. */
export interface SplitClass {
  readonly name: string;
  readonly condition: string;
}

/** Limited by the number of line colours. */
const MOST_CLASSES = 6;

interface SplitSource {
  /** Labels of the taxonomy. */
  readonly labels: readonly { readonly id: string; readonly name: string }[];
  /** Filter that the charts are split by. */
  readonly filter: string;
}

export function classesOf(split: SplitName, { labels, filter }: SplitSource): readonly SplitClass[] {
  switch (split) {
    case 'tools':
      return [
        { name: 'with tool calls', condition: 'tool_calls:>0' },
        { name: 'malformed calls only', condition: 'tool_calls:0 malformed_calls:>0' },
        { name: 'no call at all', condition: 'tool_calls:0 malformed_calls:0' },
      ];
    case 'correct':
      return [
        { name: 'correct', condition: 'is_correct:true' },
        { name: 'incorrect', condition: 'is_correct:false' },
      ];
    case 'stop':
      return STOP_REASONS.map((reason) => ({ name: reason, condition: `stop_reason:${reason}` }));
    case 'rerun':
      return [
        { name: 'some call printed something else', condition: 'rerun:different' },
        { name: 'same output', condition: '(rerun:same or rerun:noise) not rerun:different' },
        {
          name: 'no call could be run',
          condition: 'rerun:not_run not rerun:different not rerun:same not rerun:noise',
        },
        { name: 'not run again', condition: 'rerun:none' },
      ];
    case 'label':
      return [
        { name: 'no label', condition: 'label:none' },
        ...labels
          .slice(0, MOST_CLASSES - 1)
          .map(({ id, name }) => ({ name, condition: `label:${valueText(id)}` })),
      ];
    case 'filter':
      return filter === ''
        ? []
        : [
            { name: filter, condition: filter },
            { name: 'all others', condition: `not (${filter})` },
          ];
  }
}
