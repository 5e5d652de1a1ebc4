/** What the diff editor is given: two texts to read, and the numbers in them that stand for one another. */
import { textEdits } from '../../../shared/domain/alignText.ts';
import type { TextRange } from '../../../shared/domain/model.ts';
import { Vocabulary, wordsOf } from '../../../shared/domain/textUnits.ts';
import type { SegmentView } from '../../data/segmentViews.ts';
import { type Pair, shownOf } from './blockModel.ts';
import { sideMarks, type TextDiff } from './diffModel.ts';

export interface EditorDiff {
  readonly before: string;
  readonly after: string;
  readonly numbers: { readonly before: readonly TextRange[]; readonly after: readonly TextRange[] };
}

/**
 * @param a absent: the other side has no such segment
 * @param pair absent: they are not compared, or equal
 */
export function editorDiff(a: SegmentView | undefined, b: SegmentView, pair: Pair | undefined): EditorDiff {
  const diff = pair?.diff ?? plainDiff(a === undefined ? '' : shownOf(a).text, shownOf(b).text);
  const numbersOf = (side: 'a' | 'b'): readonly TextRange[] =>
    sideMarks(diff, side).filter(({ kind }) => kind === 'number');
  return { before: diff.a, after: diff.b, numbers: { before: numbersOf('a'), after: numbersOf('b') } };
}

/** Of texts that were compared in another form, such as arguments by their structure. */
function plainDiff(a: string, b: string): TextDiff {
  const vocabulary = new Vocabulary();
  const sideOf = (text: string) => {
    const range = { start: 0, end: text.length };
    return { text, range, words: wordsOf(text, range, false, vocabulary), isEscaped: false };
  };
  const options = { mode: 'lines', vocabulary, checkpoint: () => undefined } as const;
  return { a, b, edits: textEdits(sideOf(a), sideOf(b), options) };
}
