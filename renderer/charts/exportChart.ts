/**
 * A chart as a self-contained drawing: colours, strokes and fonts are written into it. It includes title and legend,
 * which are outside the SVG on the page.
 */
import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

const NS = 'http://www.w3.org/2000/svg';
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-weight',
  'text-anchor',
  'paint-order',
] as const;
/** Fallbacks for a reader without the page's font, which the file does not embed. */
const LETTERS = 'Inter, "Helvetica Neue", Arial, sans-serif';
/** Height of the axis label below the drawing. */
const X_LABEL = 16;

/**
 * @param svg as rendered on the page, in the page's theme
 * @returns the text of an SVG file
 */
export function standaloneSvg(svg: SVGSVGElement, caption: ChartCaption): string {
  const { width, height } = svg.getBoundingClientRect();
  const { drawn, body } = captioned({ width, height }, caption);
  for (const child of svg.children) {
    const copy = styledCopy(child);
    if (copy !== undefined) body.append(copy);
  }
  return fileOf(drawn);
}

/**
 * Like `standaloneSvg`, for a part of the page with HTML layout. Copies its drawings at their positions, and the
 * elements marked `data-drawn` as one line of text each.
 */
export function standalonePart(part: HTMLElement, caption: ChartCaption): string {
  const { left, top, width, height } = part.getBoundingClientRect();
  const { drawn, body } = captioned({ width, height }, caption);
  for (const svg of part.querySelectorAll('svg')) {
    const at = svg.getBoundingClientRect();
    const group = document.createElementNS(NS, 'g');
    group.setAttribute('transform', `translate(${at.left - left} ${at.top - top})`);
    for (const child of svg.children) {
      const copy = styledCopy(child);
      if (copy !== undefined) group.append(copy);
    }
    body.append(group);
  }
  for (const letters of part.querySelectorAll('[data-drawn]')) {
    const at = letters.getBoundingClientRect();
    const style = getComputedStyle(letters);
    const text = document.createElementNS(NS, 'text');
    setAll(text, {
      x: at.left - left,
      y: (at.top + at.bottom) / 2 - top,
      'dominant-baseline': 'central',
      fill: style.color,
      'font-size': style.fontSize,
      'font-weight': style.fontWeight,
    });
    text.textContent = letters.textContent;
    body.append(text);
  }
  return fileOf(drawn);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function setAll(element: Element, values: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, String(value));
}

/** An empty SVG with title and legend at the top, and space of the given size below them. */
function captioned({ width, height }: Size, caption: ChartCaption) {
  const page = getComputedStyle(document.documentElement);
  const colour = (value: string): string =>
    value.replace(/var\((--[\w-]+)\)/g, (_, name: string) => page.getPropertyValue(name).trim());
  const whole = Math.ceil(width + 2 * PAD);
  const layout = captionLayout(caption, whole, lettersMeasure());
  const foot = caption.xLabel === undefined ? PAD : X_LABEL + PAD;
  const size = { width: whole, height: Math.ceil(layout.height + height + foot) };
  const drawn = document.createElementNS(NS, 'svg');
  setAll(drawn, { xmlns: NS, ...size, viewBox: `0 0 ${size.width} ${size.height}`, 'font-family': LETTERS });
  const add = (name: string, values: Readonly<Record<string, string | number>>, text?: string): void => {
    const element = document.createElementNS(NS, name);
    setAll(element, values);
    if (text !== undefined) element.textContent = text;
    drawn.append(element);
  };
  const write = ({ text, x, y, size: letters, isBold }: PlacedText, fill: string): void =>
    add('text', { x, y, fill, 'font-size': letters, ...(isBold ? { 'font-weight': 600 } : {}) }, text);
  const [ink, faint] = [colour('var(--ink)'), colour('var(--ink3)')];
  // The full title, since the visible one may be shortened to the width.
  add('title', {}, caption.title);
  add('desc', {}, `${caption.subtitle} · ${caption.legend.map(({ name }) => name).join(', ')}`);
  add('rect', { width: '100%', height: '100%', fill: colour('var(--paper)') });
  write(layout.title, ink);
  for (const line of layout.subtitle) write(line, faint);
  for (const { entry, ...text } of layout.legend) {
    const [from, middle] = [text.x - SWATCH - 6, text.y - 4];
    const fill = colour(entry.color);
    if (entry.isArea)
      add('rect', { x: from + 8, y: middle - 5, width: 14, height: 9, fill, 'fill-opacity': 0.8 });
    else
      add('line', {
        ...{ x1: from, x2: from + SWATCH, y1: middle, y2: middle, stroke: fill, 'stroke-width': 2 },
        ...(entry.dash === undefined ? {} : { 'stroke-dasharray': entry.dash }),
      });
    write(text, ink);
  }
  if (caption.xLabel !== undefined)
    add(
      'text',
      { x: size.width / 2, y: size.height - PAD, fill: faint, 'font-size': 10.5, 'text-anchor': 'middle' },
      caption.xLabel,
    );
  const body = document.createElementNS(NS, 'g');
  body.setAttribute('transform', `translate(${PAD} ${layout.height})`);
  drawn.append(body);
  return { drawn, body, head: layout.height };
}

