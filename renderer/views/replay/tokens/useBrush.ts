import { type PointerEvent, useState } from 'react';

interface BrushInput {
  /** Without tokens there is nothing to select: dragging seeks. */
  readonly isOn: boolean;
  readonly onSeek: (fraction: number) => void;
  readonly onBrush: (from: number, to: number) => void;
}

interface Drag {
  readonly start: number;
  readonly at: number;
  readonly isWide: boolean;
}

/** A hand is not steady: less than this is a click. */
const CLICK_PIXELS = 4;

function fractionAt(event: PointerEvent<HTMLElement>): number {
  const rect = event.currentTarget.getBoundingClientRect();
  return Math.max(0, Math.min(1, (event.clientX - rect.left) / rect.width));
}

/** Click to go there, drag to select. */
export function useBrush({ isOn, onSeek, onBrush }: BrushInput) {
  const [drag, setDrag] = useState<Drag>();
  return {
    /** While it is being dragged. */
    stretch:
      isOn && drag?.isWide === true
        ? { from: Math.min(drag.start, drag.at), to: Math.max(drag.start, drag.at) }
        : undefined,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const start = fractionAt(event);
        setDrag({ start, at: start, isWide: false });
        if (!isOn) onSeek(start);
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (drag === undefined) return;
        const at = fractionAt(event);
        const pixels = Math.abs(at - drag.start) * event.currentTarget.clientWidth;
        setDrag({ ...drag, at, isWide: drag.isWide || pixels > CLICK_PIXELS });
        if (!isOn) onSeek(at);
      },
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        if (drag !== undefined && isOn) {
          const at = fractionAt(event);
          if (drag.isWide) onBrush(drag.start, at);
          else onSeek(at);
        }
        setDrag(undefined);
      },
      onPointerCancel: () => setDrag(undefined),
    },
  };
}
