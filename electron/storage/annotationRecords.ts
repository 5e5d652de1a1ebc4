/** Converts annotations and review marks to rows and back. */
import {
  type Annotation,
  type AnnotationTarget,
  type ReviewMark,
  type RolloutKey,
  SEVERITIES,
  type Severity,
} from '../../shared/domain/annotate/annotation.ts';
import { contentText } from '../../shared/domain/annotate/identity.ts';
import { FLAGS } from '../../shared/domain/flags.ts';
import { RUN_KINDS, type RunKind } from '../../shared/domain/model.ts';
import { tryParseJson } from '../../shared/domain/parseJson.ts';
import { parseAnnotation, parseTarget } from '../../shared/format/packAnnotations.ts';
import { contentHash } from './contentHash.ts';
import { number, oneOf, orNull, type RowSpec, text } from './rows.ts';

export const KEY_COLUMNS = `k.run_key, k.kind, k.step, k.group_key, k.problem_id, k.ordinal, k.content_hash, k.record_hash`;

export interface KeyRecord {
  run_key: string;
  kind: RunKind;
  step: number;
  group_key: string;
  problem_id: string;
  ordinal: number;
  content_hash: string;
  record_hash: string;
}

export const KEY_ROW: RowSpec<KeyRecord> = {
  run_key: text,
  kind: oneOf(RUN_KINDS),
  step: number,
  group_key: text,
  problem_id: text,
  ordinal: number,
  content_hash: text,
  record_hash: text,
};

function keyOf(row: KeyRecord): RolloutKey {
  return {
    run: row.run_key,
    kind: row.kind,
    step: row.step,
    group: row.group_key,
    problem: row.problem_id,
    ordinal: row.ordinal,
    contentHash: row.content_hash,
    ...(row.record_hash === '' ? {} : { recordHash: row.record_hash }),
  };
}

export function keyValues(key: RolloutKey): Record<keyof KeyRecord, string | number> {
  return {
    run_key: key.run,
    kind: key.kind,
    step: key.step,
    group_key: key.group,
    problem_id: key.problem,
    ordinal: key.ordinal,
    content_hash: key.contentHash,
    record_hash: key.recordHash ?? '',
  };
}

export interface AnnotationRecord extends KeyRecord {
  annotation_no: number;
  annotation_id: string;
  annotated_no: number;
  target: string;
  label: string | null;
  note: string | null;
  correction: string | null;
  severity: Severity | null;
  flag: string | null;
  author: string;
  created_at: number;
  updated_at: number;
}

export const ANNOTATION_ROW: RowSpec<AnnotationRecord> = {
  ...KEY_ROW,
  annotation_no: number,
  annotation_id: text,
  annotated_no: number,
  target: text,
  label: orNull(text),
  note: orNull(text),
  correction: orNull(text),
  severity: orNull(oneOf(SEVERITIES)),
  flag: orNull(text),
  author: text,
  created_at: number,
  updated_at: number,
};

export const ANNOTATION_COLUMNS = `a.annotation_no, a.annotation_id, a.annotated_no, a.target, a.label, a.note,
  a.correction, a.severity, a.flag, a.author, a.created_at, a.updated_at, ${KEY_COLUMNS}`;

/** @returns undefined for JSON in a form that Turnwise does not write; `libraryCheck.ts` reports it */
export function targetFrom(json: string): AnnotationTarget | undefined {
  return parseTarget(tryParseJson(json));
}

/** @returns undefined for a version in a form that Turnwise does not write */
export function versionFrom(json: string): Annotation | undefined {
  const checked = parseAnnotation(tryParseJson(json));
  return checked.ok ? checked.value : undefined;
}

/** An annotation whose target cannot be read is left out. */
export const annotationsFrom = (rows: readonly AnnotationRecord[]): readonly Annotation[] =>
  rows.flatMap((row) => annotationFrom(row) ?? []);

export function annotationFrom(row: AnnotationRecord): Annotation | undefined {
  const target = targetFrom(row.target);
  if (target === undefined) return undefined;
  const flag = FLAGS.find((known) => known === row.flag);
  return {
    id: row.annotation_id,
    rollout: keyOf(row),
    target,
    ...(row.label === null ? {} : { label: row.label }),
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.correction === null ? {} : { correction: row.correction }),
    ...(row.severity === null ? {} : { severity: row.severity }),
    ...(flag === undefined ? {} : { flag }),
    author: row.author,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function annotationValues(annotation: Annotation, annotatedNo: number) {
  return {
    annotation_id: annotation.id,
    annotated_no: annotatedNo,
    target: JSON.stringify(annotation.target),
    label: annotation.label ?? null,
    note: annotation.note ?? null,
    correction: annotation.correction ?? null,
    severity: annotation.severity ?? null,
    flag: annotation.flag ?? null,
    author: annotation.author,
    created_at: annotation.createdAt,
    updated_at: annotation.updatedAt,
    likeness: contentHash(contentText(annotation)),
  };
}

export interface ReadingRecord extends KeyRecord {
  annotated_no: number;
  author: string;
  verdict: ReviewMark['verdict'];
  at: number;
}

export const READING_ROW: RowSpec<ReadingRecord> = {
  ...KEY_ROW,
  annotated_no: number,
  author: text,
  verdict: oneOf(['read', 'skipped']),
  at: number,
};

export const READING_COLUMNS = `d.annotated_no, d.author, d.verdict, d.at, ${KEY_COLUMNS}`;

export function readingFrom(row: ReadingRecord): ReviewMark {
  return { rollout: keyOf(row), author: row.author, verdict: row.verdict, at: row.at };
}
