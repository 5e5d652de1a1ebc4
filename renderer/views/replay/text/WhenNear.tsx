import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  startTransition,
  useEffect,
  useRef,
  useState,
} from 'react';

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

/** A screen or two: rendered before it is seen. */
const NEAR = '800px 0px';
/** Farther than that, so that scrolling to and fro does not render the same text again and again. */
const FAR = '1400px 0px';

type Told = (entry: IntersectionObserverEntry) => void;

interface SharedObserver {
  readonly observer: IntersectionObserver;
  readonly told: Map<Element, Told>;
}

/** One observer for all elements of a margin: a long rollout has hundreds of them. */
const observers = new Map<string, SharedObserver>();

function observerOf(margin: string): SharedObserver {
  const known = observers.get(margin);
  if (known !== undefined) return known;
  const told = new Map<Element, Told>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) told.get(entry.target)?.(entry);
    },
    // The transcript scrolls, not the window: only `scrollMargin` reaches beyond its edge.
    { rootMargin: margin, scrollMargin: margin },
  );
  const shared = { observer, told };
  observers.set(margin, shared);
  return shared;
}

function observe(element: Element, margin: string, onChange: Told): () => void {
  const { observer, told } = observerOf(margin);
  told.set(element, onChange);
  observer.observe(element);
  return () => {
    told.delete(element);
    observer.unobserve(element);
  };
}

interface Nearness {
  readonly isNear: boolean;
  /** Of what is far: the height it had when it was near, which it keeps, so that nothing jumps. */
  readonly height: number | undefined;
}

/**
 * Whether an element is near the window. Elements far away are emptied, so a long rollout has no more of them than a
 * short one. What is near is rendered before it is seen.
 * @param isNearAtFirst for what is certainly in sight: rendered at once
 */
export function useNear(element: RefObject<Element | null>, isNearAtFirst: boolean): Nearness {
  const [nearness, setNearness] = useState<Nearness>({ isNear: isNearAtFirst, height: undefined });
  const { isNear } = nearness;
  useEffect(() => {
    if (element.current === null) return;
    return observe(element.current, isNear ? FAR : NEAR, (entry) => {
      if (entry.isIntersecting === isNear) return;
      const height = isNear ? entry.boundingClientRect.height || undefined : undefined;
      // Much comes near at once when one scrolls fast: its rendering gives way to the next frame.
      startTransition(() => setNearness({ isNear: !isNear, height }));
    });
  }, [element, isNear]);
  return nearness;
}
