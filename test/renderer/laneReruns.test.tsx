import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Row } from '../../renderer/views/compare/Rows.tsx';
import { forksByRow, itemsOf } from '../../renderer/views/compare/rowModel.ts';
import { RerunsOf } from '../../renderer/widgets/rerun/Reruns.tsx';
import type { ParamsOf, PythonAnswer } from '../../shared/api/contract.ts';
import { drawCompared } from '../support/drawCompared.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const PRINTED: PythonAnswer = {
  ...{ kind: 'done', stdout: '1', stderr: '', milliseconds: 1, variables: [], isCut: false },
};

test('a call of a lane runs with the code of its own rollout, and its result is beneath it', async () => {
  const drawn = drawCompared(['C1 R1 C2 R2', 'C3 R3 C4 R4']);
  const lanes = drawn.lanes.map((lane) => {
    const toolCalls = lane.detail.toolCalls.map((call) => ({
      ...call,
      code: `print("${lane.letter}${call.callSegment}")`,
    }));
    return { ...lane, detail: { ...lane.detail, toolCalls } };
  });
  const compared = { ...drawn, lanes };
  const asked: ParamsOf<'python.run'>['cells'][] = [];
  const client = createFakeClient({
    'rerun.list': () => [],
    'host.info': () => {
      throw new Error('not asked');
    },
    'python.run': ({ cells }) => {
      asked.push(cells);
      return PRINTED;
    },
  });
  const { items } = itemsOf(compared, { equal: 'show', show: [], flipped: new Set() });
  const context = {
    ...{ compared, columns: [0, 1], on: 1, isUnified: false, isElided: false, forks: forksByRow(compared) },
    ...{ onSelect: () => {}, onGoTo: () => {}, onDiff: () => {} },
  };
  renderWithClient(
    client,
    <RerunsOf details={lanes.map(({ detail }) => detail)}>
      {items.map((item) => (
        <Row key={item.key} item={item} context={context} />
      ))}
    </RerunsOf>,
  );
  const codes = lanes.map(({ detail }) => detail.toolCalls.map(({ code }) => code));
  const buttons = await screen.findAllByRole('button', { name: 'Run' });
  expect(buttons).toHaveLength(4);
  for (const button of buttons) fireEvent.click(button);
  const results = await screen.findAllByRole('region', { name: /^Call [12] of [AB] run again$/ });
  expect(results).toHaveLength(4);
  expect(asked.map((cells) => cells.at(-1)?.code).sort()).toEqual(codes.flat().sort());
  const first = within(await screen.findByRole('region', { name: 'Call 1 of B run again' }));
  // The code as logged is above the result, so only edited code is shown in it.
  expect(first.queryByText('− code as logged, + code as run')).toBeNull();
  fireEvent.click(first.getByText('Edit'));
  fireEvent.change(first.getByLabelText('Code to run'), { target: { value: 'print(2)' } });
  fireEvent.click(first.getByText('Run (Ctrl Enter)'));
  const edited = (await first.findByText('− code as logged, + code as run')).parentElement;
  expect(edited?.textContent).toContain('print(2)');
  fireEvent.click(await first.findByText('Close'));
  expect(screen.getAllByRole('region', { name: /run again$/ })).toHaveLength(3);
});
