/**
 * A process for a user's SQL statement. SQLite cannot be interrupted inside a statement, so stopping one
 * means killing its process. Reads one request, streams rows, exits.
 */
import { constants, setPriority } from 'node:os';
import type { SqlValue } from '../../shared/api/sqlRows.ts';
import { storageFailure, unreadableMessage } from '../storage/storageFailure.ts';
import type { UserStatement } from '../storage/userStatement.ts';
import { connectToParent, watchProcess } from '../threads/parentProcess.ts';
import { entryOf } from './entry.ts';
import type { SqlMessage, SqlPageTaken, SqlRequest } from './sqlMessages.ts';

/** Rows per message: enough to make messages cheap, few enough to show the first page at once. */
const PAGE = 500;
/** Approximate size limit of a page, because texts can be long. */
const PAGE_BYTES = 2_000_000;
/** Bytes. A statement that accumulates data without end must not exhaust the machine. */
const MOST_MEMORY = 1.5 * 2 ** 30;

const parent = connectToParent<SqlMessage, SqlRequest | SqlPageTaken>();
let onTaken: () => void = () => undefined;
parent.receive((message) => {
  if ('kind' in message) onTaken();
  else void answer(message);
});

/** Resolves when the next page is wanted. */
function send(message: SqlMessage): Promise<void> {
  return new Promise((resolve) => {
    if (message.kind === 'rows') onTaken = resolve;
    else resolve();
    parent.send(message);
  });
}

async function answer(request: SqlRequest): Promise<void> {
  const { values } = request;
  const isShown = values === 'shown';
  try {
    void watchProcess(entryOf('watchdog'), { mostMemory: MOST_MEMORY });
    let page: (readonly unknown[])[] = [];
    let bytes = 0;
    const sendPage = async (): Promise<void> => {
      await send({ kind: 'rows', rows: page });
      page = [];
      bytes = 0;
    };
    for await (const { columns, rows } of partsOf(request)) {
      if (columns !== undefined) await send({ kind: 'columns', columns });
      for (const row of rows) {
        const sent = values === undefined ? row : shownRow(row, isShown);
        bytes += pageSize(sent);
        page.push(sent);
        if (page.length >= PAGE || bytes >= PAGE_BYTES) await sendPage();
      }
    }
    if (page.length > 0) await sendPage();
    await send({ kind: 'done' });
  } catch (error) {
    const failure = storageFailure(error, request.libraryPath);
    // Unless the list of tables is damaged, the check names the damaged tables.
    const isUnreadable =
      request.isCheck === true &&
      error instanceof Error &&
      'code' in error &&
      (error.code === 'SQLITE_CORRUPT' || error.code === 'SQLITE_NOTADB');
    const message = isUnreadable
      ? unreadableMessage(request.libraryPath)
      : (failure?.message ?? (error instanceof Error ? error.message : String(error)));
    const at = error instanceof Error && 'at' in error ? (error.at as SqlRefusalPlace) : undefined;
    await send({ kind: 'refused', message, ...(at === undefined ? {} : { at }) });
  }
  // The channel is flushed before the process exits.
  process.disconnect?.();
}

/** A part of a result. The first one has the names of the columns. */
interface ResultPart {
  readonly columns?: readonly string[];
  readonly rows: Iterable<readonly unknown[]>;
}

async function* partsOf(request: SqlRequest): AsyncGenerator<ResultPart> {
  const { sql, inWarehouse } = request;
  if (inWarehouse !== undefined) {
    const { warehouseResult } = await import('../warehouse/statement.ts');
    yield* warehouseResult(inWarehouse.named, sql, inWarehouse.timeoutMs);
    return;
  }
  const statement = await statementOf(request);
  yield { columns: statement.columns, rows: statement.rows() };
}

async function statementOf({ libraryPath, sql, values, isCheck }: SqlRequest): Promise<UserStatement> {
  const { assertTrees, openDamaged, openReader } = await import('../storage/open.ts');
  if (isCheck === true) {
    setPriority(constants.priority.PRIORITY_LOW);
    const { checkLibrary } = await import('../storage/libraryCheck.ts');
    return checkLibrary(openDamaged(libraryPath));
  }
  assertTrees(libraryPath);
  const { AlteredDatabaseError, alteredObject } = await import('../storage/migrate.ts');
  const { prepareUserStatement } = await import('../storage/userStatement.ts');
  const db = openReader(libraryPath);
  // The command line has no writer that would have compared it.
  const altered = alteredObject(db);
  if (altered !== undefined) throw new AlteredDatabaseError(libraryPath, altered);
  return prepareUserStatement(db, sql, { isExact: values !== undefined });
}

type SqlRefusalPlace = Extract<SqlMessage, { kind: 'refused' }>['at'];

/** UTF-16 units of a text that the console shows; more than fits a window. */
const SHOWN_CHARS = 20_000;

/**
 * @param row integers as bigint
 * @returns numbers where they are exact, otherwise `SqlValue` or bigint
 */
function shownRow(row: readonly unknown[], isShown: boolean): unknown[] {
  return row.map((value) => {
    if (typeof value === 'bigint') {
      const number = Number(value);
      if (Number.isSafeInteger(number)) return number;
      return isShown ? ({ kind: 'integer', digits: String(value) } satisfies SqlValue) : value;
    }
    return isShown ? shown(value) : value;
  });
}

function shown(value: unknown): SqlValue {
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value.byteLength };
  // A wire may be JSON, which cannot represent these.
  if (typeof value === 'number') return Number.isFinite(value) ? value : value > 0 ? '∞' : '−∞';
  if (typeof value !== 'string') return null;
  return value.length <= SHOWN_CHARS ? value : { kind: 'cut', text: beginning(value), chars: value.length };
}

/** The beginning of a text, without splitting a surrogate pair. */
function beginning(text: string): string {
  const isInsidePair = (text.codePointAt(SHOWN_CHARS - 1) ?? 0) > 0xffff;
  // Copies, because a slice would keep the whole text in memory.
  return Buffer.from(text.slice(0, isInsidePair ? SHOWN_CHARS - 1 : SHOWN_CHARS)).toString();
}

const CELL = 8;

/** Approximate bytes of a row. */
function pageSize(row: readonly unknown[]): number {
  let size = 0;
  for (const value of row) size += CELL + sizeOf(value);
  return size;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return 'text' in value && typeof value.text === 'string' ? value.text.length : 16;
}
