/**
 * A chart as a drawing that stands alone: colours, strokes and letters of the present theme written into it, with its
 * title and legend, which are outside the SVG on the page.
 */
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
/** Letters of the page are not part of the file: what a reader has in their place. */
const LETTERS = 'Inter, "Helvetica Neue", Arial, sans-serif';
const LINE = 16;
const PAD = 12;

export interface ChartCaption {
  readonly title: string;
  readonly subtitle: string;
  readonly legend: readonly { readonly name: string; readonly color: string; readonly dash?: string }[];
}

/** @param svg as it is on the page; @returns the text of an SVG file */
export function standaloneSvg(svg: SVGSVGElement, caption: ChartCaption): string {
  const page = getComputedStyle(document.documentElement);
  const colour = (value: string): string =>
    value.replace(/var\((--[\w-]+)\)/g, (_, name: string) => page.getPropertyValue(name).trim());
  const { width, height } = svg.getBoundingClientRect();
  const head = PAD + LINE * (2 + caption.legend.length) + 6;
  const drawn = document.createElementNS(NS, 'svg');
  const set = (element: Element, values: Readonly<Record<string, string | number>>): void => {
    for (const [name, value] of Object.entries(values)) element.setAttribute(name, String(value));
  };
  const whole = { width: Math.ceil(width + 2 * PAD), height: Math.ceil(head + height + PAD) };
  set(drawn, {
    xmlns: NS,
    ...whole,
    viewBox: `0 0 ${whole.width} ${whole.height}`,
    'font-family': LETTERS,
  });
  const add = (name: string, values: Readonly<Record<string, string | number>>, text?: string): void => {
    const element = document.createElementNS(NS, name);
    set(element, values);
    if (text !== undefined) element.textContent = text;
    drawn.append(element);
  };
  add('rect', { width: '100%', height: '100%', fill: colour('var(--paper)') });
  const ink = colour('var(--ink)');
  const faint = colour('var(--ink3)');
  add('text', { x: PAD, y: PAD + 10, fill: ink, 'font-size': 13, 'font-weight': 600 }, caption.title);
  add('text', { x: PAD, y: PAD + 10 + LINE, fill: faint, 'font-size': 10.5 }, caption.subtitle);
  caption.legend.forEach((line, i) => {
    const y = PAD + 10 + LINE * (2 + i);
    add('line', {
      x1: PAD,
      x2: PAD + 22,
      y1: y - 4,
      y2: y - 4,
      stroke: colour(line.color),
      'stroke-width': 2,
      ...(line.dash === undefined ? {} : { 'stroke-dasharray': line.dash }),
    });
    add('text', { x: PAD + 28, y, fill: ink, 'font-size': 10.5 }, line.name);
  });
  const body = document.createElementNS(NS, 'g');
  body.setAttribute('transform', `translate(${PAD} ${head})`);
  for (const child of svg.children) {
    const copy = styledCopy(child);
    if (copy !== undefined) body.append(copy);
  }
  drawn.append(body);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawn)}\n`;
}

/** With the styles it has here; what is only for the hand (hit areas, crosshair) is left out. */
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
 * The same as pixels.
 *
 * @param scale pixels per CSS pixel
 * @throws Error where the drawing cannot be read back as an image
 */
export async function pngOf(svgText: string, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this window cannot draw');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('no PNG was made')) : resolve(blob)),
      'image/png',
    );
  });
}
