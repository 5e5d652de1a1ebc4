/**
 * Handlers of the SQL console. A result is kept in memory up to a limit and paged. An export streams as
 * fast as the client fetches it, and is never kept.
 */
import type { Events, ParsedParams } from '../../shared/api/contract.ts';
import { ApiError, notFound, refused } from '../../shared/api/errors.ts';
import type { SqlAnswer, SqlExportPart, SqlExportStart, SqlRow } from '../../shared/api/sqlRows.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { StartProcess } from '../threads/childProcess.ts';
import type { NamedWarehouse } from '../warehouse/namedWarehouse.ts';
import type { HostHandlers } from './host.ts';
import { runSql, type SqlFailure, STOP_ROWS } from './runSql.ts';
import { sqlHead, sqlLines } from './sqlText.ts';

type SqlHandlers = Pick<
  HostHandlers,
  'sql.run' | 'sql.page' | 'sql.export' | 'sql.exportPart' | 'sql.exportStop'
>;

export interface SqlServices {
  readonly libraryPath: string;
  readonly start: StartProcess | undefined;
  /** @throws ApiError when the user has named none, or its address is invalid */
  warehouse(): Promise<NamedWarehouse>;
  progressed(progress: Events['sql.progress']): void;
}

/** Number of latest results that can still be paged. */
const KEPT_RESULTS = 4;
/** Approximate bytes of one result: texts and cells. */
const MOST_BYTES = 32_000_000;
const CELL_BYTES = 16;
/** Concurrent statements. Each has a process. */
const MOST_RUNNING = 4;
const PROGRESS_MS = 150;
/** An export that is not fetched for this time is stopped. */
const EXPORT_EXPIRY_MS = 60_000;

interface Export {
  readonly stop: AbortController;
  /** Rows written as text but not fetched yet. The process pauses while this is not empty. */
  text: string;
  rows: number;
  isWhole: boolean;
  failure: SqlFailure | undefined;
  /** Resumes the process. */
  resume: () => void;
  /** Wakes the pending fetch. */
  notify: () => void;
  forget: ReturnType<typeof setTimeout> | undefined;
}

export class SqlConsole {
  private readonly services: SqlServices;
  private readonly results = new Map<number, readonly SqlRow[]>();
  private readonly exports = new Map<number, Export>();
  private readonly running = new Set<AbortController>();
  private nextId = 1;

  constructor(services: SqlServices) {
    this.services = services;
  }

  handlers(): SqlHandlers {
    return {
      'sql.run': (params, signal) => this.run(params, signal),
      'sql.page': ({ resultId, from, limit }) => {
        const rows = this.results.get(resultId);
        if (rows === undefined) throw notFound(`result ${resultId} has expired; run the statement again`);
        return { rows: rows.slice(from, from + limit) };
      },
      'sql.export': (params) => this.export(params),
      'sql.exportPart': ({ exportId }, signal) => this.part(exportId, signal),
      'sql.exportStop': ({ exportId }) => {
        const one = this.exports.get(exportId);
        one?.stop.abort();
        this.exports.delete(exportId);
        return { stopped: one !== undefined };
      },
    };
  }

  /** Stops every process. */
  close(): void {
    for (const one of this.running) one.abort();
    for (const { forget } of this.exports.values()) clearTimeout(forget);
    this.exports.clear();
    this.results.clear();
  }

  private async storeOf(store: ParsedParams<'sql.run'>['store']): Promise<NamedWarehouse | undefined> {
    return store === 'warehouse' ? this.services.warehouse() : undefined;
  }

  private async run(params: ParsedParams<'sql.run'>, signal?: AbortSignal): Promise<SqlAnswer> {
    const { sql, limitRows, timeoutMs, queryKey } = params;
    const warehouse = await this.storeOf(params.store);
    if (this.running.size >= MOST_RUNNING) throw tooMany();
    const started = performance.now();
    let columns: readonly string[] = [];
    const rows: SqlRow[] = [];
    let bytes = 0;
    let cut: 'rows' | 'bytes' | undefined;
    let toldAt = 0;
    const take = (page: readonly (readonly unknown[])[]): typeof STOP_ROWS | undefined => {
      for (const row of page as readonly SqlRow[]) {
        if (rows.length === limitRows) cut = 'rows';
        else if (bytes > MOST_BYTES) cut = 'bytes';
        if (cut !== undefined) return STOP_ROWS;
        rows.push(row);
        bytes += bytesOf(row);
      }
      if (queryKey !== undefined && performance.now() - toldAt > PROGRESS_MS) {
        toldAt = performance.now();
        this.services.progressed({ queryKey, rows: rows.length });
      }
      return undefined;
    };
    const failure = await this.inProcess(signal, (stop) =>
      runSql({
        libraryPath: this.services.libraryPath,
        sql,
        warehouse,
        timeoutMs,
        signal: stop.signal,
        values: 'shown',
        onColumns: (names) => {
          columns = names;
        },
        onRows: take,
        start: this.services.start,
      }),
    );
    if (failure?.code === 'refused') return refusal(failure);
    if (failure !== undefined) throw new ApiError(failure);
    const resultId = this.nextId++;
    this.results.set(resultId, rows);
    for (const id of this.results.keys()) {
      if (this.results.size <= KEPT_RESULTS) break;
      this.results.delete(id);
    }
    const milliseconds = performance.now() - started;
    return {
      kind: 'rows',
      resultId,
      columns,
      rows: rows.length,
      milliseconds,
      ...(cut === undefined ? {} : { cut }),
    };
  }

