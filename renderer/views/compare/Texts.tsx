/** Two ways to draw a text: prose as it flows, and code and output line by line. Long equal stretches are elided. */
import { Fragment, memo, useContext, useMemo } from 'react';
import { endOfCost } from '../../../shared/domain/drawingCost.ts';
import { MarkedCode, type MarkedLine } from '../../editor/MarkedCode.tsx';
import { useInterface } from '../../state/interface.ts';
import { counted } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { useStages } from '../../ui/useStages.ts';
import { COSTS, MostCost } from './blockCost.ts';
import {
  LINES_AROUND,
  type LineOfSide,
  LONG_LINES,
  leftOutOf,
  linesOf,
  type Mark,
  type Piece,
  piecesOf,
  sideLines,
  sideMarks,
  type TextDiff,
  type WovenPiece,
  withoutLongRuns,
  wovenLines,
  wovenPieces,
} from './diffModel.ts';

/** Lines that are rendered before the user asks for more. A line may have megabytes. */
const MOST_LINES = 400;
/** Pieces of prose, for the same reason: each letter may differ. */
const MOST_PIECES = 4_000;
/** JSON that the log has in one line is shown up to this many lines. A replay folds a response at the same number. */
const MOST_INDENTED_LINES = 40;
const NO_MARKS: readonly Mark[] = [];

interface TextProps {
  /** Key of what was expanded in this text, in the store. */
  readonly stretch: string;
  /** Long equal stretches between changes are elided. */
  readonly isElided: boolean;
}

const classOf = ({ isChanged, isNumber, isFork }: Piece, change: string): string | undefined => {
  const names = [isChanged ? change : '', isNumber ? 'is-number' : '', isFork ? 'is-fork' : ''];
  const joined = names.filter((name) => name !== '').join(' ');
  return joined === '' ? undefined : joined;
};

/** A button that expands an elided stretch, or only its size. */
function LeftOut({ stretch, text }: { readonly stretch: string; readonly text: string }) {
  const flip = useInterface((state) => state.flipStretch);
  return (
    <button type="button" className="left-out" onClick={() => flip(stretch)}>
      ⋯ {text}
    </button>
  );
}

interface DrawnPiece extends Piece {
  readonly text: string;
  readonly className: string | undefined;
  readonly isEqual: boolean;
}

function Prose({ pieces, stretch, isElided }: TextProps & { readonly pieces: readonly DrawnPiece[] }) {
  const flipped = useInterface((state) => state.flippedStretches);
  const mostCost = useContext(MostCost);
  const isWhole = flipped.has(`${stretch} all`);
  let budget = isWhole ? Number.POSITIVE_INFINITY : mostCost;
  const total = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const most = isWhole ? pieces.length : MOST_PIECES;
  const drawn = pieces.slice(0, most).map((piece, i) => {
    if (budget < 0) return null;
    const key = `${stretch} ${i}`;
    const out =
      isElided && piece.isEqual && pieces.length > 1 && !flipped.has(key)
        ? leftOutOf(
            piece.text,
            { start: 0, end: piece.text.length },
            { isFirst: i === 0, isLast: i === pieces.length - 1 },
          )
        : undefined;
    const left = out === undefined ? piece.text : piece.text.slice(0, out.start) + piece.text.slice(out.end);
    const { end, cost } = endOfCost(left, budget, COSTS);
    const cut = end < left.length ? end : undefined;
    budget -= cost;
    if (out === undefined)
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one immutable text never reorder
        <span key={i} className={piece.className}>
          <SourceText text={cut === undefined ? piece.text : piece.text.slice(0, cut)} />
        </span>
      );
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Fragment key={i}>
        <SourceText text={piece.text.slice(0, out.start)} />
        <LeftOut stretch={key} text={`${counted(out.end - out.start, 'equal character')}`} />
        <SourceText text={piece.text.slice(out.end)} />
      </Fragment>
    );
  });
  return (
    <div className="cmp-prose">
      {drawn}
      {(budget < 0 || most < pieces.length) && (
        <LeftOut stretch={`${stretch} all`} text={`show all ${counted(total, 'character')}`} />
      )}
    </div>
  );
}

interface SideTextProps extends TextProps {
  readonly text: string;
  readonly diff?: TextDiff | undefined;
  /** The side of `diff` that the text is on. */
  readonly side?: 'a' | 'b' | undefined;
  readonly fork?: Mark | undefined;
}

