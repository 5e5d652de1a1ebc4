/** Paints the map of problems: the visible part, or all of it for a picture. Also exports its cells as CSV. */
import { csvFile } from '../../../shared/domain/delimited.ts';
import { type ChartCaption, pngOfPainting } from '../../charts/exportChart.ts';
import { counted } from '../../ui/numbers.ts';
import {
  besideHeadOf,
  besideName,
  labelEvery,
  longestName,
  longestText,
  type MapPoint,
  type MapRow,
  type MapShape,
  mapName,
  mapShape,
  type ProblemSort,
  rateOf,
} from './mapModel.ts';

export interface MapPicture {
  readonly rows: readonly MapRow[];
  readonly steps: readonly string[];
  /** Text beside the names, one for each row. */
  readonly beside: readonly string[];
  /** The head of those texts. */
  readonly besideHead: string;
  readonly shape: MapShape;
  readonly size: { readonly width: number; readonly height: number };
  readonly scroll: { readonly left: number; readonly top: number };
  readonly cursor: MapPoint | undefined;
  readonly headHeight: number;
}

/** px between a name and the text beside it, and between that text and the cells. */
const LABEL_GAP = 14;
const LABEL_END = 10;
/** Width of `100 %`, px. */
const LEAST_BESIDE = 30;
/**
 * Incorrect rollouts have a pale fill, so that correct ones stand out. Cells of this width or more get an edge with
 * 3:1 contrast.
 */
const LEAST_EDGED = 4;
/** Bounds of a character's width in px, by which a name is shortened with few measurements. */
const LEAST_LETTER = 2.5;
const MOST_LETTER = 13;

/** @param scale pixels per CSS pixel; the canvas need not be on the page */
export function paintMap(
  canvas: HTMLCanvasElement,
  picture: MapPicture,
  scale = window.devicePixelRatio,
): void {
  const { size } = picture;
  const width = Math.round(size.width * scale);
  const height = Math.round(size.height * scale);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(document.documentElement);
  const ink = (token: string): string => style.getPropertyValue(token).trim();
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.textBaseline = 'middle';
  paintCells(context, picture, ink);
  paintNames(context, picture, { ink, font: ink('--font-ui') });
  paintBesideHead(context, picture, { ink, font: ink('--font-ui') });
  paintSteps(context, picture, { ink, font: ink('--font-ui') });
}

function visibleRows({ rows, shape, size, scroll, headHeight }: MapPicture) {
  const first = Math.max(0, Math.floor(scroll.top / shape.rowHeight));
  const end = Math.min(rows.length, Math.ceil((scroll.top + size.height - headHeight) / shape.rowHeight) + 1);
  return { first, end };
}

function paintCells(
  context: CanvasRenderingContext2D,
  picture: MapPicture,
  ink: (token: string) => string,
): void {
  const { rows, shape, size, scroll, cursor, headHeight } = picture;
  const { first, end } = visibleRows(picture);
  const gap = shape.columnWidth > 6 ? 1 : 0;
  const colours = {
    wrong: ink('--map-wrong'),
    right: ink('--right'),
    wrongEdge: ink('--wrong'),
    edge: ink('--dropped'),
    cursor: ink('--accent'),
  };
  context.save();
  context.beginPath();
  context.rect(shape.gutter, headHeight, size.width - shape.gutter, size.height - headHeight);
  context.clip();
  for (let row = first; row < end; row++) {
    const y = headHeight + row * shape.rowHeight - scroll.top;
    const tall = shape.rowHeight - 2;
    if (cursor?.row === row) {
      context.fillStyle = ink('--hover');
      context.fillRect(shape.gutter, y, size.width, shape.rowHeight);
    }
    for (const cell of rows[row]?.cells ?? []) {
      const x = shape.gutter + cell.step * shape.columnWidth - scroll.left;
      if (x + shape.columnWidth < shape.gutter || x > size.width) continue;
      const wide = shape.columnWidth - gap;
      const rate = rateOf(cell);
      if (rate === undefined) {
        // Tried, but the correctness is unknown.
        context.strokeStyle = colours.edge;
        context.strokeRect(x + 0.5, y + 1.5, Math.max(1, wide - 1), tall - 1);
        continue;
      }
      context.fillStyle = colours.wrong;
      context.fillRect(x, y + 1, wide, tall);
      context.fillStyle = colours.right;
      context.fillRect(x, y + 1 + tall * (1 - rate), wide, tall * rate);
      if (wide < LEAST_EDGED) continue;
      context.fillStyle = colours.wrongEdge;
      context.fillRect(x, y + 1, 1, tall * (1 - rate));
    }
    context.fillStyle = colours.edge;
    for (const step of rows[row]?.unmatched ?? []) {
      const x = shape.gutter + step * shape.columnWidth - scroll.left;
      if (x + shape.columnWidth < shape.gutter || x > size.width) continue;
      const wide = shape.columnWidth - gap;
      context.fillRect(x + wide / 4, y + 1 + tall / 2, Math.max(1, wide / 2), 1);
    }
    if (cursor?.row === row) {
      const x = shape.gutter + cursor.step * shape.columnWidth - scroll.left;
      context.strokeStyle = colours.cursor;
      context.lineWidth = 2;
      context.strokeRect(x - 1, y, shape.columnWidth - gap + 2, shape.rowHeight);
      context.lineWidth = 1;
    }
  }
  context.restore();
}

interface Inks {
  readonly ink: (token: string) => string;
  readonly font: string;
}

