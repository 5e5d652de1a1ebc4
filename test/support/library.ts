/** Temporary libraries and logs for tests, which never touch the user's files. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../../electron/ingest/identify.ts';
import { type IngestOptions, type IngestOutcome, ingest } from '../../electron/ingest/ingest.ts';
import { type ParseRequest, parseFile } from '../../electron/ingest/parseFile.ts';
import type { Parser } from '../../electron/ingest/readAhead.ts';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';

export interface Scratch {
  readonly directory: string;
  readonly library: string;
  /** Writes a file below the directory and returns its path. */
  file(name: string, content: string | Uint8Array): string;
  remove(): void;
}

export function scratch(): Scratch {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'turnwise-test-'));
  return {
    directory,
    library: join(directory, 'library.sqlite'),
    file(name, content) {
      const path = join(directory, name);
      writeFileSync(path, content);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Ingests on this thread: the same code as in the workers, without threads. */
export async function ingestHere(
  library: string,
  paths: readonly string[],
  options: IngestOptions = {},
  parser?: Parser,
): Promise<IngestOutcome> {
  const db = openWriter(library);
  try {
    return await ingestInto(db, paths, options, parser);
  } finally {
    db.close();
  }
}

/** Parses in this thread. */
export const parserHere = ({
  isCancelled,
  checkTime,
}: {
  readonly isCancelled?: (() => boolean) | undefined;
  /** As of `parseFile`. */
  readonly checkTime?: (request: ParseRequest) => void;
}): Parser => ({
  identify: (path, name, mappings) => identify(path, name, mappings?.detect),
  parse: (request, onBatch, signal) =>
    parseFile(
      request,
      async (batch) => onBatch(batch),
      () => signal?.aborted === true || isCancelled?.() === true,
      signal,
      () => checkTime?.(request),
    ),
});

/** Like `ingestHere`, on the caller's connection. */
export function ingestInto(
  db: ReturnType<typeof openWriter>,
  paths: readonly string[],
  options: IngestOptions = {},
  other?: Parser,
): Promise<IngestOutcome> {
  const parser = other ?? parserHere({ isCancelled: options.isCancelled });
  return ingest(paths, new LibraryWriter(db), parser, options);
}

export function rows(library: string, sql: string): readonly Record<string, unknown>[] {
  const db = openReader(library);
  try {
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

/** Everything visible to readers, in an order independent of row ids and paths. */
export function contents(library: string): Record<string, readonly Record<string, unknown>[]> {
  return {
    rollouts: rows(
      library,
      `SELECT n.run_key, r.step, r.problem_id, r.ordinal, r.reward, r.is_correct, r.answer, r.turns, r.tool_calls, r.tool_errors,
        r.stop_reason, r.kept, r.reason, r.penalty, r.policy_tokens, r.response_chars, r.line, r.content_hash
       FROM rollout r JOIN run n USING (run_id) ORDER BY 1, 2, 3, 4`,
    ),
    segments: rows(
      library,
      `SELECT n.run_key, r.step, r.problem_id, r.ordinal AS rollout, s.ordinal, s.turn, s.kind, s.text
       FROM segment s JOIN rollout r USING (rollout_id) JOIN run n USING (run_id) ORDER BY 1, 2, 3, 4, 5`,
    ),
    steps: rows(
      library,
      'SELECT n.run_key, s.* FROM step s JOIN run n USING (run_id) ORDER BY 1, s.step',
    ).map(({ run_id: _, ...step }) => step),
    issues: rows(library, 'SELECT line, severity, code, message FROM ingest_issue ORDER BY 1, 3'),
  };
}
