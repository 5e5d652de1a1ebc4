/** Libraries with annotations, and all their annotations independent of row numbers. */
import { Annotations } from '../../electron/storage/annotations.ts';
import { openWriter, type WritableLibrary } from '../../electron/storage/open.ts';
import type { AppliedChanges } from '../../shared/api/annotationRows.ts';
import type { ParamsOf, ParsedParams } from '../../shared/api/contract.ts';

export type Asked = ParamsOf<'annotation.apply'>['changes'][number];

/** The writer's side of annotations, on this thread. The clock advances by one with every change. */
export class Labelled {
  readonly db: WritableLibrary;
  readonly annotations: Annotations;
  private now = 1_000;

  constructor(library: string) {
    this.db = openWriter(library);
    this.annotations = new Annotations(this.db);
  }

  apply(author: string, ...changes: readonly Asked[]): AppliedChanges {
    const asked = { author, changes: [...changes] } as ParsedParams<'annotation.apply'>;
    return this.annotations.apply(asked, this.now++).value;
  }

  /** @param author undoes only changes of this author */
  undo(author?: string): AppliedChanges {
    return this.annotations.undo({ author }).value;
  }

  redo(author?: string): AppliedChanges {
    return this.annotations.redo({ author }).value;
  }

  rollouts(): readonly number[] {
    return this.db
      .prepare('SELECT rollout_id FROM rollout_row ORDER BY rollout_id')
      .pluck()
      .all() as number[];
  }

  /** All annotations with their positions. */
  said(): readonly unknown[] {
    return [
      ...this.db.prepare('SELECT * FROM annotation ORDER BY annotation_id').all(),
      ...this.db
        .prepare(
          "SELECT * FROM reading WHERE verdict <> 'labelled' ORDER BY run_key, step, group_key, ordinal, author",
        )
        .all(),
      ...this.db
        .prepare('SELECT annotation_id, theirs, taken FROM annotation_conflict_row ORDER BY conflict_id')
        .all(),
    ];
  }

  close(): void {
    this.db.close();
  }
}
