/** Where the words of a saved figure stand: its title, what it is of, its legend, so that nothing overprints. */
export interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly dash?: string;
  /** A ground and no line: bands, bars. */
  readonly isArea?: boolean;
}

export interface ChartCaption {
  readonly title: string;
  readonly subtitle: string;
  readonly legend: readonly LegendEntry[];
  /** What stands along the axis. */
  readonly xLabel?: string;
}

/** @param size of the letters in px @returns px */
export type Measure = (text: string, size: number, isBold?: boolean) => number;

export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly isBold?: boolean;
}

export interface CaptionLayout {
  readonly title: PlacedText;
  readonly subtitle: readonly PlacedText[];
  readonly legend: readonly (PlacedText & { readonly entry: LegendEntry })[];
  /** Below which the drawing begins. */
  readonly height: number;
}

export const PAD = 12;
const LINE = 16;
const TITLE = 13;
const SMALL = 10.5;
/** Of a legend: the stroke, and the room behind a name. */
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

/** Cut in the middle: what tells names apart may stand at either end. */
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

/** At spaces; what goes beyond the last line is cut. */
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
