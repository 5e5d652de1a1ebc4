import { type RefObject, type UIEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';
import {
  type CssPixels,
  type RowSpace,
  rowSpace,
  scrollTopShowing,
  type VisibleRows,
  visibleRows,
} from './virtualRows.ts';

interface VirtualRowsOptions {
  readonly count: number;
  readonly rowHeight: CssPixels;
  /** Rows rendered above and below the visible ones. */
  readonly overscan: number;
  /** Height of a sticky head at the top of the container. */
  readonly headHeight?: CssPixels;
  /** Initial scroll position; read once. */
  readonly initialTop?: CssPixels;
  /** False while the container is not rendered. */
  readonly isThere?: boolean;
}

export interface VirtualRows<Container extends HTMLElement> {
  readonly scroller: RefObject<Container | null>;
  readonly onScroll: (event: UIEvent<Container>) => void;
  readonly scrollTop: CssPixels;
  readonly viewport: CssPixels;
  readonly space: RowSpace;
  readonly shown: VisibleRows;
  /** Scrolls to a row, as little as possible. */
  readonly show: (index: number) => void;
}

/** The scroll container of a list of any length with a fixed row height. Renders only the visible rows. */
export function useVirtualRows<Container extends HTMLElement = HTMLDivElement>({
  count,
  rowHeight,
  overscan,
  headHeight = 0,
  initialTop = 0,
  isThere = true,
}: VirtualRowsOptions): VirtualRows<Container> {
  const scroller = useRef<Container>(null);
  const [scrollTop, setScrollTop] = useState(initialTop);
  const [viewport, setViewport] = useState<CssPixels>(600);
  const heightOf = useCallback(
    (element: Container): CssPixels => Math.max(rowHeight, element.clientHeight - headHeight),
    [rowHeight, headHeight],
  );
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!isThere || element === null) return;
    const observer = new ResizeObserver(() => setViewport(heightOf(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isThere, heightOf]);
  const space = rowSpace(count, rowHeight, viewport);
  return {
    scroller,
    onScroll: useCallback((event: UIEvent<Container>) => setScrollTop(event.currentTarget.scrollTop), []),
    scrollTop,
    viewport,
    space,
    shown: visibleRows(space, scrollTop, overscan),
    show: (index) => {
      const element = scroller.current;
      if (element === null) return;
      // Measure now, since the observer may not have reported yet.
      const present = { ...space, viewport: heightOf(element) };
      element.scrollTop = scrollTopShowing(present, element.scrollTop, index);
    },
  };
}
