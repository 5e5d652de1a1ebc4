/**
 * Reads, writes and deletes single annotations, review marks and conflicts. `annotationChanges.ts` groups
 * them into changes.
 */
import type { Annotation, ReviewMark, RolloutKey } from '../../shared/domain/annotate/annotation.ts';
import { canonical, contentText } from '../../shared/domain/annotate/identity.ts';
import type { AnnotationPlaces } from './annotationPlaces.ts';
import {
  ANNOTATION_COLUMNS,
  ANNOTATION_ROW,
  annotationFrom,
  annotationsFrom,
  annotationValues,
  keyValues,
  READING_COLUMNS,
  READING_ROW,
  readingFrom,
  versionFrom,
} from './annotationRecords.ts';
import { contentHash } from './contentHash.ts';
import type { WritableLibrary } from './open.ts';
import { number, oneOf, orNull, query, queryValue, text } from './rows.ts';

export interface Conflict {
  readonly conflictId: number;
  readonly annotationId: string;
  readonly theirs: Annotation;
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly taken: 'mine' | 'theirs' | 'both' | null;
}

const CONFLICT = `SELECT conflict_id AS conflictId, annotation_id AS annotationId, theirs, origin, at, taken
  FROM annotation_conflict_row`;
const CONFLICT_ROW = {
  ...{ conflictId: number, annotationId: text, theirs: text, origin: text, at: number },
  taken: orNull(oneOf(['mine', 'theirs', 'both'])),
};

const FROM = 'FROM annotation_row a JOIN annotated_row k USING (annotated_no)';
const READINGS = 'FROM reading_row d JOIN annotated_row k USING (annotated_no)';
const KEY_NAMES = [
  'run_key',
  'kind',
  'step',
  'group_key',
  'problem_id',
  'ordinal',
  'content_hash',
  'record_hash',
];

export class AnnotationStore {
  readonly places: AnnotationPlaces;
  private readonly sql;

  constructor(db: WritableLibrary, places: AnnotationPlaces) {
    this.places = places;
    const named = KEY_NAMES.map((name) => `${name} = :${name}`).join(' AND ');
    this.sql = {
      key: queryValue(db, `SELECT annotated_no FROM annotated_row WHERE ${named}`, number),
      addKey: db.prepare<[Record<string, unknown>]>(
        `INSERT INTO annotated_row (${KEY_NAMES.join(', ')}) VALUES (${KEY_NAMES.map((name) => `:${name}`).join(', ')})`,
      ),
      get: query(db, `SELECT ${ANNOTATION_COLUMNS} ${FROM} WHERE a.annotation_id = ?`, ANNOTATION_ROW),
      alike: query(db, `SELECT ${ANNOTATION_COLUMNS} ${FROM} WHERE a.likeness = ?`, ANNOTATION_ROW),
      ofRollout: query(
        db,
        `SELECT ${ANNOTATION_COLUMNS} ${FROM} JOIN annotated_place_row p USING (annotated_no) WHERE p.rollout_id = ?`,
        ANNOTATION_ROW,
      ),
      ofContent: query(
        db,
        `SELECT ${ANNOTATION_COLUMNS} ${FROM} JOIN annotated_place_row p USING (annotated_no)
        WHERE p.rollout_id = :rolloutId AND a.author = :author AND a.label IS :label AND a.note IS :note
          AND a.correction IS :correction AND a.severity IS :severity AND a.flag IS :flag`,
        ANNOTATION_ROW,
      ),
      ofKey: query(db, `SELECT ${ANNOTATION_COLUMNS} ${FROM} WHERE a.annotated_no = ?`, ANNOTATION_ROW),
      add: db.prepare<[Record<string, unknown>]>(`INSERT INTO annotation_row
        (annotation_id, annotated_no, target, label, note, correction, severity, flag, author, created_at, updated_at, likeness)
        VALUES (:annotation_id, :annotated_no, :target, :label, :note, :correction, :severity, :flag, :author, :created_at,
          :updated_at, :likeness)`),
      update: db.prepare<[Record<string, unknown>]>(`UPDATE annotation_row SET annotated_no = :annotated_no,
        target = :target, label = :label, note = :note, correction = :correction, severity = :severity, flag = :flag,
        author = :author, created_at = :created_at, updated_at = :updated_at, likeness = :likeness
        WHERE annotation_id = :annotation_id`),
      dropPlace: db.prepare<[string]>(
        'DELETE FROM annotation_place_row WHERE annotation_no = (SELECT annotation_no FROM annotation_row WHERE annotation_id = ?)',
      ),
      drop: db.prepare<[string]>('DELETE FROM annotation_row WHERE annotation_id = ?'),
      reading: query(
        db,
        `SELECT ${READING_COLUMNS} ${READINGS} WHERE d.annotated_no = ? AND d.author = ?`,
        READING_ROW,
      ),
      readingsHere: query(
        db,
        `SELECT ${READING_COLUMNS} ${READINGS} JOIN annotated_place_row p USING (annotated_no) WHERE p.rollout_id = ? AND d.author = ?`,
        READING_ROW,
      ),
      setReading: db.prepare<[number, string, string, number]>(
        'INSERT OR REPLACE INTO reading_row VALUES (?, ?, ?, ?)',
      ),
      dropReading: db.prepare<[number, string]>(
        'DELETE FROM reading_row WHERE annotated_no = ? AND author = ?',
      ),
      conflict: query(db, `${CONFLICT} WHERE conflict_id = ?`, CONFLICT_ROW),
      conflictOf: query(db, `${CONFLICT} WHERE annotation_id = ? AND theirs = ?`, CONFLICT_ROW),
      addConflict: db.prepare<[string, string, string, number]>(
        'INSERT OR IGNORE INTO annotation_conflict_row (annotation_id, theirs, origin, at) VALUES (?, ?, ?, ?)',
      ),
      setTaken: db.prepare<[string | null, number]>(
        'UPDATE annotation_conflict_row SET taken = ? WHERE conflict_id = ?',
      ),
    };
  }

