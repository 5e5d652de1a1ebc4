/** Paints the visible part of a schedule. */

import type { CountOverTime, StepSchedule } from '../../../shared/api/contract.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { decimal } from '../../ui/numbers.ts';
import {
  AXIS,
  clock,
  GUTTER,
  HEAD,
  type Layout,
  lastUpTo,
  plotWidth,
  type Span,
  timeTicks,
} from './scheduleModel.ts';

export interface SchedulePicture {
  readonly schedule: StepSchedule;
  readonly layout: Layout;
  readonly span: Span;
  readonly size: { readonly width: number; readonly height: number };
  /** px scrolled down. */
  readonly top: number;
  /** The current bar. */
  readonly cursor: number | undefined;
  /** The span that is being brushed, in seconds. */
  readonly brush: Span | undefined;
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly ink: (token: string) => string;
  readonly x: (seconds: number) => number;
}

/** @param scale pixels per CSS pixel; the canvas need not be on the page */
export function paintSchedule(
  canvas: HTMLCanvasElement,
  picture: SchedulePicture,
  scale = window.devicePixelRatio,
): void {
  const { size, span } = picture;
  const [width, height] = [Math.round(size.width * scale), Math.round(size.height * scale)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(document.documentElement);
  const known = new Map<string, string>();
  const ink = (token: string): string => {
    const value = known.get(token) ?? style.getPropertyValue(token).trim();
    known.set(token, value);
    return value;
  };
  const perSecond = plotWidth(size.width) / (span.to - span.from);
  const pen: Pen = { context, ink, x: (seconds) => GUTTER + (seconds - span.from) * perSecond };
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.textBaseline = 'middle';
  context.fillStyle = ink('--rule');
  for (const tick of timeTicks(span, size.width).at)
    context.fillRect(Math.round(pen.x(tick)), AXIS, 1, size.height - AXIS);
  clipped(context, [GUTTER, HEAD, plotWidth(size.width), size.height - HEAD], () => {
    paintLanes(pen, picture);
    paintCaches(pen, picture);
  });
  clipped(context, [0, HEAD, GUTTER, size.height - HEAD], () => paintNames(pen, picture));
  paintHead(pen, picture);
  paintMarks(pen, picture);
}

function clipped(
  context: CanvasRenderingContext2D,
  [x, y, width, height]: readonly [number, number, number, number],
  paint: () => void,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  paint();
  context.restore();
}

/** Colour and height show whether a rollout is correct, incorrect or unknown. */
const LOOKS: readonly (readonly [correct: number, token: string, share: number, matches: number])[] = [
  0, 1,
].flatMap((matches) => [
  [-1, '--dropped', 0.8, matches] as const,
  [0, '--wrong', 0.55, matches] as const,
  [1, '--right', 1, matches] as const,
]);
/** Opacity of bars that do not match the filter. They are drawn because their time was not idle. */
const FAINT = 0.22;

function paintLanes(pen: Pen, { schedule, layout, span, size, top, cursor }: SchedulePicture): void {
  const { context, ink, x } = pen;
  const { bars } = schedule;
  const { rowHeight } = layout;
  const gap = rowHeight > 4 ? 1 : 0;
  const tall = rowHeight - gap;
  const [right, idle, paper] = [size.width, ink('--hover'), ink('--paper')];
  for (const lane of layout.lanes) {
    const y = HEAD + lane.top - top;
    if (y > size.height || y + lane.height < HEAD) continue;
    context.fillStyle = idle;
    context.fillRect(x(0), y, x(schedule.facts?.wallSeconds ?? 0) - x(0), lane.height);
    context.fillStyle = paper;
    for (let i = 0; i < lane.busy.length; i += 2) {
      const from = x(lane.busy[i] ?? 0);
      context.fillRect(from, y, x(lane.busy[i + 1] ?? 0) - from, lane.height);
    }
    for (const [correct, token, share, matches] of LOOKS) {
      context.fillStyle = ink(token);
      context.globalAlpha = matches === 1 ? 1 : FAINT;
      const high = Math.max(1, tall * share);
      for (let i = lane.first; i < lane.end; i++) {
        if (bars.matches[i] !== matches || bars.isCorrect[i] !== correct) continue;
        if ((bars.end[i] ?? 0) < span.from || (bars.start[i] ?? 0) > span.to) continue;
        const rowTop = y + (bars.row[i] ?? 0) * rowHeight;
        if (rowTop > size.height || rowTop + rowHeight < HEAD) continue;
        const from = Math.max(GUTTER - 2, x(bars.start[i] ?? 0));
        const to = Math.min(right, x(bars.end[i] ?? 0));
        context.fillRect(from, rowTop + tall - high, Math.max(1, to - from - (to - from > 3 ? 1 : 0)), high);
      }
    }
    context.globalAlpha = 1;
  }
  if (rowHeight >= 3) paintWaits(pen, { schedule, layout, span, size, top, cursor, brush: undefined }, tall);
  context.fillStyle = ink('--h5');
  eachVisible(layout, { size, top }, (lane, y) => {
    for (let i = lane.first; i < lane.end; i++) {
      if (bars.straggler[i] !== 1 || bars.matches[i] !== 1) continue;
      const end = x(bars.end[i] ?? 0);
      context.fillRect(end - 2, y + (bars.row[i] ?? 0) * rowHeight - 1, 3, tall + 2);
    }
  });
  if (cursor === undefined) return;
  eachVisible(layout, { size, top }, (lane, y) => {
    if (cursor < lane.first || cursor >= lane.end) return;
    context.strokeStyle = ink('--accent');
    context.lineWidth = 2;
    const from = x(bars.start[cursor] ?? 0);
    context.strokeRect(
      from - 1,
      y + (bars.row[cursor] ?? 0) * rowHeight - 1,
      Math.max(3, x(bars.end[cursor] ?? 0) - from) + 2,
      tall + 2,
    );
    context.lineWidth = 1;
  });
}

function eachVisible(
  { lanes }: Layout,
  { size, top }: Pick<SchedulePicture, 'size' | 'top'>,
  visit: (lane: Layout['lanes'][number], y: number) => void,
): void {
  for (const lane of lanes) {
    const y = HEAD + lane.top - top;
    if (y <= size.height && y + lane.height >= HEAD) visit(lane, y);
  }
}

/** Cut out of the bar if their times are known. Otherwise shown as a share at its bottom. */
function paintWaits({ context, ink, x }: Pen, picture: SchedulePicture, tall: number): void {
  const { schedule, layout, span, size, top } = picture;
  const { bars, waits } = schedule;
  const { rowHeight } = layout;
  const laneTop = new Float32Array(layout.lanes.map(({ top: at }) => HEAD + at - top));
  const rowTop = (bar: number): number =>
    (laneTop[bars.lane[bar] ?? 0] ?? 0) + (bars.row[bar] ?? 0) * rowHeight;
  context.fillStyle = ink('--paper');
  context.globalAlpha = 0.72;
  for (let i = 0; i < waits.bar.length; i++) {
    if (bars.matches[waits.bar[i] ?? 0] !== 1) continue;
    if ((waits.end[i] ?? 0) < span.from || (waits.start[i] ?? 0) > span.to) continue;
    const y = rowTop(waits.bar[i] ?? 0);
    if (y > size.height || y + rowHeight < HEAD) continue;
    const from = x(waits.start[i] ?? 0);
    const wide = x(waits.end[i] ?? 0) - from;
    if (wide >= 0.4) context.fillRect(from, y, Math.max(1, wide), tall);
  }
  const foot = Math.max(1, Math.round(tall * 0.28));
  for (let i = 0; i < bars.waitSeconds.length; i++) {
    const seconds = bars.matches[i] === 1 ? (bars.waitSeconds[i] ?? Number.NaN) : Number.NaN;
    if (!(seconds > 0) || (bars.end[i] ?? 0) < span.from || (bars.start[i] ?? 0) > span.to) continue;
    const y = rowTop(i);
    if (y > size.height || y + rowHeight < HEAD) continue;
    const from = x(bars.start[i] ?? 0);
    const to = Math.min(x(bars.end[i] ?? 0), x((bars.start[i] ?? 0) + seconds));
    context.fillRect(from, y + tall - foot, to - from, foot);
  }
  context.globalAlpha = 1;
}

function paintCaches({ context, ink, x }: Pen, { layout, span, size, top }: SchedulePicture): void {
  for (const { top: at, height, line } of layout.caches) {
    const y = HEAD + at - top;
    if (y > size.height || y + height < HEAD) continue;
    context.strokeStyle = ink('--rule');
    context.beginPath();
    context.moveTo(GUTTER, y + height - 0.5);
    context.lineTo(size.width, y + height - 0.5);
    context.stroke();
    context.strokeStyle = ink('--kept');
    context.beginPath();
    const first = Math.max(0, lastUpTo(line.at, span.from));
    for (let i = first; i < line.at.length; i++) {
      context.lineTo(x(line.at[i] ?? 0), y + height - 1 - (line.share[i] ?? 0) * (height - 2));
      if ((line.at[i] ?? 0) > span.to) break;
    }
    context.stroke();
  }
}

function paintNames({ context, ink }: Pen, { layout, size, top, cursor }: SchedulePicture): void {
  const font = ink('--font-ui');
  let free = 0;
  eachVisible(layout, { size, top }, (lane, y) => {
    // In the middle of the lane's visible part.
    const at = (Math.max(y, HEAD) + Math.min(y + lane.height, size.height)) / 2;
    if (at < free) return;
    free = at + 12;
    const isHere = cursor !== undefined && cursor >= lane.first && cursor < lane.end;
    const share = shareOf(lane);
    context.font = `11px ${font}`;
    context.fillStyle = ink('--ink3');
    context.textAlign = 'right';
    context.fillText(share, GUTTER - 10, at);
    const room = GUTTER - 34 - context.measureText(share).width;
    context.font = `11.5px ${font}`;
    context.fillStyle = ink(isHere ? '--ink' : '--ink2');
    context.textAlign = 'left';
    context.fillText(fittedText(context, lane.name, room), 18, at);
  });
  context.font = `11px ${font}`;
  context.fillStyle = ink('--kept');
  context.textAlign = 'right';
  for (const { top: at, height, line } of layout.caches) {
    const y = HEAD + at - top + height / 2;
    if (y < HEAD || y > size.height) continue;
    context.fillText(
      line.gpu === undefined ? 'KV cache' : `KV cache, GPU ${plainLogText(line.gpu)}`,
      GUTTER - 10,
      y,
    );
  }
}

function shareOf({ busyShare, first, end }: Layout['lanes'][number]): string {
  if (busyShare !== undefined) return `${Math.round(busyShare * 100)} % busy`;
  return first === end ? 'nothing to do' : '';
}

/** Cut at the end with an ellipsis. The readout below shows the whole name. */
function fittedText(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let end = Math.min(text.length, 40);
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}

function paintHead({ context, ink, x }: Pen, { schedule, span, size }: SchedulePicture): void {
  const font = ink('--font-ui');
  const [top, floor] = [AXIS + 8, HEAD - 8];
  const { facts, inFlight, callsInFlight } = schedule;
  const peak = Math.max(1, facts?.peakRollouts ?? 0, facts?.peakCalls ?? 0);
  const y = (count: number): number => floor - (count / peak) * (floor - top);
  context.font = `11px ${font}`;
  context.textAlign = 'center';
  const { at, digits } = timeTicks(span, size.width);
  for (const tick of at) {
    context.fillStyle = ink('--ink3');
    context.fillText(clock(tick, digits), Math.max(GUTTER + 12, x(tick)), AXIS / 2);
  }
  clipped(context, [GUTTER, 0, plotWidth(size.width), HEAD], () => {
    const area = countPath(inFlight, { span, width: plotWidth(size.width), x, y });
    area.lineTo(x(span.to), floor);
    area.lineTo(x(span.from), floor);
    context.fillStyle = ink('--accent-soft');
    context.fill(area);
    context.strokeStyle = ink('--accent');
    context.stroke(countPath(inFlight, { span, width: plotWidth(size.width), x, y }));
    if (callsInFlight === undefined) return;
    context.strokeStyle = ink('--kept');
    context.stroke(countPath(callsInFlight, { span, width: plotWidth(size.width), x, y }));
  });
  context.textAlign = 'right';
  context.fillStyle = ink('--ink3');
  context.fillText(String(peak), GUTTER - 10, top);
  context.fillText('0', GUTTER - 10, floor - 2);
  context.textAlign = 'left';
  context.fillStyle = ink('--accent');
  context.fillText('rollouts in flight', 18, top + 14);
  context.fillStyle = ink('--kept');
  if (callsInFlight !== undefined) context.fillText('tool calls in flight', 18, top + 30);
  else if (facts?.meanCalls !== undefined)
    context.fillText(
      `≈ ${decimal(facts.meanCalls, facts.meanCalls < 10 ? 2 : 1)} calls (estimate)`,
      18,
      top + 30,
    );
  context.fillStyle = ink('--rule2');
  context.fillRect(0, HEAD - 1, size.width, 1);
}

interface CountPlace {
  readonly span: Span;
  readonly width: number;
  readonly x: (seconds: number) => number;
  readonly y: (count: number) => number;
}

/** If several changes share a pixel, draws the highest count, so that no peak is lost. */
function countPath({ at, counts }: CountOverTime, { span, width, x, y }: CountPlace): Path2D {
  const path = new Path2D();
  const perPixel = (span.to - span.from) / width;
  let i = lastUpTo(at, span.from);
  let before = counts[i] ?? 0;
  path.moveTo(x(span.from), y(before));
  for (let pixel = 1; pixel <= width; pixel++) {
    const until = span.from + pixel * perPixel;
    if ((at[i + 1] ?? Number.POSITIVE_INFINITY) > until) continue;
    let most = 0;
    while ((at[i + 1] ?? Number.POSITIVE_INFINITY) <= until) {
      i++;
      most = Math.max(most, counts[i] ?? 0);
    }
    const px = GUTTER + pixel;
    path.lineTo(px - 1, y(before));
    path.lineTo(px, y(most));
    before = counts[i] ?? 0;
    path.lineTo(px, y(before));
  }
  path.lineTo(x(span.to), y(before));
  return path;
}

function paintMarks({ context, ink, x }: Pen, { schedule, span, size, brush }: SchedulePicture): void {
  const { tailFrom } = schedule;
  if (tailFrom !== undefined && tailFrom > span.from && tailFrom < span.to) {
    context.strokeStyle = ink('--ink3');
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(Math.round(x(tailFrom)) + 0.5, AXIS);
    context.lineTo(Math.round(x(tailFrom)) + 0.5, size.height);
    context.stroke();
    context.setLineDash([]);
    const isLate = x(tailFrom) > size.width - 110;
    context.font = `11px ${ink('--font-ui')}`;
    context.fillStyle = ink('--ink2');
    context.textAlign = isLate ? 'right' : 'left';
    context.fillText('90 % had ended', x(tailFrom) + (isLate ? -5 : 5), AXIS + 8);
  }
  if (brush === undefined) return;
  context.fillStyle = ink('--accent');
  context.globalAlpha = 0.16;
  context.fillRect(x(brush.from), AXIS, x(brush.to) - x(brush.from), size.height - AXIS);
  context.globalAlpha = 1;
}
