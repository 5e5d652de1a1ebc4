/** Writes the issues of log lines. Of a file with very many, the rest is counted, so that a few MB cannot fill the disk. */
import type { WritableLibrary } from './open.ts';
import { number, queryValue } from './rows.ts';

/** Issues of lines that are listed per file. */
const MOST_ISSUES = 10_000;

/** UTF-16 units. A message may quote what a log says. */
const LONGEST_MESSAGE = 2000;

export class IssueWriter {
  private readonly insert;
  private readonly countListed;
  private readonly addUnlisted;
  /** By file id, in the current batch. */
  private readonly listed = new Map<number, number>();
  private readonly unlisted = new Map<number, number>();

  constructor(db: WritableLibrary) {
    this.insert = db.prepare<[number, number | null, string, string, string]>(
      'INSERT INTO issue_row (file_id, line, severity, code, message) VALUES (?, ?, ?, ?, ?)',
    );
    this.countListed = queryValue(db, 'SELECT count(*) FROM issue_row WHERE file_id = ?', number);
    this.addUnlisted = db.prepare<[number, number]>(
      'UPDATE file_row SET unlisted_issues = unlisted_issues + ? WHERE file_id = ?',
    );
  }

  begin(): void {
    this.listed.clear();
    this.unlisted.clear();
  }

  /** Lists or counts the issue of a line, between `begin` and `finish`. */
  add(fileId: number, line: number | null, severity: string, code: string, message: string): void {
    const listed = this.listed.get(fileId) ?? this.countListed.get(fileId) ?? 0;
    this.listed.set(fileId, listed + 1);
    if (listed < MOST_ISSUES) this.list(fileId, line, severity, code, message);
    else this.unlisted.set(fileId, (this.unlisted.get(fileId) ?? 0) + 1);
  }

  /** For issues of a whole file, and of its last line. */
  list(fileId: number, line: number | null, severity: string, code: string, message: string): void {
    const shown =
      message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}…`;
    this.insert.run(fileId, line, severity, code, shown);
  }

  /** Call in the transaction of the batch. */
  finish(): void {
    for (const [fileId, count] of this.unlisted) this.addUnlisted.run(count, fileId);
  }
}
