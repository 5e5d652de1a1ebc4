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
  /** Renders at once, for content that is certainly visible. */
  readonly isNear: boolean;
  readonly waiting: ReactNode;
  readonly children: ReactNode;
}

/** Renders `children` once it comes near the viewport. Far away it renders `waiting` at the same height. */
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

/** A screen or two, so that content is rendered before it is visible. */
const NEAR = '800px 0px';
/** Farther than `NEAR`, so that scrolling to and fro does not render the same text repeatedly. */
const FAR = '1400px 0px';

type Told = (entry: IntersectionObserverEntry) => void;

interface SharedObserver {
  readonly observer: IntersectionObserver;
  readonly told: Map<Element, Told>;
}

/** One observer per margin, shared by all elements: a long rollout has hundreds of them. */
const observers = new Map<string, SharedObserver>();

function observerOf(margin: string): SharedObserver {
  const known = observers.get(margin);
  if (known !== undefined) return known;
  const told = new Map<Element, Told>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) told.get(entry.target)?.(entry);
    },
    // The transcript scrolls, not the window, so only `scrollMargin` extends beyond its edge.
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
  /** Height of a far element, kept from when it was near, so that nothing jumps. */
  readonly height: number | undefined;
}

/**
 * Whether an element is near the viewport. Far elements are emptied, so that the DOM stays small for long rollouts.
 * Near elements are rendered before they are visible.
 * @param isNearAtFirst for content that is certainly visible: rendered at once
 */
export function useNear(element: RefObject<Element | null>, isNearAtFirst: boolean): Nearness {
  const [nearness, setNearness] = useState<Nearness>({ isNear: isNearAtFirst, height: undefined });
  const { isNear } = nearness;
  useEffect(() => {
    if (element.current === null) return;
    return observe(element.current, isNear ? FAR : NEAR, (entry) => {
      if (entry.isIntersecting === isNear) return;
      const height = isNear ? entry.boundingClientRect.height || undefined : undefined;
      // Fast scrolling brings many elements near at once, so their rendering yields to the next frame.
      startTransition(() => setNearness({ isNear: !isNear, height }));
    });
  }, [element, isNear]);
  return nearness;
}
