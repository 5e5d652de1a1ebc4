import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Width of an element in CSS pixels; `initial` until it has been laid out. */
export function useWidth<E extends Element>(initial: number): readonly [RefObject<E | null>, number] {
  const [ref, { width }] = useSize<E>({ width: initial, height: 0 });
  return [ref, width];
}

/** Size of an element in CSS pixels; `initial` until it has been laid out. */
export function useSize<E extends Element>(initial: Size): readonly [RefObject<E | null>, Size] {
  const ref = useRef<E>(null);
  const [size, setSize] = useState(initial);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined || entry.contentRect.width <= 0) return;
      const { width, height } = entry.contentRect;
      setSize((now) => (now.width === width && now.height === height ? now : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}
