/** Queries of annotations by rollout, by number and in list order, and the facts for lists and reports. */
import type {
  AnnotationPosition,
  AnnotationRow,
  AuthorRow,
  ConflictRow,
  LabelCount,
  RolloutAnnotations,
  TaxonomyState,
} from '../../../shared/api/annotationRows.ts';
import type { ParsedParams } from '../../../shared/api/contract.ts';
import { ANCHOR_STATES, type AnchorState } from '../../../shared/domain/annotate/annotation.ts';
import {
  ANNOTATION_COLUMNS,
  ANNOTATION_ROW,
  type AnnotationRecord,
  annotationFrom,
  READING_COLUMNS,
  READING_ROW,
  readingFrom,
  versionFrom,
} from '../annotationRecords.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, oneOf, orNull, query, queryValue, type RowSpec, text } from '../rows.ts';
import { readTaxonomy } from '../taxonomies.ts';
import { isObject } from '../views.sql.ts';
import { questionBeginnings } from './questions.ts';

const COLUMNS = `${ANNOTATION_COLUMNS}, r.rollout_id, r.run_id, n.run_key AS place_run, r.step AS place_step, r.group_id,
  coalesce(s.state, 'orphaned') AS state, s.start AS place_start, s.end AS place_end,
  (SELECT count(*) FROM annotation_conflict_row c WHERE c.annotation_id = a.annotation_id AND c.taken IS NULL) AS conflicts`;
/** Joins the rollout and position of an annotation, if known. */
const PLACED = `LEFT JOIN annotated_place_row p ON p.annotated_no = a.annotated_no
  LEFT JOIN rollout_row r ON r.rollout_id = p.rollout_id LEFT JOIN run_row n ON n.run_id = r.run_id
  LEFT JOIN annotation_place_row s ON s.annotation_no = a.annotation_no`;
const KEYED = 'JOIN annotated_row k ON k.annotated_no = a.annotated_no';

const OF_ROLLOUT = `FROM annotated_place_row p JOIN annotation_row a ON a.annotated_no = p.annotated_no
  WHERE p.rollout_id = ?`;
/** The ones that were added last, in the order of the text. */
export const ANNOTATIONS_OF_ROLLOUT = `SELECT ${COLUMNS}
  FROM (SELECT a.annotation_no ${OF_ROLLOUT} ORDER BY a.annotation_no DESC LIMIT ?) listed
  JOIN annotation_row a ON a.annotation_no = listed.annotation_no ${KEYED} ${PLACED}
  ORDER BY s.start, a.created_at, a.annotation_no`;
const ANNOTATION_COUNT = `SELECT count(*) ${OF_ROLLOUT}`;
export const ANNOTATIONS_BY_NUMBER = `SELECT ${COLUMNS} FROM json_each(?) ids
  JOIN annotation_row a ON a.annotation_no = ids.value ${KEYED} ${PLACED} ORDER BY ids.key`;
export const ANNOTATIONS_BY_ID = `SELECT ${COLUMNS} FROM json_each(?) ids
  JOIN annotation_row a ON a.annotation_id = ids.value ${KEYED} ${PLACED} ORDER BY ids.key`;
export const READINGS_OF_ROLLOUT = `SELECT ${READING_COLUMNS}, p.rollout_id FROM annotated_place_row p
  JOIN reading_row d ON d.annotated_no = p.annotated_no JOIN annotated_row k ON k.annotated_no = p.annotated_no
  WHERE p.rollout_id = ? ORDER BY d.author, d.at`;
const CONFLICTS = `SELECT conflict_id, annotation_id, theirs, origin, at FROM annotation_conflict_row
  WHERE taken IS NULL ORDER BY conflict_id`;

interface RowRecord extends AnnotationRecord {
  rollout_id: number | null;
  /** Null if the rollout is not in this library, like all columns below. */
  run_id: number | null;
  place_run: string | null;
  place_step: number | null;
  group_id: number | null;
  state: AnchorState;
  place_start: number | null;
  place_end: number | null;
  conflicts: number;
}