export function SideProse({ text, diff, side = 'b', fork, ...rest }: SideTextProps) {
  const pieces = useMemo(() => {
    const marks = diff === undefined ? NO_MARKS : sideMarks(diff, side);
    const all = fork === undefined ? marks : [...marks, fork];
    return piecesOf({ start: 0, end: text.length }, all).map((piece) => ({
      ...piece,
      text: text.slice(piece.start, piece.end),
      className: classOf(piece, side === 'a' ? 'is-removed-text' : 'is-added-text'),
      isEqual: !piece.isChanged && !piece.isFork && diff !== undefined,
    }));
  }, [text, diff, side, fork]);
  return <Prose pieces={pieces} {...rest} />;
}

const WOVEN_CLASSES = {
  equal: undefined,
  removed: 'is-removed-text is-struck',
  added: 'is-added-text',
} as const;

export function WovenProse({ diff, ...rest }: TextProps & { readonly diff: TextDiff }) {
  const pieces = useMemo(
    () =>
      wovenPieces(diff).map((piece: WovenPiece) => ({
        ...piece,
        text: diff[piece.side].slice(piece.start, piece.end),
        className: [WOVEN_CLASSES[piece.kind], piece.isNumber ? 'is-number' : undefined]
          .filter((name) => name !== undefined)
          .join(' '),
        isEqual: piece.kind === 'equal',
      })),
    [diff],
  );
  return <Prose pieces={pieces} {...rest} />;
}

interface LinedProps extends TextProps {
  readonly texts: readonly string[];
  readonly lines: readonly MarkedLine[];
  readonly isPython: boolean;
  readonly isIndented?: boolean;
}

const LineChunk = memo(MarkedCode);
const CHUNK_LINES = 100;

/** All lines, in chunks that are rendered one after the other. */
function AllLines({ texts, lines, isPython }: Pick<LinedProps, 'texts' | 'lines' | 'isPython'>) {
  const chunks = useMemo(() => {
    const count = Math.ceil(lines.length / CHUNK_LINES);
    return Array.from({ length: count }, (_, i) => lines.slice(i * CHUNK_LINES, (i + 1) * CHUNK_LINES));
  }, [lines]);
  const stage = useStages(chunks.length);
  return (
    <div className="cmp-lines mono">
      {chunks.slice(0, stage).map((chunk, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one immutable text never reorder
        <div key={i} className="cmp-chunk">
          <LineChunk texts={texts} lines={chunk} isPython={isPython} />
        </div>
      ))}
    </div>
  );
}

function Lined({ texts, lines, isPython, isIndented = false, stretch, isElided }: LinedProps) {
  const flipped = useInterface((state) => state.flippedStretches);
  const mostCost = useContext(MostCost);
  const isWhole = flipped.has(`${stretch} all`);
  const isDiffed = lines.some(({ sign }) => sign !== '');
  const runs =
    isElided && isDiffed
      ? withoutLongRuns(lines, ({ sign }) => sign === '', { longest: LONG_LINES, around: LINES_AROUND })
      : [{ kind: 'shown' as const, items: lines }];
  if (isWhole) return <AllLines texts={texts} lines={lines} isPython={isPython} />;
  let budget = isIndented && !isDiffed ? MOST_INDENTED_LINES : MOST_LINES;
  let left = mostCost;
  return (
    <div className="cmp-lines mono">
      {runs.map((run) => {
        if (budget <= 0 || left < 0) return null;
        const key = run.kind === 'left-out' ? `${stretch} ${run.from}` : '';
        if (run.kind === 'left-out' && !flipped.has(key))
          return <LeftOut key={key} stretch={key} text={counted(run.count, 'equal line')} />;
        const items = run.kind === 'left-out' ? lines.slice(run.from, run.from + run.count) : run.items;
        const { shown, cost } = withinCost(texts, items.slice(0, budget), left);
        budget -= items.length;
        left -= cost;
        const [first] = shown;
        return (
          <MarkedCode
            key={first === undefined ? 'none' : `${first.of} ${first.line}`}
            texts={texts}
            lines={shown}
            isPython={isPython}
          />
        );
      })}
      {(budget < 0 || left < 0) && (
        <LeftOut
          stretch={`${stretch} all`}
          text={`show all ${counted(lines.length, 'line')}${left < 0 ? `, ${counted(lengthOfAll(lines), 'character')}` : ''}`}
        />
      )}
    </div>
  );
}

