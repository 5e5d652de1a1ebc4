/**
 * The undo history. A step stores the states before and after, so undo and redo set states instead of
 * computing inverses. The history survives a restart. A new change deletes the steps that could be redone.
 * A step that its author undid alone is only deleted by a new change of that author.
 */
import type { HistoryState } from '../../shared/api/annotationRows.ts';
import type { Annotation, ReviewMark } from '../../shared/domain/annotate/annotation.ts';
import { tryParseJson } from '../../shared/domain/parseJson.ts';
import { isObject } from '../../shared/format/fields.ts';
import type { Conflict } from './annotationStore.ts';
import type { ReadableLibrary, WritableLibrary } from './open.ts';
import { annotationRevision } from './queries/annotations.ts';
import { number, query, type RowOf, text } from './rows.ts';
import { damaged } from './storageFailure.ts';

/** `null`: absent before or after the change. */
export type Change =
  | {
      readonly of: 'annotation';
      readonly id: string;
      readonly before: Annotation | null;
      readonly after: Annotation | null;
    }
  | { readonly of: 'reading'; readonly before: ReviewMark | null; readonly after: ReviewMark | null }
  | {
      readonly of: 'conflict';
      readonly conflictId: number;
      readonly before: Conflict['taken'];
      readonly after: Conflict['taken'];
    };

export interface Step {
  readonly historyNo: number;
  readonly words: string;
  readonly changes: readonly Change[];
}

/** Steps that are kept. Older steps are deleted. */
const MOST_STEPS = 2_000;

/** 2: undone by its author alone, while later steps of others remain. */
type Undone = 1 | 2;

const STEP = 'SELECT history_no AS historyNo, words, changes FROM annotation_history_row';
const LAST_DONE = `${STEP} WHERE is_undone = 0 ORDER BY history_no DESC LIMIT 1`;
const LAST_DONE_BY = `${STEP} WHERE is_undone = 0 AND author = ? ORDER BY history_no DESC LIMIT 1`;
const FIRST_UNDONE = `${STEP} WHERE is_undone = 1 ORDER BY history_no LIMIT 1`;
const FIRST_UNDONE_BY = `${STEP} WHERE is_undone > 0 AND author = ? ORDER BY history_no LIMIT 1`;

const STEP_ROW = { historyNo: number, words: text, changes: text };
type StepRecord = RowOf<typeof STEP_ROW>;

function lastDone(db: ReadableLibrary, author: string | undefined): StepRecord | undefined {
  return author === undefined
    ? query(db, LAST_DONE, STEP_ROW).get()
    : query(db, LAST_DONE_BY, STEP_ROW).get(author);
}

function firstUndone(db: ReadableLibrary, author: string | undefined): StepRecord | undefined {
  return author === undefined
    ? query(db, FIRST_UNDONE, STEP_ROW).get()
    : query(db, FIRST_UNDONE_BY, STEP_ROW).get(author);
}

/** @param author limits the history to this author; absent: all authors */
export function historyState(db: ReadableLibrary, author?: string): HistoryState {
  const undo = lastDone(db, author);
  const redo = firstUndone(db, author);
  return {
    ...(undo && { undo: undo.words }),
    ...(redo && { redo: redo.words }),
    revision: annotationRevision(db),
  };
}

export class AnnotationHistory {
  private readonly db: WritableLibrary;

  constructor(db: WritableLibrary) {
    this.db = db;
  }

  add(step: Omit<Step, 'historyNo'>, author: string, at: number): void {
    this.db
      .prepare('DELETE FROM annotation_history_row WHERE is_undone = 1 OR is_undone = 2 AND author = ?')
      .run(author);
    const { lastInsertRowid } = this.db
      .prepare('INSERT INTO annotation_history_row (at, author, words, changes) VALUES (?, ?, ?, ?)')
      .run(at, author, step.words, JSON.stringify(step.changes));
    this.db
      .prepare('DELETE FROM annotation_history_row WHERE history_no <= ?')
      .run(Number(lastInsertRowid) - MOST_STEPS);
  }

  lastDone(author: string | undefined): Step | undefined {
    return stepOf(lastDone(this.db, author));
  }

  firstUndone(author: string | undefined): Step | undefined {
    return stepOf(firstUndone(this.db, author));
  }

  mark({ historyNo }: Step, undone: 0 | Undone): void {
    this.db
      .prepare('UPDATE annotation_history_row SET is_undone = ? WHERE history_no = ?')
      .run(undone, historyNo);
  }
}

function stepOf(row: StepRecord | undefined): Step | undefined {
  if (row === undefined) return undefined;
  const changes = changesFrom(row.changes);
  if (changes === undefined) throw damaged('a step of the undo history cannot be read');
  return { ...row, changes };
}

/** @returns undefined for changes in a form that Turnwise does not write */
export function changesFrom(json: string): readonly Change[] | undefined {
  const changes = tryParseJson(json);
  return Array.isArray(changes) && changes.every(isChange) ? changes : undefined;
}

function isChange(value: unknown): value is Change {
  if (!isObject(value)) return false;
  const { of, before, after } = value;
  if (of === 'conflict') return true;
  const isState = (state: unknown): boolean =>
    state === null || (isObject(state) && isObject(state['rollout']));
  return (of === 'annotation' || of === 'reading') && isState(before) && isState(after);
}
