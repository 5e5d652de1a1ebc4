/** The one virtual list below tables, texts, outline and token list, in a container of 100 px with rows of 10 px. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useVirtualRows } from '../../renderer/ui/useVirtualRows.ts';

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(100);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      private readonly report: () => void;
      constructor(report: () => void) {
        this.report = report;
      }
      observe(): void {
        this.report();
      }
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function List({
  headHeight = 0,
  isThere = true,
}: {
  readonly headHeight?: number;
  readonly isThere?: boolean;
}) {
  const list = useVirtualRows({ count: 1_000, rowHeight: 10, overscan: 2, headHeight, isThere });
  return (
    <>
      {isThere && <div ref={list.scroller} data-testid="list" onScroll={list.onScroll} />}
      <p data-testid="shown">{`${list.shown.first} to ${list.shown.end} of ${list.space.spacer} px`}</p>
      <button type="button" onClick={() => list.show(50)}>
        Show 50
      </button>
    </>
  );
}

const shown = () => screen.getByTestId('shown').textContent;

describe('a virtual list', () => {
  it('renders the rows in sight and the overscan', () => {
    render(<List />);
    expect(shown()).toBe('0 to 12 of 10000 px');
    const list = screen.getByTestId('list');
    list.scrollTop = 200;
    fireEvent.scroll(list);
    expect(shown()).toBe('18 to 32 of 10000 px');
  });

  it('leaves out what a head covers', () => {
    render(<List headHeight={30} />);
    expect(shown()).toBe('0 to 9 of 10000 px');
  });

  it('scrolls as little as possible to show a row', () => {
    render(<List />);
    fireEvent.click(screen.getByText('Show 50'));
    expect(screen.getByTestId('list').scrollTop).toBe(410);
  });

  it('measures a container that is rendered later', () => {
    const { rerender } = render(<List isThere={false} />);
    expect(shown()).toBe('0 to 62 of 10000 px');
    rerender(<List />);
    expect(shown()).toBe('0 to 12 of 10000 px');
  });
});