function fileOf(drawn: SVGSVGElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawn)}\n`;
}

/** The size that title and legend leave for the drawing. */
function drawingRoom(
  caption: ChartCaption,
  { width, height }: { readonly width: number; readonly height: number },
): { readonly width: number; readonly height: number } {
  const { height: head } = captionLayout(caption, width, lettersMeasure());
  const foot = caption.xLabel === undefined ? PAD : X_LABEL + PAD;
  return { width: width - 2 * PAD, height: Math.max(LEAST_DRAWING, height - head - foot) };
}

/** Many long names make the figure taller rather than the drawing too flat. */
const LEAST_DRAWING = 200;

/** Measures with the widest font a reader may have, so that no text leaves the figure. */
function lettersMeasure(): Measure {
  const context = document.createElement('canvas').getContext('2d');
  return (text, size, isBold = false) => {
    if (context === null) return text.length * size * 0.62;
    context.font = `${isBold ? 600 : 400} ${size}px ${LETTERS}`;
    const here = context.measureText(text).width;
    context.font = `${isBold ? 600 : 400} ${size}px sans-serif`;
    return Math.max(here, context.measureText(text).width);
  };
}

/** A copy with its computed styles. Leaves out interactive parts (hit areas, crosshair). */
function styledCopy(element: Element): Element | undefined {
  if (element.hasAttribute('data-transient')) return undefined;
  const copy = element.cloneNode(false) as Element;
  const style = getComputedStyle(element);
  copy.removeAttribute('class');
  copy.removeAttribute('style');
  for (const name of STYLES) copy.setAttribute(name, style.getPropertyValue(name));
  for (const child of element.childNodes) {
    if (child instanceof Element) {
      const inner = styledCopy(child);
      if (inner !== undefined) copy.append(inner);
    } else copy.append(child.cloneNode());
  }
  return copy;
}

/**
 * The SVG as a PNG.
 *
 * @param scale pixels per CSS pixel
 * @throws Error if the drawing cannot be decoded as an image
 */
export async function pngOf(svgText: string, scale = 2): Promise<Blob> {
  return blobOf((await drawnSheet(svgText, scale)).canvas);
}

/**
 * Repaints a canvas drawing for a file, at a higher resolution and including parts that are scrolled out of view.
 *
 * @param paint paints on a new canvas with `scale` pixels per CSS pixel
 */
export async function pngOfPainting(
  size: Size,
  paint: (canvas: HTMLCanvasElement, scale: number) => void,
  caption: ChartCaption,
  scale = 2,
): Promise<Blob> {
  const { drawn, head } = captioned(size, caption);
  const { canvas, context } = await drawnSheet(fileOf(drawn), scale);
  const painting = document.createElement('canvas');
  paint(painting, scale);
  context.drawImage(painting, PAD * scale, head * scale);
  return blobOf(canvas);
}

async function drawnSheet(svgText: string, scale: number) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this window cannot draw');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return { canvas, context };
}

function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('no PNG was made')) : resolve(blob)),
      'image/png',
    );
  });
}

/** Layout of the text in a saved figure: title, subtitle and legend, without overlaps. */
export interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly dash?: string;
  /** A fill without a line: bands, bars. */
  readonly isArea?: boolean;
}

export interface ChartCaption {
  readonly title: string;
  readonly subtitle: string;
  readonly legend: readonly LegendEntry[];
  /** Label of the x axis. */
  readonly xLabel?: string;
}

/**
 * @param size font size in px
 * @returns px
 */
type Measure = (text: string, size: number, isBold?: boolean) => number;

interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly isBold?: boolean;
}

interface CaptionLayout {
  readonly title: PlacedText;
  readonly subtitle: readonly PlacedText[];
  readonly legend: readonly (PlacedText & { readonly entry: LegendEntry })[];
  /** The drawing begins below this. */
  readonly height: number;
}

export const PAD = 12;
const LINE = 16;
const TITLE = 13;
const SMALL = 10.5;
/** In a legend: the width of the stroke sample, and the gap after a name. */
export const SWATCH = 22;
const BEHIND_SWATCH = 6;
const BETWEEN = 18;
const SUBTITLE_LINES = 2;

/** @param width of the whole figure */
export function captionLayout(caption: ChartCaption, width: number, measure: Measure): CaptionLayout {
  const room = width - 2 * PAD;
  let y = PAD + 10;
  const title: PlacedText = {
    text: shortened(caption.title, room, (text) => measure(text, TITLE, true)),
    ...{ x: PAD, y, size: TITLE, isBold: true },
  };
  const subtitle = wrapped(caption.subtitle, room, SUBTITLE_LINES, (text) => measure(text, SMALL)).map(
    (text): PlacedText => {
      y += LINE;
      return { text, x: PAD, y, size: SMALL };
    },
  );
  let x = PAD;
  y += LINE;
  const legend = caption.legend.map((entry) => {
    const before = SWATCH + BEHIND_SWATCH;
    const text = shortened(entry.name, room - before, (part) => measure(part, SMALL));
    const wide = before + measure(text, SMALL);
    if (x > PAD && x + wide > width - PAD) {
      x = PAD;
      y += LINE;
    }
    const placed = { entry, text, x: x + before, y, size: SMALL };
    x += wide + BETWEEN;
    return placed;
  });
  return { title, subtitle, legend, height: caption.legend.length === 0 ? y - LINE + 12 : y + 12 };
}

/** Shortened in the middle, since names may differ at either end. */
export function shortened(text: string, room: number, measure: (text: string) => number): string {
  if (measure(text) <= room) return text;
  const letters = [...text];
  for (let kept = letters.length - 1; kept > 0; kept--) {
    const tail = Math.floor(kept * 0.4);
    const cut = `${letters.slice(0, kept - tail).join('')}…${tail === 0 ? '' : letters.slice(-tail).join('')}`;
    if (measure(cut) <= room) return cut;
  }
  return '…';
}

/** Wraps at spaces. Text beyond the last line is cut. */
function wrapped(
  text: string,
  room: number,
  most: number,
  measure: (text: string) => number,
): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && (lines.length === most || measure(longer) <= room))
      lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => shortened(line, room, measure));
}

export interface DrawingSize {
  readonly width: number;
  readonly height: number;
}

/** CSS pixels of the whole figure, text included. */
const FIGURE: DrawingSize = { width: 640, height: 400 };

/** Runs `draw` with the colours of the light theme. The page is not painted in between, so nothing flickers. */
export function inLight<Drawn>(draw: () => Drawn): Drawn {
  const page = document.documentElement;
  const theme = page.dataset['theme'];
  page.dataset['theme'] = 'light';
  try {
    return draw();
  } finally {
    if (theme === undefined) delete page.dataset['theme'];
    else page.dataset['theme'] = theme;
  }
}

/**
 * Renders off-screen, and undoes it before the next paint.
 *
 * @param draw the chart at a size; the first `svg[role]` in it is the drawing
 * @param look `figure`: in the light theme. `screen`: in the page's theme
 * @returns the text of an SVG file; undefined if nothing was drawn
 */
export function figureSvg(
  draw: (size: DrawingSize) => ReactElement,
  caption: ChartCaption,
  look: 'figure' | 'screen' = 'figure',
): string | undefined {
  const room = drawingRoom(caption, FIGURE);
  const place = document.createElement('div');
  place.style.cssText = `position:fixed;left:-10000px;top:0;width:${room.width}px;visibility:hidden`;
  document.body.append(place);
  const root = createRoot(place);
  try {
    const drawn = () => {
      flushSync(() => root.render(draw(room)));
      const svg = place.querySelector<SVGSVGElement>('svg[role]');
      return svg === null ? undefined : standaloneSvg(svg, caption);
    };
    return look === 'figure' ? inLight(drawn) : drawn();
  } finally {
    // React does not allow a synchronous unmount within an event handler.
    setTimeout(() => {
      root.unmount();
      place.remove();
    });
  }
}