const ROW: RowSpec<RowRecord> = {
  ...ANNOTATION_ROW,
  rollout_id: orNull(number),
  run_id: orNull(number),
  place_run: orNull(text),
  place_step: orNull(number),
  group_id: orNull(number),
  state: oneOf(ANCHOR_STATES),
  place_start: orNull(number),
  place_end: orNull(number),
  conflicts: number,
};

/** Annotations whose target cannot be read are left out. */
function rowsOf(records: readonly RowRecord[]): readonly AnnotationRow[] {
  return records.flatMap((record) => {
    const annotation = annotationFrom(record);
    if (annotation === undefined) return [];
    const { annotation_no: annotationNo, conflicts } = record;
    const place = placeOf(record);
    return [{ ...annotation, annotationNo, conflicts, ...(place === undefined ? {} : { place }) }];
  });
}

function placeOf(row: RowRecord): AnnotationPosition | undefined {
  const {
    rollout_id: rolloutId,
    run_id: runId,
    place_run: runKey,
    place_step: step,
    group_id: groupId,
  } = row;
  if (rolloutId === null || runId === null || runKey === null || step === null || groupId === null)
    return undefined;
  return {
    ...{ rolloutId, runId, runKey, step, groupId },
    state: row.state,
    ...(row.place_start === null || row.place_end === null
      ? {}
      : { start: row.place_start, end: row.place_end }),
  };
}

/** A page would stop for seconds over 100,000. They are all listed by `annotation.order`. */
const MOST_LISTED = 5_000;

/** @param most Negative: all */
export function annotationsOfRollout(
  db: ReadableLibrary,
  rolloutId: number,
  most = MOST_LISTED,
): RolloutAnnotations {
  const annotations = rowsOf(query(db, ANNOTATIONS_OF_ROLLOUT, ROW).all(rolloutId, most));
  const total = queryValue(db, ANNOTATION_COUNT, number).get(rolloutId) ?? 0;
  const readings = query(db, READINGS_OF_ROLLOUT, {
    ...READING_ROW,
    rollout_id: number,
  }).all(rolloutId);
  return {
    annotations,
    ...(total > annotations.length ? { unlisted: total - annotations.length } : {}),
    readings: readings.map((row) => ({ ...readingFrom(row), rolloutId: row.rollout_id })),
    revision: annotationRevision(db),
  };
}

const PROBLEM_OF_GROUP = 'SELECT problem_no FROM group_row WHERE group_id = ?';

/** Rows of a list, with the beginning of each problem's question. */
export function annotationRows(db: ReadableLibrary, numbers: readonly number[]): readonly AnnotationRow[] {
  const problemOf = queryValue(db, PROBLEM_OF_GROUP, number);
  const questionOf = questionBeginnings(db);
  return rowsOf(query(db, ANNOTATIONS_BY_NUMBER, ROW).all(JSON.stringify(numbers))).map((row) => {
    const problemNo = row.place && problemOf.get(row.place.groupId);
    const question = problemNo === undefined ? '' : questionOf(problemNo);
    return question === '' ? row : { ...row, question };
  });
}

export function annotationsById(db: ReadableLibrary, ids: readonly string[]): readonly AnnotationRow[] {
  return rowsOf(query(db, ANNOTATIONS_BY_ID, ROW).all(JSON.stringify(ids)));
}

type Order = Pick<ParsedParams<'annotation.order'>, 'runId' | 'labels' | 'author' | 'states' | 'sort'>;

const STATE = "iif(r.rollout_id IS NULL, 'unattached', coalesce(s.state, 'orphaned'))";

export function annotationOrderSql({ runId, labels, author, states, sort }: Order): string {
  const where = [
    isObject('a.target'),
    ...(runId === undefined ? [] : ['r.run_id = :runId']),
    ...(labels === undefined ? [] : ['a.label IN (SELECT value FROM json_each(:labels))']),
    ...(author === undefined ? [] : ['a.author = :author']),
    ...(states === undefined ? [] : [`${STATE} IN (SELECT value FROM json_each(:states))`]),
  ];
  const order =
    sort === 'latest'
      ? 'a.updated_at DESC, a.annotation_no DESC'
      : 'r.rollout_id IS NULL, r.run_id, r.step, r.group_id, r.ordinal, s.start, a.created_at, a.annotation_no';
  return `SELECT a.annotation_no AS annotationNo, r.rollout_id AS rolloutId FROM annotation_row a ${PLACED}
    WHERE ${where.join(' AND ')} ORDER BY ${order}`;
}

