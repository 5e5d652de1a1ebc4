/** A chart can be read as a table, and by the value of its slider. */
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PanelChart } from '../../renderer/charts/PanelChart.tsx';
import type { PanelLine } from '../../renderer/charts/panelModel.ts';
import { ValueChart } from '../../renderer/charts/ValueChart.tsx';
import { MapTable } from '../../renderer/views/problems/MapTable.tsx';
import { mapRows } from '../../renderer/views/problems/mapModel.ts';

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const nothing = (): void => undefined;
const asPercent = (value: number): string => `${Math.round(value * 100)}%`;

function tableText(name: string): string[][] {
  const table = within(screen.getByRole('region', { name })).getByRole('table');
  return within(table)
    .getAllByRole('row')
    .map((row) => [...row.children].map((cell) => cell.textContent));
}

describe('PanelChart', () => {
  const line = (name: string, values: readonly (number | undefined)[]): PanelLine => ({
    ...{ key: name, name, color: 'blue', stroke: 'solid', role: 'main', steps: [0, 50], values },
    onOpen: nothing,
    opens: (step) => `the ${name} rollouts of step ${step}`,
  });
  const chart = {
    title: 'Kept',
    unit: 'of rollouts',
    describe: 'Kept rollouts',
    axis: [0, 50],
    lines: [line('correct', [0.5, undefined]), line('incorrect', [0.25, 0.75])],
    format: asPercent,
    step: undefined,
    onStep: nothing,
    range: undefined,
    onRange: nothing,
  };

  it('shows its numbers as a table in the place of the drawing', () => {
    render(<PanelChart {...chart} isTable />);
    expect(screen.queryByRole('slider')).toBeNull();
    expect(tableText('Kept, numbers')).toEqual([
      ['step', 'correct', 'incorrect'],
      ['0', '50%', '25%'],
      ['50', '', '75%'],
    ]);
  });

  it('announces the values of a step with its name, and what Enter opens', () => {
    render(<PanelChart {...chart} />);
    const slider = screen.getByRole('slider', { name: 'Kept by step' });
    expect(slider.getAttribute('aria-valuetext')).toBe(
      'step 50: incorrect 75%; Enter opens the incorrect rollouts of step 50',
    );
  });
});

describe('ValueChart', () => {
  const chart = (isTable: boolean) => (
    <ValueChart
      isTable={isTable}
      title="pass@k"
      xs={[1, 2]}
      xLabel="k samples"
      series={[{ name: 'pass', values: [0.5, 0.75], color: 'blue' }]}
      format={asPercent}
      reading={(index) => `${index + 1} of 2 read`}
      rest="pass@k"
    />
  );

  it('shows what it says of each place as a table', () => {
    render(chart(true));
    expect(tableText('pass@k, numbers')).toEqual([
      ['k samples', 'values'],
      ['1', '1 of 2 read'],
      ['2', '2 of 2 read'],
    ]);
  });

  it('announces the values of a place', () => {
    render(chart(false));
    expect(screen.getByRole('slider').getAttribute('aria-valuetext')).toBe('2 k samples: pass 75%');
  });
});

describe('MapTable', () => {
  it('has a row for each problem and step with matching rollouts, and opens its group', () => {
    const onOpen = vi.fn();
    const column = (...values: readonly number[]) => Uint32Array.from(values);
    const rows = mapRows({
      steps: [0, 50],
      problems: [
        { problemId: 'sums', question: '' },
        { problemId: 'primes', question: '' },
      ],
      cells: {
        ...{ problem: column(0, 1, 1), step: column(0, 0, 1), groupId: column(1, 2, 3) },
        ...{ groups: column(1, 1, 1), rollouts: column(4, 4, 0), known: column(4, 0, 0) },
        ...{ correct: column(1, 0, 0), answers: column(2, 0, 0) },
      },
    });
    render(<MapTable rows={rows} steps={['0', '50']} sort="order" onOpen={onOpen} />);
    const lines = screen.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent));
    expect(lines).toEqual([
      ['problem', 'step', 'correct %', 'correct', 'judged', 'rollouts', 'answers'],
      ['sums', '0', '25.0', '1', '4', '4', '2'],
      ['primes', '0', '', '', '0', '4', ''],
    ]);
    fireEvent.click(screen.getByText('primes'));
    expect(onOpen).toHaveBeenCalledWith({ row: 1, step: 0 });
  });

  it('has a row for each regressed problem, with both steps and their correct rollouts', () => {
    const column = (...values: readonly number[]) => Uint32Array.from(values);
    const rows = mapRows({
      steps: [0, 50],
      problems: [{ problemId: 'sums', question: '' }],
      cells: {
        ...{ problem: column(0, 0), step: column(0, 1), groupId: column(1, 2), groups: column(1, 1) },
        ...{ rollouts: column(4, 4), known: column(4, 4), correct: column(3, 1), answers: column(0, 0) },
      },
    });
    render(<MapTable rows={rows} steps={['0', '50']} sort="regressed" onOpen={() => undefined} />);
    const lines = screen.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent));
    expect(lines).toEqual([
      ['problem', 'best step', 'correct there', 'last step', 'correct there', 'fall, points'],
      ['sums', '0', '3 of 4', '50', '1 of 4', '50.0'],
    ]);
  });
});
