/** Layout of names and bars in a horizontal bar chart. */

/** CSS pixels. */
const LINE = 13;
const BAR = 12;
const GAP = 8;
/** Longer names end in an ellipsis. The tooltip and the table show them in full. */
const MOST_LINES = 4;
/** UTF-16 units. More never fits into the lines. */
const LONGEST_READ = 1000;
/** Share of the width that names may take. */
const NAME_SHARE = 0.45;
const LEAST_NAMES = 60;
const USUAL_WIDTH = 560;

interface BarRow {
  /** The name, broken into lines. */
  readonly lines: readonly string[];
  /** Upper edge and height of the row. */
  readonly top: number;
  readonly height: number;
}

interface BarLayout {
  readonly rows: readonly BarRow[];
  /** Width of the column of names. */
  readonly names: number;
  readonly height: number;
  /** Thickness of one bar. */
  readonly bar: number;
}

/** Whether names fit side by side below upright bars, on a drawing of a usual width. */
export function fitBelow(labels: readonly string[]): boolean {
  return labels.every((label) => labelWidth(label) + 8 <= USUAL_WIDTH / labels.length);
}

/** @param series the number of bars in each row */
export function barLayout(
  labels: readonly string[],
  { width, series, top }: { readonly width: number; readonly series: number; readonly top: number },
): BarLayout {
  const widest = Math.max(LEAST_NAMES, ...labels.map(labelWidth));
  const names = Math.min(widest, Math.floor(width * NAME_SHARE));
  const rows: BarRow[] = [];
  let y = top;
  for (const label of labels) {
    const lines = labelLines(label, names);
    const height = Math.max(lines.length * LINE, series * BAR) + GAP;
    rows.push({ lines, top: y, height });
    y += height;
  }
  return { rows, names, height: y, bar: BAR };
}

/**
 * Breaks a name at spaces and punctuation, and within a word only if the word is too long.
 * @param room px
 */
export function labelLines(label: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts(label.slice(0, LONGEST_READ).replaceAll(/\s+/g, ' ').trim(), room)) {
    if (line !== '' && labelWidth((line + part).trimEnd()) > room) {
      lines.push(line.trimEnd());
      line = part.trimStart();
    } else line += part;
  }
  lines.push(line.trimEnd());
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES - 1), `${shortenedTo(lines[MOST_LINES - 1] ?? '', room - 11)}…`];
}

/** Pieces after which a line may break. */
function parts(label: string, room: number): readonly string[] {
  const pieces = label.match(/[^\s/_.,:;|-]*(?:[\s/_.,:;|-]+|$)/gu) ?? [];
  return pieces.flatMap((piece) => {
    const cut: string[] = [];
    let rest = piece;
    while (labelWidth(rest.trimEnd()) > room) {
      const head = shortenedTo(rest, room);
      cut.push(head);
      rest = rest.slice(head.length);
    }
    return [...cut, rest];
  });
}

/** At least one character, so that loops over the rest terminate. */
function shortenedTo(text: string, room: number): string {
  let kept = '';
  for (const character of text) {
    if (kept !== '' && labelWidth(kept + character) > room) break;
    kept += character;
  }
  return kept;
}

/** An upper estimate in px, for the charts' font size. */
export function labelWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if ((character.codePointAt(0) ?? 0) >= 0x1100) width += 11.5;
    else if (/[A-ZmwMW@%]/.test(character)) width += 8;
    else width += 6;
  }
  return width;
}

interface TickScale {
  (value: number): number;
  ticks(count: number): number[];
}

/** As many ticks as have room for their labels: at most about five. */
export function ticksApart(scale: TickScale, label: (tick: number) => string): readonly number[] {
  for (let count = 5; count > 1; count--) {
    const ticks = scale.ticks(count);
    const room = 12 + Math.max(0, ...ticks.map((tick) => labelWidth(label(tick))));
    const [first = 0, second = first] = ticks;
    if (ticks.length < 2 || Math.abs(scale(second) - scale(first)) >= room) return ticks;
  }
  const ticks = scale.ticks(2);
  return [...ticks.slice(0, 1), ...ticks.slice(-1)];
}