/** Annotation numbers with their rollouts; null when the rollout is not in this library. */
export function annotationOrder(
  db: ReadableLibrary,
  asked: Order,
): readonly { readonly annotationNo: number; readonly rolloutId: number | null }[] {
  const { runId, labels, author, states } = asked;
  return query(db, annotationOrderSql(asked), { annotationNo: number, rolloutId: orNull(number) }).all({
    ...(runId === undefined ? {} : { runId }),
    ...(author === undefined ? {} : { author }),
    ...(labels === undefined ? {} : { labels: JSON.stringify(labels) }),
    ...(states === undefined ? {} : { states: JSON.stringify(states) }),
  });
}

export function taxonomyState(db: ReadableLibrary): TaxonomyState {
  const counts = query<LabelCount>(
    db,
    `SELECT a.label, count(*) AS annotations, count(DISTINCT coalesce('r' || p.rollout_id, 'k' || a.annotated_no)) AS rollouts
       FROM annotation_row a LEFT JOIN annotated_place_row p USING (annotated_no)
       WHERE a.label IS NOT NULL GROUP BY a.label ORDER BY a.label`,
    { label: text, annotations: number, rollouts: number },
  ).all();
  return { ...readTaxonomy(db), counts };
}

export function listConflicts(db: ReadableLibrary): readonly ConflictRow[] {
  const rows = query(db, CONFLICTS, {
    ...{ conflict_id: number, annotation_id: text, theirs: text, origin: text, at: number },
  }).all();
  const mine = new Map(
    annotationsById(db, [...new Set(rows.map((row) => row.annotation_id))]).map((row) => [row.id, row]),
  );
  return rows.flatMap((row) => {
    const ours = mine.get(row.annotation_id);
    const theirs = versionFrom(row.theirs);
    if (theirs === undefined) return [];
    return {
      conflictId: row.conflict_id,
      ...(ours === undefined ? {} : { mine: ours }),
      theirs,
      from: row.origin,
      at: row.at,
    };
  });
}

export function listAuthors(db: ReadableLibrary): readonly AuthorRow[] {
  return query<AuthorRow>(
    db,
    `SELECT author, sum(is_annotation) AS annotations, count(DISTINCT rollout) AS read, max(at) AS latest FROM (
         SELECT a.author, 1 AS is_annotation, iif(a.label IS NULL, NULL, coalesce('r' || p.rollout_id, 'k' || a.annotated_no)) AS rollout, a.updated_at AS at
         FROM annotation_row a LEFT JOIN annotated_place_row p USING (annotated_no)
         UNION ALL
         SELECT d.author, 0, iif(d.verdict = 'read', coalesce('r' || p.rollout_id, 'k' || d.annotated_no), NULL), d.at
         FROM reading_row d LEFT JOIN annotated_place_row p USING (annotated_no))
       GROUP BY author ORDER BY latest DESC, author`,
    { author: text, annotations: number, read: number, latest: number },
  ).all();
}

/** A revision that changes with annotations, review marks, labels and text positions. */
export function annotationRevision(db: ReadableLibrary): number {
  return queryValue(db, 'SELECT revision FROM annotation_state_row', number).get() ?? 0;
}

/** An annotation whose rollout is in this library. */
export interface PlacedAnnotation {
  readonly annotationNo: number;
  readonly rolloutId: number;
  readonly runId: number;
  readonly author: string;
  readonly label: string | null;
  readonly severity: string | null;
  readonly note: string | null;
}

export const PLACED_ANNOTATIONS = `SELECT a.annotation_no AS annotationNo, p.rollout_id AS rolloutId, r.run_id AS runId,
    a.author, a.label, a.severity, a.note
  FROM annotation_row a JOIN annotated_place_row p ON p.annotated_no = a.annotated_no
  JOIN rollout_row r ON r.rollout_id = p.rollout_id`;

