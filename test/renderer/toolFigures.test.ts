import { describe, expect, it } from 'vitest';
import { toolFigures } from '../../renderer/views/overview/toolCharts.ts';
import type { StepFacts } from '../../shared/api/contract.ts';

const facts: StepFacts = {
  ...{ step: 0, rollouts: 10, groups: 2, outcomes: { ok: 15, error: 5 }, repeats: 2 },
  ...{ retries: { calls: 4, succeeded: 3 }, recovery: { rollouts: 0, correct: 0 } },
  values: { toolCalls: 20 },
};

describe('tool calls of a run without steps', () => {
  it('are the numbers of the charts, each with its unit and the filter for its rollouts', () => {
    const said = toolFigures(facts).flatMap(({ title, figures }) =>
      figures.map(({ name, value, filter }) => [title, name, value, filter]),
    );
    expect(said).toEqual([
      ['Outcomes of tool calls', 'no error', '75%', 'outcome:ok'],
      ['Outcomes of tool calls', 'error', '25%', 'outcome:error'],
      ['Tool calls', 'tool calls', '20', 'tool_calls:>0'],
      ['Next call after a failure', 'succeeds', '75%', 'tool_errors:>0 tool_calls:>1'],
      ['Repeated calls', 'repeated', '10%', 'repeats:>0'],
    ]);
  });

  it('are empty without calls', () => {
    expect(toolFigures({ ...facts, outcomes: {}, values: { toolCalls: 0 } })).toEqual([]);
  });
});