const lengthOf = ({ start, pieces }: MarkedLine): number => (pieces.at(-1)?.end ?? start) - start;
const lengthOfAll = (lines: readonly MarkedLine[]): number =>
  lines.reduce((sum, line) => sum + lengthOf(line), 0);

/** The first lines that cost at most `most`. The last of them may be cut, and then `cost` is more. */
export function withinCost(
  texts: readonly string[],
  lines: readonly MarkedLine[],
  most: number,
): { readonly shown: readonly MarkedLine[]; readonly cost: number } {
  const shown: MarkedLine[] = [];
  let sum = 0;
  for (const line of lines) {
    const text = (texts[line.of] ?? '').slice(line.start, line.start + lengthOf(line));
    const { end, cost } = endOfCost(text, most - sum, COSTS);
    sum += cost;
    if (end < text.length) {
      const cut = line.start + end;
      const pieces = line.pieces.flatMap((piece) =>
        piece.start < cut ? [{ ...piece, end: Math.min(piece.end, cut) }] : [],
      );
      if (end > 0) shown.push({ ...line, pieces });
      break;
    }
    shown.push(line);
  }
  return { shown, cost: sum };
}

interface Drawing {
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
  readonly marks: readonly Mark[];
  readonly change: string;
}

function drawnLines(lines: readonly LineOfSide[], sides: Readonly<Record<'a' | 'b', Drawing>>): MarkedLine[] {
  const next = { a: 0, b: 0 };
  return lines.map(({ side, line, sign }) => {
    const { ranges, marks, change } = sides[side];
    const range = ranges[line] ?? { start: 0, end: 0 };
    // Marks are read in one pass over all lines. They may overlap, but only by a little.
    while ((marks[next[side]]?.end ?? Number.POSITIVE_INFINITY) < range.start) next[side] += 1;
    const near: Mark[] = [];
    for (let i = next[side]; (marks[i]?.start ?? range.end) < range.end; i += 1) {
      const mark = marks[i];
      if (mark !== undefined) near.push(mark);
    }
    const pieces = piecesOf(range, near).map((piece) => ({ ...piece, className: classOf(piece, change) }));
    return { of: side === 'a' ? 0 : 1, line, start: range.start, sign, pieces };
  });
}

const byStart = (marks: readonly Mark[]): readonly Mark[] => [...marks].sort((x, y) => x.start - y.start);

const drawingOf = (diff: TextDiff, side: 'a' | 'b', fork?: Mark): Drawing => ({
  ranges: linesOf(diff[side]),
  marks: byStart(fork === undefined ? sideMarks(diff, side) : [...sideMarks(diff, side), fork]),
  change: side === 'a' ? 'is-removed-text' : 'is-added-text',
});

export function SideLines(props: SideTextProps & Pick<LinedProps, 'isPython' | 'isIndented'>) {
  const { text, diff, side = 'b', fork, ...rest } = props;
  const [texts, lines] = useMemo(() => {
    if (diff !== undefined) {
      const drawing = drawingOf(diff, side, fork);
      return [[diff.a, diff.b], drawnLines(sideLines(diff, side), { a: drawing, b: drawing })] as const;
    }
    const ranges = linesOf(text);
    const own = { ranges, marks: fork === undefined ? NO_MARKS : [fork], change: '' };
    const plain = ranges.map((_, line): LineOfSide => ({ side: 'a', line, sign: '' }));
    return [[text], drawnLines(plain, { a: own, b: own })] as const;
  }, [text, diff, side, fork]);
  return <Lined texts={texts} lines={lines} {...rest} />;
}

export function WovenLines({
  diff,
  ...rest
}: TextProps & { readonly diff: TextDiff; readonly isPython: boolean }) {
  const [texts, lines] = useMemo(
    () =>
      [
        [diff.a, diff.b],
        drawnLines(wovenLines(diff), { a: drawingOf(diff, 'a'), b: drawingOf(diff, 'b') }),
      ] as const,
    [diff],
  );
  return <Lined texts={texts} lines={lines} {...rest} />;
}
