import { type CSSProperties, type ReactNode, startTransition, useEffect, useRef, useState } from 'react';

interface WhenNearProps {
  /** Render at once: for what is certainly in sight. */
  readonly isNear: boolean;
  readonly waiting: ReactNode;
  readonly children: ReactNode;
}

/** A screen or two: rendered before it is seen. */
const NEAR = '1200px 0px';
/** Far enough that scrolling to and fro does not render the same text again and again. */
const FAR = '5000px 0px';

/**
 * Renders `children` once it comes near the window, and lets go of them far away: a long rollout must not
 * gather elements as one scrolls through it. What was rendered keeps its height, so that nothing jumps.
 */
export function WhenNear({ isNear, waiting, children }: WhenNearProps) {
  const element = useRef<HTMLDivElement>(null);
  const [isRendered, setRendered] = useState(isNear);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (entry === undefined || entry.isIntersecting === isRendered) return;
        if (isRendered) setHeight(entry.boundingClientRect.height || undefined);
        // Many blocks come near at once when one scrolls fast: their rendering gives way to the next frame.
        startTransition(() => setRendered(!isRendered));
      },
      // The transcript scrolls, not the window: only `scrollMargin` reaches beyond its edge.
      isRendered ? { rootMargin: FAR, scrollMargin: FAR } : { rootMargin: NEAR, scrollMargin: NEAR },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isRendered]);
  const kept: CSSProperties | undefined =
    isRendered || height === undefined ? undefined : { height, overflow: 'hidden' };
  return (
    <div ref={element} className="near-block" style={kept}>
      {isRendered ? children : waiting}
    </div>
  );
}
