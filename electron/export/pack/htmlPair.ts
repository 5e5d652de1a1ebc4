/** Writes a pair as HTML: two rollouts side by side, with the rows of the comparison. */
import { ADDED, EDIT_SIZE, plainEdits, REMOVED } from '../../../shared/domain/alignText.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { problemName } from '../../../shared/domain/question.ts';
import {
  chip,
  type Drawn,
  drawnOf,
  isShown,
  notesHtml,
  problemHtml,
  segmentHtml,
  shownText,
  topHtml,
} from './htmlCase.ts';
import { html, type Mark } from './htmlText.ts';
import {
  type CaseSegment,
  labelsOf,
  OUTCOME_GLYPH,
  outcomeOf,
  type PackCase,
  questionOf,
  shortAnswer,
  textFact,
  turnsOf,
} from './packCase.ts';
import { becameOf, type PackPair, type PairRow } from './pairs.ts';

/** @param ids ids of the elements of both sides */
export function pairHtml(pair: PackPair, taxonomy: Taxonomy, ids: readonly [string, string]): string {
  const [from, to] = [sideOf(pair.from, taxonomy, ids[0]), sideOf(pair.to, taxonomy, ids[1])];
  const isOneProblem = pair.from.rollout.prompt === pair.to.rollout.prompt;
  const isAnnotated = to.drawn.promptMarks.length > 0 || notesOf(to, 0) !== '';
  const problem =
    isOneProblem && !isAnnotated
      ? `${problemHtml(from.drawn)}\n`
      : sides(problemHtml(from.drawn), problemHtml(to.drawn));
  const became = becameOf(pair);
  const areModelsEqual = pair.from.run.config['model'] === pair.to.run.config['model'];
  const model = ({ run }: PackCase): string => {
    const name = run.config['model'];
    return areModelsEqual || typeof name !== 'string' || run.name.includes(name)
      ? ''
      : `<p class="role">model <bdi>${html(name)}</bdi></p>`;
  };
  return `<article class="case pair" id="${ids[0]}">
<h2><bdi>${html(nameOf(pair.from))}</bdi>${became === undefined ? '' : ` <small class="${became}">became ${became}</small>`}</h2>
${sides(`${model(pair.from)}${topHtml(from.drawn)}`, `<div id="${ids[1]}"></div>${model(pair.to)}${topHtml(to.drawn)}`)}${problem}${pair.rows.map((row) => rowHtml(row, from, to)).join('')}</article>
`;
}

/** The name of the problem: its id, or the first words of its question. */
const nameOf = (one: PackCase): string =>
  problemName({
    problemId: textFact(one, 'problem_id') ?? '',
    question: questionOf(one),
  });

interface Side {
  readonly drawn: Drawn;
  /** By index among the segments of the response. */
  readonly segments: ReadonlyMap<number, CaseSegment>;
  /** By turn, as in `CaseTurn`. */
  readonly redacted: ReadonlyMap<number, string>;
}

function sideOf(one: PackCase, taxonomy: Taxonomy, id: string): Side {
  const turns = turnsOf(one);
  const segments = turns.flatMap((turn) => turn.segments);
  return {
    drawn: drawnOf(one, taxonomy, id),
    segments: new Map(segments.map((each) => [each.index, each])),
    redacted: new Map(turns.map(({ turn, redacted }) => [turn, redacted])),
  };
}

const sides = (from: string, to: string): string =>
  `<div class="sides"><div>${from}</div><div>${to}</div></div>\n`;

function rowHtml({ turns, isEqual, segments }: PairRow, from: Side, to: Side): string {
  const notes = (of: 'turn' | 'text'): string => {
    const [a, b] = [notesOf(from, turns[0], of), notesOf(to, turns[1], of)];
    return a === '' && b === '' ? '' : sides(a, b);
  };
  const blocks = segments.map(([a, b]) => {
    const [before, after] = [segmentOf(from, a), segmentOf(to, b)];
    if (before === undefined && after === undefined) return '';
    const [left, right] =
      before !== undefined && after !== undefined ? differences(from, before, to, after) : [];
    return sides(
      before === undefined ? '' : segmentHtml(from.drawn, before, left),
      after === undefined ? '' : segmentHtml(to.drawn, after, right),
    );
  });
  const [left, right] = [redactedOf(from, turns[0]), redactedOf(to, turns[1])];
  const redacted = left === '' && right === '' ? '' : sides(left, right);
  return `<details class="turn"${isEqual ? '' : ' open'}><summary><b>${turnsText(turns)}</b>${isEqual ? ' equal' : ''}</summary>
${notes('turn')}${redacted}${blocks.join('')}${notes('text')}</details>
`;
}