  get(id: string): Annotation | undefined {
    const row = this.sql.get.get(id);
    return row === undefined ? undefined : annotationFrom(row);
  }

  alike(likeness: string): Annotation | undefined {
    return annotationsFrom(this.sql.alike.all(contentHash(likeness))).find(
      (each) => contentText(each) === likeness,
    );
  }

  /** Annotations of the same rollout, under any key. */
  beside(rollout: RolloutKey): readonly Annotation[] {
    const no = this.numberOf(rollout);
    if (no === undefined) return [];
    const here = this.rolloutOf(no);
    return annotationsFrom(here === undefined ? this.sql.ofKey.all(no) : this.sql.ofRollout.all(here));
  }

  /** Annotations of one rollout of this library, under any key, with the author and content of `annotation`. */
  ofContent(rolloutId: number, annotation: Annotation): readonly Annotation[] {
    const { author, label, note, correction, severity, flag } = annotationValues(annotation, 0);
    return annotationsFrom(
      this.sql.ofContent.all({ rolloutId, author, label, note, correction, severity, flag }),
    );
  }

  /** @param rolloutId the annotated rollout, if known; saves the search for it */
  set(annotation: Annotation, rolloutId?: number): void {
    const no = this.numberFor(annotation.rollout, rolloutId);
    const values = annotationValues(annotation, no);
    if (this.sql.update.run(values).changes === 0) this.sql.add.run(values);
    else this.sql.dropPlace.run(annotation.id);
  }

  remove(id: string): void {
    this.sql.dropPlace.run(id);
    this.sql.drop.run(id);
  }

  reading({ rollout, author }: Pick<ReviewMark, 'rollout' | 'author'>): ReviewMark | undefined {
    const no = this.numberOf(rollout);
    const row = no === undefined ? undefined : this.sql.reading.get(no, author);
    return row === undefined ? undefined : readingFrom(row);
  }

  /**
   * Review marks of one author on a rollout. There is one, unless the rollout was reviewed under several
   * keys.
   */
  readingsOf(rolloutId: number, author: string): readonly ReviewMark[] {
    return this.sql.readingsHere.all(rolloutId, author).map(readingFrom);
  }

  setReading(reading: ReviewMark, rolloutId?: number): void {
    const no = this.numberFor(reading.rollout, rolloutId);
    this.sql.setReading.run(no, reading.author, reading.verdict, reading.at);
  }

  removeReading({ rollout, author }: Pick<ReviewMark, 'rollout' | 'author'>): void {
    const no = this.numberOf(rollout);
    if (no !== undefined) this.sql.dropReading.run(no, author);
  }

  conflict(conflictId: number): Conflict | undefined {
    const row = this.sql.conflict.get(conflictId);
    if (row === undefined) return undefined;
    const { theirs: json, origin, ...conflict } = row;
    const theirs = versionFrom(json);
    return theirs === undefined ? undefined : { ...conflict, theirs, from: origin };
  }

  /** Whether the same version was offered before, decided or not. */
  hasConflict(theirs: Annotation): boolean {
    return this.sql.conflictOf.get(theirs.id, canonical(theirs)) !== undefined;
  }

  addConflict(theirs: Annotation, from: string, at: number): void {
    this.sql.addConflict.run(theirs.id, canonical(theirs), from, at);
  }

  setTaken(conflictId: number, taken: Conflict['taken']): void {
    this.sql.setTaken.run(taken, conflictId);
  }

  /** The number of the rollout's key in this library, if it has one. */
  numberOf(key: RolloutKey): number | undefined {
    return this.sql.key.get(keyValues(key));
  }

  /** The rollout of this library that the key belongs to. */
  rolloutOf(annotatedNo: number): number | undefined {
    return this.places.rolloutOf(annotatedNo);
  }

  private numberFor(key: RolloutKey, rolloutId: number | undefined): number {
    const known = this.numberOf(key);
    if (known === undefined) {
      const no = Number(this.sql.addKey.run(keyValues(key)).lastInsertRowid);
      if (rolloutId === undefined) this.places.forgetSearch();
      else this.places.placeAt(no, rolloutId);
      return no;
    }
    if (rolloutId !== undefined) this.places.placeAt(known, rolloutId);
    return known;
  }
}
