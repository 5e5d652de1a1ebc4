// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
/**
 * A virtual list whose rows have different heights.
 *
 * A row that was never rendered has an estimated height. When it is measured, the visible text must not jump: the
 * scroll position is kept relative to the row at the upper edge (the anchor) or, after a jump, to its target row.
 */
import {
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useAutoFocus } from '../../ui/useAutoFocus.ts';
import { type CssPixels, offsetsOf, rowAt, scrollTopFor, windowOf } from './measuredRows.ts';

export interface ListHandle {
  /** Scrolls as little as possible. `isSure`: always puts the row at the upper edge. */
  show(index: number, isSure?: boolean): void;
  page(pages: number): void;
}

interface MeasuredListProps<Row extends { readonly key: string }> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly estimate: (row: Row) => CssPixels;
  /** Called on every scroll for every row near the viewport, so memoize the result by row. */
  readonly render: (row: Row) => ReactNode;
  readonly current: number;
  /** Called with the row at the reading line when the user scrolls. */
  readonly onRead: (index: number) => void;
  /** Scrolls with the rows, above them. Sticky elements in it have the class `is-sticky`. */
  readonly head: ReactNode;
  readonly foot: ReactNode;
  readonly style: Readonly<Record<string, string>>;
  readonly handle: Ref<ListHandle>;
}

/** Rendered beyond either edge. Kept small because layout costs more than rendering. */
const OVERSCAN: CssPixels = 240;

/** User scrolling ends this long after the last wheel, touch or key event. */
const BY_HAND_MS = 400;
/** Runs in its own task, so that it does not delay the frame. */
const READ_MS = 80;
/** Distance of the reading line from the lower edge of the sticky head. */
const READING_LINE: CssPixels = 40;

interface Anchor {
  readonly key: string;
  /** From the row's upper edge down to the scroll position. */
  readonly below: CssPixels;
}

interface MeasuredRowProps {
  readonly rowKey: string;
  readonly isCurrent: boolean;
  readonly observer: ResizeObserver | undefined;
  readonly children: ReactNode;
}

function MeasuredRow({ rowKey, isCurrent, observer, children }: MeasuredRowProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const observed = element.current;
    if (observed === null || observer === undefined) return;
    observer.observe(observed);
    return () => observer.unobserve(observed);
  }, [observer]);
  return (
    <div ref={element} data-row={rowKey} className="measured-row" aria-current={isCurrent || undefined}>
      {children}
    </div>
  );
}

