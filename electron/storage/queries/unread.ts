/** Files that an ingest has found and not read to their end. */
import type { UnreadFile } from '../../../shared/api/contract.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, optional, query, text } from '../rows.ts';

const MOST = 10_000;
const UNREAD = `SELECT DISTINCT path, format, records, bytes_read AS bytesRead, bytes FROM unread_file
  ORDER BY path LIMIT ${MOST}`;

export function unreadFiles(db: ReadableLibrary): readonly UnreadFile[] {
  return query<UnreadFile>(db, UNREAD, {
    ...{ path: text, format: optional(text), records: number, bytesRead: optional(number), bytes: number },
  }).all();
}
