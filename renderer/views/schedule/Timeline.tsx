/** The schedule on one canvas. Wheel, brush and keys zoom and pan; pointer and keys select a bar. */
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { StepSchedule } from '../../../shared/api/contract.ts';
import { useAutoFocus } from '../../ui/useAutoFocus.ts';
import { paintSchedule, type SchedulePicture } from './paintSchedule.ts';
import {
  barAt,
  fitted,
  GUTTER,
  HEAD,
  laneOfBar,
  layoutOf,
  panned,
  plotWidth,
  revealed,
  type Span,
  secondsAt,
  walked,
  wholeSpan,
  zoomed,
} from './scheduleModel.ts';

interface TimelineProps {
  readonly schedule: StepSchedule;
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
  /** The current bar. */
  readonly cursor: number | undefined;
  readonly onCursor: (bar: number | undefined) => void;
  readonly onOpen: (bar: number) => void;
  readonly reading: string;
  /** Receives the painted state, from which a picture can be exported. */
  readonly picture: RefObject<SchedulePicture | null>;
}

const DRAG = 4;
/** Factor per wheel notch or key press. */
const ZOOM = 1.25;
/** Share of the visible span. */
const STEP_ASIDE = 0.15;

export function Timeline(props: TimelineProps) {
  const { schedule, span, onSpan, cursor, onCursor, onOpen, reading, picture } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 900, height: 420 });
  const [top, setTop] = useState(0);
  const [brush, setBrush] = useState<{ readonly x: number; readonly from: number; readonly to: number }>();
  useAutoFocus(scroller);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(() => layoutOf(schedule, size.height - HEAD - 8), [schedule, size.height]);
  const whole = useMemo(() => wholeSpan(schedule), [schedule]);
  const brushed =
    brush === undefined
      ? undefined
      : { from: Math.min(brush.from, brush.to), to: Math.max(brush.from, brush.to) };

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const drawn = { schedule, layout, span, size, top, cursor, brush: brushed };
    picture.current = drawn;
    const paint = () => paintSchedule(element, drawn);
    paint();
    // The theme is an attribute of the page, and colours are read while painting.
    const observer = new MutationObserver(paint);
    observer.observe(document.documentElement, { attributes: true });
    return () => observer.disconnect();
  });

  useWheel(scroller, (event, x, y) => {
    const mayScroll = layout.height + HEAD > size.height && y > HEAD;
    const isAcross = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (isAcross) {
      const by = event.deltaX === 0 ? event.deltaY : event.deltaX;
      onSpan(panned(span, (by / plotWidth(size.width)) * (span.to - span.from), whole));
      return true;
    }
    if (mayScroll && !event.ctrlKey && !event.metaKey) return false;
    onSpan(zoomed(span, event.deltaY > 0 ? ZOOM : 1 / ZOOM, secondsAt(x, span, size.width), whole));
    return true;
  });

  const timeOf = (event: PointerEvent<HTMLElement>): number =>
    secondsAt(event.clientX - event.currentTarget.getBoundingClientRect().left, span, size.width);
  const barOf = (event: PointerEvent<HTMLElement>): number | undefined => {
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top - HEAD;
    const slack = (2 / plotWidth(size.width)) * (span.to - span.from);
    return y < 0 ? undefined : barAt(schedule, layout, { seconds: timeOf(event), y: y + top, slack });
  };
  const show = (bar: number) => {
    onCursor(bar);
    const { start, end, row } = schedule.bars;
    const next = revealed(span, start[bar] ?? 0, end[bar] ?? 0, whole);
    if (next !== span) onSpan(next);
    const lane = laneOfBar(layout, bar);
    const element = scroller.current;
    if (lane === undefined || element === null) return;
    const at = lane.top + (row[bar] ?? 0) * layout.rowHeight;
    const room = size.height - HEAD - layout.rowHeight - 8;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at > element.scrollTop + room) element.scrollTop = at - room;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const bars = schedule.bars.start.length;
    const { start, end, straggler, matches } = schedule.bars;
    // Under a filter, keys step through matching bars only.
    const isOn = (bar: number): boolean => schedule.matching === undefined || matches[bar] === 1;
    const middle = (span.from + span.to) / 2;
    const at = cursor === undefined ? middle : ((start[cursor] ?? 0) + (end[cursor] ?? 0)) / 2;
    const zoomAt = at >= span.from && at <= span.to ? at : middle;
    const aside = (span.to - span.from) * STEP_ASIDE;
    const walk = (by: number) => () => {
      const next = walked(bars, cursor, by, isOn);
      if (next !== undefined) show(next);
    };
    const nextStraggler = (by: 1 | -1) => () => {
      for (let i = (cursor ?? (by > 0 ? -1 : bars)) + by; i >= 0 && i < bars; i += by)
        if (straggler[i] === 1 && isOn(i)) return show(i);
    };
    const acts: Readonly<Record<string, () => void>> = {
      '+': () => onSpan(zoomed(span, 1 / ZOOM, zoomAt, whole)),
      '=': () => onSpan(zoomed(span, 1 / ZOOM, zoomAt, whole)),
      '-': () => onSpan(zoomed(span, ZOOM, zoomAt, whole)),
      '−': () => onSpan(zoomed(span, ZOOM, zoomAt, whole)),
      '0': () => onSpan(whole),
      ArrowLeft: () => onSpan(panned(span, -aside, whole)),
      ArrowRight: () => onSpan(panned(span, aside, whole)),
      ArrowDown: walk(1),
      j: walk(1),
      ArrowUp: walk(-1),
      k: walk(-1),
      Home: walk(-bars),
      End: walk(bars),
      n: nextStraggler(1),
      N: nextStraggler(-1),
    };
    const act = acts[event.key];
    if (act !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      act();
    } else if (event.key === 'Enter' && cursor !== undefined) {
      event.preventDefault();
      onOpen(cursor);
    }
  };
  return (
    <div
      ref={scroller}
      className="timeline"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: handles the arrow keys
      tabIndex={0}
      aria-label={`${schedule.bars.start.length} rollouts on ${layout.lanes.length} workers over time${schedule.matching === undefined ? '' : `, ${schedule.matching.placed} of them match`}. Up and down choose a rollout, left and right move in time, plus and minus zoom, 0 shows all, n the next straggler, Enter opens.`}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: Math.max(layout.height + HEAD, size.height - 1) }}>
        <canvas
          ref={canvas}
          style={{ width: size.width, height: size.height }}
          onPointerDown={(event) => {
            const at = timeOf(event);
            if (
              event.button !== 0 ||
              event.clientX - event.currentTarget.getBoundingClientRect().left < GUTTER
            )
              return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setBrush({ x: event.clientX, from: at, to: at });
          }}
          onPointerMove={(event) => {
            if (brush !== undefined && Math.abs(event.clientX - brush.x) > DRAG)
              setBrush({ ...brush, to: Math.max(span.from, Math.min(span.to, timeOf(event))) });
            else if (brush === undefined) {
              const bar = barOf(event);
              if (bar !== undefined && bar !== cursor) onCursor(bar);
            }
          }}
          onPointerUp={(event) => {
            if (brush === undefined) return;
            setBrush(undefined);
            const bar = barOf(event);
            if (brushed !== undefined && Math.abs(event.clientX - brush.x) > DRAG)
              onSpan(fitted(brushed, whole));
            else if (bar !== undefined) onOpen(bar);
          }}
          onPointerCancel={() => setBrush(undefined)}
        />
      </div>
      <p className="visually-hidden" role="status">
        {reading}
      </p>
    </div>
  );
}

/**
 * React's wheel listeners are passive, but zooming must prevent scrolling.
 * @param act returns whether it has handled the event
 */
function useWheel(
  ref: { readonly current: HTMLElement | null },
  act: (event: WheelEvent, x: number, y: number) => boolean,
): void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  const listen = useCallback((event: WheelEvent) => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (latest.current(event, event.clientX - left, event.clientY - top)) event.preventDefault();
  }, []);
  useEffect(() => {
    const element = ref.current;
    element?.addEventListener('wheel', listen, { passive: false });
    return () => element?.removeEventListener('wheel', listen);
  }, [ref, listen]);
}
