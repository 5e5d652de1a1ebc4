import { type UIEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Height and scroll position of a container, for a virtual list in it. It may come and go: `isThere`. */
export function useScroller<Container extends HTMLElement = HTMLDivElement>(isThere: boolean) {
  const element = useRef<Container>(null);
  const [height, setHeight] = useState(400);
  const [scrollTop, setScrollTop] = useState(0);
  useLayoutEffect(() => {
    if (!isThere || element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setHeight(entry.contentRect.height);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isThere]);
  const onScroll = useCallback(
    (event: UIEvent<Container>) => setScrollTop(event.currentTarget.scrollTop),
    [],
  );
  return { element, height, scrollTop, onScroll };
}
