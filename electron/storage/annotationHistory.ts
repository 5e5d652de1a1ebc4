/**
 * What can be taken back. A step holds what was before and what was after, so that undo and redo set states instead of
 * working out inverses; it survives a restart. A new change ends what could have been done again.
 */
import type { HistoryState } from '../../shared/api/annotationRows.ts';
import type { Annotation, Reading } from '../../shared/domain/annotate/annotation.ts';
import type { Conflict } from './annotationStore.ts';
import type { ReadableLibrary, WritableLibrary } from './open.ts';

/** `null`: there was none, or is none any more. */
export type Change =
  | {
      readonly of: 'annotation';
      readonly id: string;
      readonly before: Annotation | null;
      readonly after: Annotation | null;
    }
  | { readonly of: 'reading'; readonly before: Reading | null; readonly after: Reading | null }
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

/** Steps that are kept; nobody goes back further. */
const MOST_STEPS = 2_000;

const LAST_DONE = `SELECT history_no AS historyNo, words, changes FROM annotation_history_row WHERE is_undone = 0
  ORDER BY history_no DESC LIMIT 1`;
const FIRST_UNDONE = `SELECT history_no AS historyNo, words, changes FROM annotation_history_row WHERE is_undone = 1
  ORDER BY history_no LIMIT 1`;

interface StepRecord {
  readonly historyNo: number;
  readonly words: string;
  readonly changes: string;
}

export function historyState(db: ReadableLibrary): HistoryState {
  const undo = db.prepare<[], StepRecord>(LAST_DONE).get();
  const redo = db.prepare<[], StepRecord>(FIRST_UNDONE).get();
  return { ...(undo && { undo: undo.words }), ...(redo && { redo: redo.words }) };
}

export class AnnotationHistory {
  private readonly db: WritableLibrary;

  constructor(db: WritableLibrary) {
    this.db = db;
  }

  add(step: Omit<Step, 'historyNo'>, author: string, at: number): void {
    this.db.prepare('DELETE FROM annotation_history_row WHERE is_undone = 1').run();
    const { lastInsertRowid } = this.db
      .prepare('INSERT INTO annotation_history_row (at, author, words, changes) VALUES (?, ?, ?, ?)')
      .run(at, author, step.words, JSON.stringify(step.changes));
    this.db
      .prepare('DELETE FROM annotation_history_row WHERE history_no <= ?')
      .run(Number(lastInsertRowid) - MOST_STEPS);
  }

  lastDone(): Step | undefined {
    return stepOf(this.db.prepare<[], StepRecord>(LAST_DONE).get());
  }

  firstUndone(): Step | undefined {
    return stepOf(this.db.prepare<[], StepRecord>(FIRST_UNDONE).get());
  }

  mark({ historyNo }: Step, isUndone: boolean): void {
    this.db
      .prepare('UPDATE annotation_history_row SET is_undone = ? WHERE history_no = ?')
      .run(Number(isUndone), historyNo);
  }
}

function stepOf(row: StepRecord | undefined): Step | undefined {
  return row === undefined ? undefined : { ...row, changes: JSON.parse(row.changes) as Change[] };
}
