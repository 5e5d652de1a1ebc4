import { type ReactNode, useEffect, useRef, useState } from 'react';

interface WhenNearProps {
  /** Render at once: for what is certainly in sight. */
  readonly isNear: boolean;
  readonly waiting: ReactNode;
  readonly children: ReactNode;
}

/** Renders `children` once it comes within a screen or two of the window, and keeps it. */
export function WhenNear({ isNear, waiting, children }: WhenNearProps) {
  const element = useRef<HTMLDivElement>(null);
  const [hasBeenNear, setNear] = useState(isNear);
  useEffect(() => {
    if (hasBeenNear || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { rootMargin: '1200px 0px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [hasBeenNear]);
  return (
    <div ref={element} className="near-block">
      {hasBeenNear ? children : waiting}
    </div>
  );
}