function turnsText([before, after]: PairRow['turns']): string {
  if (before === after) return `Turn ${before}`;
  if (after === undefined) return `Turn ${before}, only before`;
  return before === undefined ? `Turn ${after}, only after` : `Turn ${before} before, ${after} after`;
}

const notesOf = ({ drawn }: Side, turn: number | undefined, of?: 'turn' | 'text'): string =>
  turn === undefined ? '' : notesHtml(drawn, turn, of);

function redactedOf({ redacted }: Side, turn: number | undefined): string {
  const text = turn === undefined ? '' : (redacted.get(turn) ?? '');
  return text === '' ? '' : `<p class="muted">${text}</p>`;
}

/** @returns undefined if there is no such segment, or nothing in it */
function segmentOf({ drawn, segments }: Side, index: number | undefined): CaseSegment | undefined {
  const found = index === undefined ? undefined : segments.get(index);
  return found !== undefined && isShown(drawn.one.rollout.response, found) ? found : undefined;
}

/** The elements around text that the other side lacks. */
const LACKED = { [REMOVED]: 'del', [ADDED]: 'ins' };

/** Marks on `shownText` of both. */
function differences(
  from: Side,
  before: CaseSegment,
  to: Side,
  after: CaseSegment,
): readonly [readonly Mark[], readonly Mark[]] {
  const { kind } = before.segment;
  const mode = kind === 'tool-call' || kind === 'tool-response' ? 'lines' : 'words';
  const edits = plainEdits(shownText(from.drawn.one, before), shownText(to.drawn.one, after), mode);
  const marksOf = (kind: keyof typeof LACKED): readonly Mark[] => {
    const marks: Mark[] = [];
    for (let i = 0; i < edits.length; i += EDIT_SIZE) {
      if (edits[i] !== kind) continue;
      const at = i + (kind === REMOVED ? 1 : 3);
      const [start = 0, end = 0] = edits.subarray(at, at + 2);
      marks.push({ start, end, open: `<${LACKED[kind]}>`, close: `</${LACKED[kind]}>` });
    }
    return marks;
  };
  return [marksOf(REMOVED), marksOf(ADDED)];
}

/** Columns of `pairIndexRow`. */
export const PAIR_COLUMNS = ['problem', 'before', 'after', 'labels and notes'] as const;

/** A row of the index. */
export function pairIndexRow({ from, to }: PackPair, taxonomy: Taxonomy, id: string, number: number): string {
  const cells = [from, to].map((one) => {
    const outcome = outcomeOf(one);
    return `<td class="long"><span class="${outcome}">${OUTCOME_GLYPH[outcome]}</span> ${html(shortAnswer(one) ?? 'none known')}</td>`;
  });
  const labels = new Set([...labelsOf(from, taxonomy), ...labelsOf(to, taxonomy)]);
  const notes = [from, to].flatMap(({ annotations }) =>
    annotations.flatMap(({ note }) =>
      note === undefined ? [] : `<div class="muted">${html(firstLine(note))}</div>`,
    ),
  );
  return `<tr><td class="n dim">${number}</td><td class="long"><a href="#${id}"><bdi>${html(nameOf(from))}</bdi></a></td>${cells.join('')}<td class="labels">${[...labels].map((label) => chip(taxonomy, label)).join(' ')}${notes.join('')}</td></tr>
`;
}

/** The pair itself has the whole note. */
function firstLine(note: string): string {
  const [first = '', ...rest] = note.trim().split(/\r?\n/);
  return rest.length === 0 ? first : `${first} …`;
}
