import { useLayoutEffect, useRef, useState } from 'react';
import { useTakenFocus } from './useTakenFocus.ts';
import { type CssPixels, rowSpace, scrollTopShowing, visibleRows } from './virtualRows.ts';

const HEAD_HEIGHT: CssPixels = 30;
const OVERSCAN = 4;

/** The scroll container of a table. @param leftAt where the list was left; read once */
export function useRowScroll(count: number, rowHeight: CssPixels, leftAt: CssPixels) {
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(leftAt);
  const [viewport, setViewport] = useState<CssPixels>(600);
  const space = rowSpace(count, rowHeight, viewport);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setViewport(Math.max(rowHeight, element.clientHeight - HEAD_HEIGHT)),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight]);

  useTakenFocus(scroller);

  // The place where the list was left can only be restored once there are rows to scroll over.
  const restoreTo = useRef(leftAt);
  useLayoutEffect(() => {
    if (count === 0 || restoreTo.current === 0 || scroller.current === null) return;
    scroller.current.scrollTop = restoreTo.current;
    restoreTo.current = 0;
  }, [count]);

  // With another density the same rows stay in sight.
  const formerHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    if (scroller.current !== null && formerHeight.current !== rowHeight)
      scroller.current.scrollTop *= rowHeight / formerHeight.current;
    formerHeight.current = rowHeight;
  }, [rowHeight]);

  return {
    scroller,
    scrollTop,
    setScrollTop,
    viewport,
    space,
    shown: visibleRows(space, scrollTop, OVERSCAN),
    show: (index: number) => {
      const element = scroller.current;
      if (element !== null) element.scrollTop = scrollTopShowing(space, element.scrollTop, index);
    },
  };
}
