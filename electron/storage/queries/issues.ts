import type { FileRow, IssueRow, ParsedParams, ResultOf, UnreadFile } from '../../../shared/api/contract.ts';
import { type IngestIssue, ISSUE_SEVERITIES } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, oneOf, optional, query, type RowSpec, text } from '../rows.ts';
import { unmatchedMessage } from '../views.sql.ts';

/** A file belongs to a run if it contributed rollouts. Files without rollouts belong to no run. */
const IN_RUN = `(:runId IS NULL OR EXISTS (SELECT 1 FROM run_file_row rf
  WHERE rf.run_id = :runId AND rf.file_id = f.file_id))`;

/** Lines that wait for their rollout are listed as issues, after all others. */
const ALL_ISSUES = `(
  SELECT issue_id, file_id, line, severity, code, message FROM issue_row
  UNION ALL
  SELECT 1000000000000 + pending_id, file_id, line, 'warning', 'unmatched_' || kind,
    ${unmatchedMessage('pending_row')}
  FROM pending_row)`;
const WANTED = `${IN_RUN} AND (:code IS NULL OR i.code = :code)`;
/** Equal warnings of one file are one row. Problems that lost data have a row each and come first. */
const ISSUES = `SELECT min(i.issue_id) AS issueId, f.path, f.unit, min(i.line) AS line,
    iif(count(*) > 1, max(i.line), NULL) AS lastLine, count(*) AS records, i.severity, i.code, i.message
  FROM ${ALL_ISSUES} i JOIN file_row f USING (file_id) WHERE ${WANTED}
  GROUP BY i.file_id, i.severity, i.code, i.message, iif(i.severity = 'refused', i.issue_id, 0)
  ORDER BY i.severity <> 'refused', min(i.issue_id) LIMIT :limit OFFSET :after`;
const ISSUE_COUNT = `SELECT count(*) AS total, count(*) FILTER (WHERE i.severity = 'refused') AS refused FROM ${ALL_ISSUES} i JOIN file_row f USING (file_id) WHERE ${WANTED}`;
const FILES = `SELECT f.file_id AS fileId, f.path, f.format, f.bytes, f.status,
    (SELECT count(*) FROM rollout_row r WHERE r.file_id = f.file_id) AS rollouts,
    (SELECT count(*) FROM issue_row i WHERE i.file_id = f.file_id)
      + (SELECT count(*) FROM pending_row p WHERE p.file_id = f.file_id) AS issues
  FROM file_row f WHERE ${IN_RUN} ORDER BY f.path`;
const ISSUES_OF_FILE = `SELECT line, severity, code, message FROM ingest_issue WHERE path = ? ORDER BY line`;

const ISSUE_ROW: RowSpec<IssueRow> = {
  issueId: number,
  path: text,
  unit: text,
  line: optional(number),
  lastLine: optional(number),
  records: number,
  severity: oneOf(ISSUE_SEVERITIES),
  code: text,
  message: text,
};

const FILE_ROW: RowSpec<FileRow> = {
  fileId: number,
  path: text,
  format: optional(text),
  bytes: number,
  status: oneOf(['read', 'partial', 'refused']),
  rollouts: number,
  issues: number,
};

const FILE_ISSUE_ROW: RowSpec<IngestIssue> = {
  line: optional(number),
  severity: oneOf(ISSUE_SEVERITIES),
  code: text,
  message: text,
};

export function listIssues(db: ReadableLibrary, params: ParsedParams<'issue.list'>): ResultOf<'issue.list'> {
  const scope = { runId: params.runId ?? null, code: params.code ?? null };
  const page = { ...scope, after: params.after, limit: params.limit };
  const issues = query(db, ISSUES, ISSUE_ROW).all(page);
  const counts = query(db, ISSUE_COUNT, { total: number, refused: number }).get(scope);
  return {
    issues,
    total: counts?.total ?? 0,
    refused: counts?.refused ?? 0,
    ...(issues.length === params.limit ? { next: params.after + params.limit } : {}),
  };
}

export function listFiles(db: ReadableLibrary, params: ParsedParams<'file.list'>): readonly FileRow[] {
  return query(db, FILES, FILE_ROW).all({ runId: params.runId ?? null });
}

export function issuesOfFile(db: ReadableLibrary, path: string): readonly IngestIssue[] {
  return query(db, ISSUES_OF_FILE, FILE_ISSUE_ROW).all(path);
}

const MOST_UNREAD = 10_000;
const UNREAD = `SELECT path, format, records, bytes_read AS bytesRead, bytes, has_adapter AS hasAdapter,
  group_concat(run_id) AS runs FROM unread_file
  GROUP BY path ORDER BY path LIMIT ${MOST_UNREAD}`;

const UNREAD_ROW: RowSpec<Omit<UnreadFile, 'runIds' | 'hasGrown'> & { readonly runs?: string }> = {
  path: text,
  format: optional(text),
  records: number,
  bytesRead: optional(number),
  bytes: number,
  hasAdapter: boolean,
  runs: optional(text),
};

/** Files that an ingest found but did not read to the end. */
export function unreadFiles(db: ReadableLibrary): readonly UnreadFile[] {
  return query(db, UNREAD, UNREAD_ROW)
    .all()
    .map(({ runs, ...file }) => ({ ...file, runIds: idsIn(runs) }));
}

const idsIn = (runs: string | undefined): number[] => (runs ?? '').split(',').filter(Boolean).map(Number);

/** A log that still grows is among these, and looking at more would take long on a remote file system. */
const MOST_LOOKED_AT = 200;
const LAST_CHANGED = `SELECT f.path, f.format, f.lines AS records, f.bytes,
    (SELECT group_concat(rf.run_id) FROM run_file_row rf WHERE rf.file_id = f.file_id) AS runs
  FROM file_row f WHERE f.status = 'read' AND f.container = 'plain' AND f.adapter IS NULL
    AND f.path NOT IN (SELECT path FROM unread_row)
  ORDER BY f.mtime_ms DESC LIMIT ${MOST_LOOKED_AT}`;

const LAST_CHANGED_ROW: RowSpec<
  Pick<UnreadFile, 'path' | 'format' | 'records' | 'bytes'> & { readonly runs?: string }
> = {
  path: text,
  format: optional(text),
  records: number,
  bytes: number,
  runs: optional(text),
};

/** Logs that were read to the end that they had then, the last changed first: they may have grown. */
export function filesChangedLast(db: ReadableLibrary): readonly UnreadFile[] {
  return query(db, LAST_CHANGED, LAST_CHANGED_ROW)
    .all()
    .map(({ runs, ...file }) => ({
      ...file,
      bytesRead: file.bytes,
      runIds: idsIn(runs),
      hasAdapter: false,
      hasGrown: true,
    }));
}