function paintNames(context: CanvasRenderingContext2D, picture: MapPicture, { ink, font }: Inks): void {
  const { rows, beside, shape, scroll, cursor, headHeight, size } = picture;
  const { first, end } = visibleRows(picture);
  context.save();
  context.beginPath();
  context.rect(0, headHeight, shape.gutter, size.height - headHeight);
  context.clip();
  for (let row = first; row < end; row++) {
    const found = rows[row];
    if (found === undefined) continue;
    const y = headHeight + row * shape.rowHeight - scroll.top + shape.rowHeight / 2;
    const text = beside[row] ?? '';
    context.font = `11.5px ${font}`;
    context.fillStyle = ink('--ink3');
    context.textAlign = 'right';
    context.fillText(text, shape.gutter - LABEL_END, y);
    const taken = Math.max(LEAST_BESIDE, context.measureText(text).width) + LABEL_GAP + LABEL_END;
    context.fillStyle = ink(cursor?.row === row ? '--ink' : '--ink2');
    context.textAlign = 'left';
    context.fillText(fitted(context, mapName(found), shape.gutter - 24 - taken), 24, y);
  }
  context.restore();
}

/** Cut at the end with an ellipsis. The readout beside the map shows the whole name. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let end = Math.min(text.length, Math.ceil(room / LEAST_LETTER));
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room)
    end -= Math.max(1, Math.floor((context.measureText(text.slice(0, end)).width - room) / MOST_LETTER));
  return `${text.slice(0, Math.max(1, end))}…`;
}

/** Names the figures beside the names. */
function paintBesideHead(
  context: CanvasRenderingContext2D,
  { besideHead, shape, headHeight }: MapPicture,
  { ink, font }: Inks,
): void {
  context.font = `11px ${font}`;
  context.textAlign = 'right';
  context.fillStyle = ink('--ink3');
  context.fillText(besideHead, shape.gutter - LABEL_END, headHeight / 2);
}

function paintSteps(context: CanvasRenderingContext2D, picture: MapPicture, { ink, font }: Inks): void {
  const { steps, shape, scroll, headHeight, size, cursor } = picture;
  context.font = `11px ${font}`;
  context.textAlign = 'center';
  context.fillStyle = ink('--ink3');
  const widest = steps.reduce((most, step) => Math.max(most, context.measureText(step).width), 0);
  const every = labelEvery(widest + 10, shape.columnWidth);
  steps.forEach((step, i) => {
    const x = shape.gutter + (i + 0.5) * shape.columnWidth - scroll.left;
    if (i % every !== 0 || x < shape.gutter || x > size.width) return;
    context.fillStyle = ink(cursor?.step === i ? '--ink' : '--ink3');
    context.fillText(step, x, headHeight / 2);
  });
}

const MAP_COLUMNS = [
  'problem',
  'question (its beginning)',
  'step',
  'rollouts',
  'of known correctness',
  'correct',
  'different answers',
  'groups',
  'first group',
];

/**
 * A line per cell, with rows in the given order. Unknown values are blank.
 *
 * @param of run and filter of the data
 * @param steps undefined: the log has none
 * @param keyOf the key of a group, by its id
 */
export function mapCsv(
  of: string,
  rows: readonly MapRow[],
  steps: readonly number[] | undefined,
  keyOf: (groupId: number) => string | undefined,
): string {
  const lines = rows.flatMap((row) =>
    row.cells.map((cell) => [
      row.problemId,
      row.question,
      steps?.[cell.step],
      cell.rollouts,
      cell.known,
      cell.known === 0 ? undefined : cell.correct,
      cell.answers,
      cell.groups,
      keyOf(cell.groupId),
    ]),
  );
  return csvFile(`${of}; from rollouts`, MAP_COLUMNS, lines);
}

const WIDTH = 1200;
const HEAD_HEIGHT = 22;
/** A canvas is at most 32,767 px high, and nobody reads a picture with more rows. */
const MOST_ROWS = 400;

/** A picture of the first rows in the given order, at its own width. The caption says how many are left out. */
export function mapPng(
  of: string,
  rows: readonly MapRow[],
  steps: readonly string[],
  sort: ProblemSort,
): Promise<Blob> {
  const drawn = rows.slice(0, MOST_ROWS);
  const beside = drawn.map((row) => besideName(row, sort, steps));
  const shape = mapShape(WIDTH, steps.length, longestName(drawn), longestText(beside));
  const size = {
    width: shape.gutter + shape.columnWidth * steps.length,
    height: HEAD_HEIGHT + shape.rowHeight * drawn.length,
  };
  const left = rows.length - drawn.length;
  const caption: ChartCaption = {
    title: steps.length > 1 ? 'Pass rate of problems by step' : 'Pass rate of problems',
    subtitle: `from rollouts · ${of} · ${left === 0 ? counted(rows.length, 'problem') : `the first ${drawn.length} of ${counted(rows.length, 'problem')}`} · blank: not tried, outlined: success unknown`,
    legend: [
      { name: 'correct, by height', color: 'var(--right)', isArea: true },
      { name: 'incorrect', color: 'var(--map-wrong)', isArea: true },
    ],
  };
  const picture = {
    rows: drawn,
    steps,
    beside,
    besideHead: besideHeadOf(sort),
    shape,
    size,
    headHeight: HEAD_HEIGHT,
    cursor: undefined,
  };
  return pngOfPainting(
    size,
    (canvas, scale) => paintMap(canvas, { ...picture, scroll: { left: 0, top: 0 } }, scale),
    caption,
  );
}