const PLACED_ROW: RowSpec<PlacedAnnotation> = {
  annotationNo: number,
  rolloutId: number,
  runId: number,
  author: text,
  label: orNull(text),
  severity: orNull(text),
  note: orNull(text),
};

export function placedAnnotations(db: ReadableLibrary): readonly PlacedAnnotation[] {
  return query(db, PLACED_ANNOTATIONS, PLACED_ROW).all();
}

export interface PlacedReading {
  readonly rolloutId: number;
  readonly runId: number;
  readonly author: string;
  readonly verdict: 'read' | 'skipped';
}

export const PLACED_READINGS = `SELECT p.rollout_id AS rolloutId, r.run_id AS runId, d.author, d.verdict
  FROM reading_row d JOIN annotated_place_row p ON p.annotated_no = d.annotated_no
  JOIN rollout_row r ON r.rollout_id = p.rollout_id`;

const PLACED_READING_ROW: RowSpec<PlacedReading> = {
  rolloutId: number,
  runId: number,
  author: text,
  verdict: oneOf(['read', 'skipped']),
};

export function placedReadings(db: ReadableLibrary): readonly PlacedReading[] {
  return query(db, PLACED_READINGS, PLACED_READING_ROW).all();
}

export function countUnattached(db: ReadableLibrary): number {
  const query = `SELECT count(*) FROM annotation_row a
    WHERE NOT EXISTS (SELECT 1 FROM annotated_place_row p WHERE p.annotated_no = a.annotated_no)`;
  return queryValue(db, query, number).get() ?? 0;
}

/** The facts that reports on annotations are computed from. */
export interface AnnotatedFacts {
  readonly rolloutId: number;
  readonly runId: number;
  readonly runKey: string;
  readonly step: number;
  readonly groupId: number;
  readonly isCorrect: number | null;
  readonly kept: number | null;
  /** JSON list of distinct outcomes. */
  readonly outcomes: string;
}

export const ANNOTATED_FACTS = `SELECT r.rollout_id AS rolloutId, r.run_id AS runId, n.run_key AS runKey, r.step,
    r.group_id AS groupId, r.is_correct AS isCorrect, r.kept,
    (SELECT json_group_array(DISTINCT c.outcome) FROM tool_call_row c WHERE c.rollout_id = r.rollout_id) AS outcomes
  FROM json_each(?) ids JOIN rollout_row r ON r.rollout_id = ids.value JOIN run_row n ON n.run_id = r.run_id`;

const FACTS_ROW: RowSpec<AnnotatedFacts> = {
  rolloutId: number,
  runId: number,
  runKey: text,
  step: number,
  groupId: number,
  isCorrect: orNull(number),
  kept: orNull(number),
  outcomes: text,
};

export function annotatedFacts(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): ReadonlyMap<number, AnnotatedFacts> {
  const rows = query(db, ANNOTATED_FACTS, FACTS_ROW).all(JSON.stringify(rolloutIds));
  return new Map(rows.map((row) => [row.rolloutId, row]));
}

/** @param runId absent: all runs */
export function countRollouts(db: ReadableLibrary, runId: number | undefined): number {
  const where = runId === undefined ? '' : 'WHERE run_id = :runId';
  const count = queryValue(db, `SELECT coalesce(sum(rollouts), 0) FROM step_row ${where}`, number);
  return (runId === undefined ? count.get() : count.get({ runId })) ?? 0;
}

/** Selects the rollouts that exist, with their groups, in the given order. */
export const GROUPS_OF_ROLLOUTS = `SELECT r.rollout_id AS rolloutId, r.group_id AS groupId, r.run_id AS runId FROM json_each(?) ids
  JOIN rollout_row r ON r.rollout_id = ids.value ORDER BY ids.key`;

export function groupsOfRollouts(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): readonly { readonly rolloutId: number; readonly groupId: number; readonly runId: number }[] {
  const row = { rolloutId: number, groupId: number, runId: number };
  return query(db, GROUPS_OF_ROLLOUTS, row).all(JSON.stringify(rolloutIds));
}

/** In library order. */
export function runIdsOf(db: ReadableLibrary): readonly number[] {
  return queryValue(db, 'SELECT run_id FROM run_row ORDER BY run_id', number).all();
}