  /** Resolves once SQLite has accepted the statement. */
  private async export(params: ParsedParams<'sql.export'>): Promise<SqlExportStart> {
    const { sql, format, timeoutMs } = params;
    const warehouse = await this.storeOf(params.store);
    if (this.running.size >= MOST_RUNNING) throw tooMany();
    const exportId = this.nextId++;
    return new Promise((resolve, reject) => {
      let columns: readonly string[] = [];
      const run = this.inProcess(undefined, async (stop) => {
        const one: Export = {
          stop,
          text: '',
          rows: 0,
          isWhole: false,
          failure: undefined,
          resume: () => undefined,
          notify: () => undefined,
          forget: undefined,
        };
        this.exports.set(exportId, one);
        this.forgetLater(exportId, one);
        one.failure = await runSql({
          libraryPath: this.services.libraryPath,
          sql,
          warehouse,
          timeoutMs,
          signal: stop.signal,
          values: 'exact',
          onColumns: (names) => {
            columns = names;
            one.text = sqlHead(format, names);
            resolve({ kind: 'started', exportId });
          },
          onRows: (rows) => {
            one.text += sqlLines(format, columns, rows);
            one.rows += rows.length;
            one.notify();
            return new Promise<void>((resume) => {
              one.resume = resume;
            });
          },
          start: this.services.start,
        });
        one.isWhole = one.failure === undefined;
        // A stopped export is forgotten already, but a fetch may still wait for it.
        one.notify();
        return one.failure;
      });
      void run.then((failure) => {
        // No effect if the statement was accepted earlier.
        if (failure?.code === 'refused') resolve(refusal(failure));
        else if (failure !== undefined) reject(new ApiError(failure));
      });
    });
  }

  private async part(exportId: number, signal?: AbortSignal): Promise<SqlExportPart> {
    const one = this.exports.get(exportId);
    if (one === undefined) throw notFound(`export ${exportId} has expired`);
    clearTimeout(one.forget);
    const onAbort = (): void => one.stop.abort();
    signal?.addEventListener('abort', onAbort);
    // Buffered rows are returned at once. Otherwise waits for the process.
    if (one.text === '' && !one.isWhole && one.failure === undefined) {
      await new Promise<void>((resolve) => {
        one.notify = resolve;
      });
    }
    signal?.removeEventListener('abort', onAbort);
    if (one.failure !== undefined) {
      this.exports.delete(exportId);
      throw new ApiError(one.failure);
    }
    const { text, rows, isWhole } = one;
    one.text = '';
    if (isWhole) this.exports.delete(exportId);
    else this.forgetLater(exportId, one);
    one.resume();
    return { text, rows, isWhole };
  }

  private forgetLater(exportId: number, one: Export): void {
    one.forget = setTimeout(() => {
      one.stop.abort();
      this.exports.delete(exportId);
    }, EXPORT_EXPIRY_MS);
    one.forget.unref();
  }

  private async inProcess(
    signal: AbortSignal | undefined,
    work: (stop: AbortController) => Promise<SqlFailure | undefined>,
  ): Promise<SqlFailure | undefined> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    if (signal?.aborted === true) stop.abort();
    signal?.addEventListener('abort', onAbort);
    this.running.add(stop);
    try {
      return await work(stop);
    } finally {
      this.running.delete(stop);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** A refused statement is a result; every other failure is thrown. */
function refusal({ message, at }: SqlFailure): {
  kind: 'refused';
  message: string;
  at?: { start: number; end: number };
} {
  return { kind: 'refused', message, ...(at === undefined ? {} : { at }) };
}

function bytesOf(row: SqlRow): number {
  let bytes = 0;
  for (const value of row) {
    bytes += CELL_BYTES;
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value?.kind === 'cut') bytes += value.text.length;
  }
  return bytes;
}

function tooMany(): ApiError {
  return refused(`${MOST_RUNNING} statements are running; wait for one, or cancel it`);
}