export function MeasuredList<Row extends { readonly key: string }>(props: MeasuredListProps<Row>) {
  const { rows, estimate, render } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, CssPixels>());
  const anchor = useRef<Anchor>(undefined);
  const target = useRef<string>(undefined);
  const byHandUntil = useRef(0);
  const reading = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [measured, remeasure] = useReducer((version: number) => version + 1, 0);
  const [view, setView] = useState({ top: 0, height: 900 });
  const [observer, setObserver] = useState<ResizeObserver>();
  useAutoFocus(scroller);

  const indexes = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `measured` changes when row heights change
  const offsets = useMemo(
    () =>
      offsetsOf(rows.length, (index) => {
        const row = rows[index];
        return row === undefined ? 0 : (heights.current.get(row.key) ?? estimate(row));
      }),
    [rows, estimate, measured],
  );
  const shown = windowOf(offsets, view, OVERSCAN);

  /** Top of the list inside the scroller, below the head. */
  const listTop = () => spacer.current?.offsetTop ?? 0;
  const covered = () => scroller.current?.querySelector<HTMLElement>('.is-sticky')?.offsetHeight ?? 0;
  const readView = () => {
    const element = scroller.current;
    if (element === null) return;
    const top = element.scrollTop - listTop();
    setView((former) =>
      former.top === top && former.height === element.clientHeight
        ? former
        : { top, height: element.clientHeight },
    );
  };
  const keepAnchor = () => {
    const top = (scroller.current?.scrollTop ?? 0) - listTop() + covered();
    const index = rowAt(offsets, top);
    const row = rows[index];
    anchor.current =
      top <= 0 || row === undefined ? undefined : { key: row.key, below: top - (offsets[index] ?? 0) };
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: `readView` reads refs only
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observed = new ResizeObserver((entries) => {
      let isNew = false;
      for (const { target: row, borderBoxSize } of entries) {
        const key = row instanceof HTMLElement ? row.dataset.row : undefined;
        const height = borderBoxSize[0]?.blockSize;
        if (key === undefined || height === undefined || height === 0) continue;
        if (Math.abs((heights.current.get(key) ?? -1) - height) < 0.5) continue;
        heights.current.set(key, height);
        isNew = true;
      }
      // Remeasure before the frame is painted, or the text would visibly jump.
      if (isNew) flushSync(remeasure);
    });
    setObserver(observed);
    const sizes = new ResizeObserver(() => flushSync(readView));
    sizes.observe(element);
    return () => {
      observed.disconnect();
      sizes.disconnect();
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: adjusts the scroll position only when heights or rows change
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const aim = target.current === undefined ? undefined : indexes.get(target.current);
    const held = anchor.current === undefined ? undefined : indexes.get(anchor.current.key);
    if (aim !== undefined) element.scrollTop = listTop() + (offsets[aim] ?? 0) - covered();
    else if (held !== undefined && anchor.current !== undefined)
      element.scrollTop = listTop() + (offsets[held] ?? 0) + anchor.current.below - covered();
    readView();
  }, [offsets]);

  const show = (index: number, isSure = false) => {
    const element = scroller.current;
    const row = rows[index];
    if (element === null || row === undefined) return;
    const place = { start: listTop() + (offsets[index] ?? 0), end: listTop() + (offsets[index + 1] ?? 0) };
    const at = { top: element.scrollTop, height: element.clientHeight, covered: covered() };
    // For the first row, scroll up to the head.
    const wanted = index === 0 ? 0 : isSure ? place.start - at.covered : scrollTopFor(place, at);
    if (wanted === undefined) return;
    target.current = index === 0 ? undefined : row.key;
    byHandUntil.current = 0;
    element.scrollTop = wanted;
    readView();
  };
  useImperativeHandle(props.handle, () => ({
    show,
    page: (pages) => {
      const element = scroller.current;
      if (element === null) return;
      letGo();
      element.scrollTop += pages * (element.clientHeight - covered() - 60);
    },
  }));
  const findReadRow = () => {
    reading.current = undefined;
    const element = scroller.current;
    if (element === null || rows.length === 0) return;
    const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
    const line = element.scrollTop - listTop() + covered() + READING_LINE;
    props.onRead(isAtEnd ? rows.length - 1 : rowAt(offsets, line));
  };
  const read = useRef(findReadRow);
  useLayoutEffect(() => {
    read.current = findReadRow;
  });
  useEffect(() => () => clearTimeout(reading.current), []);
  const byHand = () => {
    byHandUntil.current = performance.now() + BY_HAND_MS;
  };
  const letGo = () => {
    target.current = undefined;
    byHand();
  };

  return (
    <section
      ref={scroller}
      className="measured-list"
      aria-label={props.label}
      tabIndex={0}
      style={props.style}
      onScroll={() => {
        readView();
        keepAnchor();
        if (performance.now() > byHandUntil.current) return;
        byHand();
        reading.current ??= setTimeout(() => read.current(), READ_MS);
      }}
      onPointerMove={(event) => event.buttons > 0 && byHand()}
      onWheel={letGo}
      onPointerDown={letGo}
      onTouchStart={letGo}
    >
      {props.head}
      <div ref={spacer} className="measured-space" style={{ height: offsets[rows.length] }}>
        <div style={{ transform: `translateY(${offsets[shown.first]}px)` }}>
          {rows.slice(shown.first, shown.end).map((row, i) => (
            <MeasuredRow
              key={row.key}
              rowKey={row.key}
              isCurrent={shown.first + i === props.current}
              observer={observer}
            >
              {render(row)}
            </MeasuredRow>
          ))}
        </div>
      </div>
      {props.foot}
    </section>
  );
}
