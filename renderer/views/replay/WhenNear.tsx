import { type CSSProperties, type ReactNode, useRef } from 'react';
import { useNear } from './useNear.ts';

interface WhenNearProps {
  /** Render at once: for what is certainly in sight. */
  readonly isNear: boolean;
  readonly waiting: ReactNode;
  readonly children: ReactNode;
}

/** Renders `children` once it comes near the window, and `waiting` again, as tall, when it is far away. */
export function WhenNear({ isNear: isNearAtFirst, waiting, children }: WhenNearProps) {
  const element = useRef<HTMLDivElement>(null);
  const { isNear, height } = useNear(element, isNearAtFirst);
  const kept: CSSProperties | undefined = height === undefined ? undefined : { height, overflow: 'hidden' };
  return (
    <div ref={element} className="near-block" style={kept}>
      {isNear ? children : waiting}
    </div>
  );
}
