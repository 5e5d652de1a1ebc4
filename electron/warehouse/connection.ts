/** A connection to a ClickHouse database. Each failure is a sentence for the user. */

import { Readable } from 'node:stream';
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import type { ZodType } from 'zod';
import { ApiError, refused } from '../../shared/api/errors.ts';
import { countValues, tryParseJson } from '../../shared/domain/parseJson.ts';
import type { Credentials, WarehouseAddress } from './namedWarehouse.ts';

/** How long a server may be silent. An insert of a step takes longer than a query. */
const WRITE_SILENCE_MS = 600_000;
const READ_SILENCE_MS = 120_000;

/** Bytes. Four times the longest record that is read, because JSON has escapes and numbers as digits. */
const LONGEST_LINE = 256 << 20;
/** Bytes that a list takes: runs, steps, logs, or the lines of a run. */
const LONGEST_LIST = 512 * (1 << 20);
/** Bytes that a row takes beside its text, and each object, list and field in it. */
const ROW_BYTES = 100;
const VALUE_BYTES = 50;
/** Bytes. A filter by labels names the rollouts that have them. */
const LONGEST_STATEMENT = String(64 << 20);
/** Bytes of a failure that are read. */
const LONGEST_FAILURE = 16 << 10;
/** `Code: 241. DB::Exception: Memory limit exceeded …` */
const EXCEPTION = /Code: (\d{1,5})\. (?:\w+::)?\w*Exception: ([^\n]*)/;

export interface ConnectOptions {
  readonly credentials: Credentials;
  /** Certificate authority of the server, PEM. */
  readonly ca?: string;
  /** Refuses every statement that writes. */
  readonly isReadOnly?: boolean;
  /** The database may not exist yet. */
  readonly isNew?: boolean;
  /** For requests without a signal of their own. */
  readonly signal?: AbortSignal;
}

/** The server's JSON of a row. */
export type Row = Readonly<Record<string, unknown>>;

/** Called with the share of rows that the engine has read so far for a question, 0 … 1. */
export type OnShare = (share: number) => void;

interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: (line: string) => void;
  readonly onShare?: OnShare | undefined;
}

interface Statement {
  readonly params: QueryParams;
  /** Opened when it is sent. */
  readonly values?: () => Readable;
  readonly settings?: ClickHouseSettings;
  readonly signal?: AbortSignal | undefined;
}

/** A database of a ClickHouse server. Every failure of the server or of the way to it is an `ApiError`. */
export class Warehouse {
  readonly database: string;
  private readonly client: ClickHouseClient;
  private readonly server: string;
  private readonly user: string;
  private readonly password: string;
  private readonly signal: AbortSignal | undefined;

  constructor(
    { server, database }: WarehouseAddress,
    { credentials, ca, isReadOnly, isNew, signal }: ConnectOptions,
  ) {
    this.server = server;
    this.database = database;
    this.user = credentials.user;
    this.password = credentials.password;
    this.signal = signal;
    this.client = createClient({
      url: server,
      database: isNew === true ? 'default' : database,
      username: credentials.user,
      password: credentials.password,
      application: 'turnwise',
      request_timeout: isReadOnly === true ? READ_SILENCE_MS : WRITE_SILENCE_MS,
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: {
        // A reader may still set limits of its own.
        ...(isReadOnly === true
          ? {
              readonly: '2',
              cancel_http_readonly_queries_on_client_close: 1,
              max_query_size: LONGEST_STATEMENT,
            }
          : {}),
        output_format_json_quote_denormals: 1,
        // The faster parser refuses a whole text for a number beyond 64 bits, which scores may have.
        allow_simdjson: 0,
        // On a cluster, a subquery runs once, and every node gets its result.
        distributed_product_mode: 'global',
        output_format_json_quote_64bit_integers: 0,
      },
      ...(ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } }),
    });
  }

  /** Runs a statement without a result. `{name:Type}` in it is replaced by the server. */
  async run(sql: string, params: QueryParams = {}, signal?: AbortSignal): Promise<void> {
    for await (const _ of this.lines(sql, { params, signal }));
  }

  /** Sends a file as the data of `INSERT … FORMAT …`. */
  async insert(
    sql: string,
    values: () => Readable,
    params: QueryParams = {},
    signal?: AbortSignal,
  ): Promise<void> {
    for await (const _ of this.lines(sql, { params, values, signal }));
  }

  /** Adds rows, which are sent as JSON. */
  async add(
    table: string,
    columns: readonly string[],
    rows: readonly object[],
    signal?: AbortSignal,
  ): Promise<void> {
    const values = () => Readable.from(rows.map((row) => `${JSON.stringify(row)}\n`));
    await this.insert(`INSERT INTO ${table} (${columns.join(', ')}) FORMAT JSONEachRow`, values, {}, signal);
  }

  /** All rows of a short result. */
  async rows(
    sql: string,
    params: QueryParams = {},
    signal?: AbortSignal,
    onShare?: OnShare,
  ): Promise<readonly Row[]> {
    const all: Row[] = [];
    let bytes = 0;
    const onLine = (text: string): void => {
      bytes += text.length + ROW_BYTES + VALUE_BYTES * countValues(text).values;
      if (bytes > LONGEST_LIST)
        throw refused(
          `${this.server} answered a question for a list with more than ${LONGEST_LIST / (1 << 20)} MiB`,
        );
    };
    for await (const rows of this.stream(sql, params, { signal, onLine, onShare }))
      for (const row of rows) all.push(row);
    return all;
  }

  /** Rows of a long result, in blocks as they arrive. */
  async *stream(
    sql: string,
    params: QueryParams,
    { signal, onLine, onShare }: StreamOptions = {},
  ): AsyncGenerator<readonly Row[]> {
    const format = onShare === undefined ? 'JSONEachRow' : 'JSONEachRowWithProgress';
    const read = onShare === undefined ? rowIn : (line: string) => rowOrShareIn(line, onShare);
    for await (const { lines, isWhole } of this.lines(`${sql} FORMAT ${format}`, { params, signal })) {
      const rows: Row[] = [];
      for (const [i, line] of lines.entries()) {
        onLine?.(line);
        const row = read(line);
        // A server that fails after its first rows adds the failure to them.
        if (row === undefined || !isWhole) throw this.noRow(lines.slice(i).join('\n'), isWhole);
        if (row !== NO_ROW) rows.push(row);
      }
      yield rows;
    }
  }

  /**
   * Rows that a schema parses.
   *
   * @throws ApiError `refused` when the server's rows have another form
   */
  async parsed<T>(
    schema: ZodType<T>,
    sql: string,
    params: QueryParams = {},
    signal?: AbortSignal,
    onShare?: OnShare,
  ): Promise<readonly T[]> {
    return (await this.rows(sql, params, signal, onShare)).map((row) => {
      const { success, data, error } = schema.safeParse(row);
      if (success) return data;
      const { path = [], message = '' } = error.issues[0] ?? {};
      throw this.otherForm(`${path.join('.')}: ${message}`);
    });
  }

  /**
   * The result of a statement of the user, as it arrives: the names of its columns, their types, then rows as JSON lists.
   *
   * @throws ApiError `refused` with the server's words, or when the statement chooses a format of its own
   */
  async *result(sql: string, settings: ClickHouseSettings): AsyncGenerator<readonly (readonly unknown[])[]> {
    const ofResult = { default_format: 'JSONCompactEachRowWithNamesAndTypes' as const, ...settings };
    for await (const { lines, isWhole } of this.lines(sql, { params: {}, settings: ofResult })) {
      const rows: (readonly unknown[])[] = [];
      for (const [i, line] of lines.entries()) {
        const row = tryParseJson(line);
        if (!Array.isArray(row) || !isWhole) throw this.noRow(lines.slice(i).join('\n'), isWhole);
        rows.push(row);
      }
      yield rows;
    }
  }

  otherForm(detail: string): Error {
    return refused(
      `${this.server} answers in another form than a warehouse of Turnwise (${this.plain(detail)}); check the address`,
    );
  }

  /**
   * The only way to the server. The client's own reading of answers forgets the signal when an answer begins, keeps a
   * failure of any length, and leaves out a last line that is incomplete.
   *
   * @yields the lines of the answer, as they arrive; `isWhole` is false for a last line without its end
   */
  private async *lines(
    sql: string,
    { params, values, settings, signal = this.signal }: Statement,
  ): AsyncGenerator<{ readonly lines: readonly string[]; readonly isWhole: boolean }> {
    let answer: Readable | undefined;
    const stop = (): void => void answer?.destroy();
    try {
      signal?.throwIfAborted();
      const { stream, http_status_code, response_headers } = await this.client.exec({
        query: sql,
        query_params: params,
        ignore_error_response: true,
        // A cluster answers when the rows are on their shard.
        ...(values === undefined
          ? { clickhouse_settings: settings ?? {} }
          : { values: values(), clickhouse_settings: { distributed_foreground_insert: 1 } }),
        ...(signal === undefined ? {} : { abort_signal: signal }),
      });
      answer = stream;
      signal?.addEventListener('abort', stop);
      signal?.throwIfAborted();
      const code = response_headers?.['x-clickhouse-exception-code'];
      if (http_status_code !== 200 || code !== undefined)
        throw this.failureIn(await beginningOf(stream), http_status_code);
      for await (const block of linesOf(stream)) {
        yield block;
        signal?.throwIfAborted();
      }
      signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      throw this.failure(error);
    } finally {
      signal?.removeEventListener('abort', stop);
      answer?.destroy();
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private noRow(text: string, isWhole: boolean): Error {
    const end = text.slice(-LONGEST_FAILURE);
    if (EXCEPTION.test(end)) return this.failureIn(end, 200);
    return refused(
      isWhole
        ? `${this.server} does not answer as ClickHouse does; check the address (${this.plain(text)})`
        : `${this.server} ended its answer in the middle of a row`,
    );
  }

  /** The sentence for an answer that is a failure. */
  private failureIn(text: string, status: number | undefined): Error {
    const [, code, message] = EXCEPTION.exec(text) ?? [];
    if (code !== undefined) return refused(this.serverSentence(code, this.plain(message ?? '')));
    const detail = this.plain(text);
    return refused(`${this.server} answered with status ${status}${detail === '' ? '' : `: ${detail}`}`);
  }

  private failure(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof ApiError) return error;
    const code = 'code' in error ? String(error.code) : '';
    if (Object.hasOwn(NO_WAY, code)) return refused(`${this.server} ${NO_WAY[code]} (${code})`);
    if (error.message === 'Timeout error.') return refused(`${this.server} ${NO_WAY['ETIMEDOUT']}`);
    const message = this.plain(error.message);
    if (/certificate|self.signed|TLS|SSL/i.test(`${code} ${message}`))
      return refused(
        `${this.server} has a certificate that is not trusted (${message}); name its authority by --ca FILE`,
      );
    return refused(`${this.server}: ${message}`);
  }

  /** Words of the server on one line, without the password, which a hostile server could return. */
  private plain(text: string): string {
    const { user, password } = this;
    const secrets = password === '' ? [] : [password, Buffer.from(`${user}:${password}`).toString('base64')];
    const line = text.trim().split('\n', 1)[0] ?? '';
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), line).slice(0, 500);
  }

  private serverSentence(code: string, first: string): string {
    const { server, database, user } = this;
    switch (code) {
      case '60':
      case '81':
        return `there is no warehouse in the database ${database} of ${server}; turnwise warehouse init makes one (${first})`;
      case '192':
      case '193':
      case '194':
      case '516':
        return `${server} refused the user ${user} with this password; both come from TURNWISE_WAREHOUSE_USER and TURNWISE_WAREHOUSE_PASSWORD, --credentials FILE, or the fields of Open warehouse`;
      case '164':
      case '497':
        return `${server} does not let the user ${user} do this: ${first}`;
      case '159':
      case '158':
      case '241':
      case '307':
      case '396':
        return `a limit of ${server} ended the query: ${first}`;
      case '427':
        return `${server} cannot read the regular expression, which must be one of RE2: ${first}`;
      case '243':
        return `the disk of ${server} is full; nothing half written is shown (${first})`;
      default:
        return `${server}: ${first}`;
    }
  }
}

export type QueryParams = Readonly<
  Record<string, string | number | boolean | null | readonly (string | number)[]>
>;

/** Why there is no connection, by the system's code. */
const NO_WAY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'does not answer; is the server running there?',
  ECONNRESET: 'closed the connection; try again, nothing is lost',
  EPIPE: 'closed the connection; try again, nothing is lost',
  EPROTO: 'does not speak TLS there; is its address http://?',
  ENOTFOUND: 'is not known by that name',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'did not answer in time',
};

/** @returns undefined: no row, or a failure that an older server sends as one */
function rowIn(line: string): Row | undefined {
  const value = tryParseJson(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return 'exception' in value ? undefined : (value as Row);
}

/** Stands for a line that is not a row. An answer with progress has such lines. */
const NO_ROW: Row = {};
const BESIDE_ROWS = ['meta', 'totals', 'min', 'max', 'rows_before_limit_at_least', 'rows_before_aggregation'];

/** @returns `NO_ROW` for a line that is not a row; undefined in the cases of `rowIn` */
function rowOrShareIn(line: string, onShare: OnShare): Row | undefined {
  const value = rowIn(line);
  if (value === undefined) return undefined;
  const { row, progress } = value as { row?: Row; progress?: Partial<Record<string, unknown>> };
  if (typeof row === 'object' && row !== null) return row;
  if (typeof progress === 'object' && progress !== null) {
    // Numbers of 64 bits are texts there.
    const share = Number(progress['read_rows']) / Number(progress['total_rows_to_read']);
    if (share >= 0) onShare(Math.min(1, share));
    return NO_ROW;
  }
  return BESIDE_ROWS.some((name) => name in value) ? NO_ROW : undefined;
}

async function* linesOf(
  stream: Readable,
): AsyncGenerator<{ readonly lines: readonly string[]; readonly isWhole: boolean }> {
  let rest: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      lines.push(Buffer.concat([...rest, chunk.subarray(from, end)]).toString());
      from = end + 1;
      rest = [];
      held = 0;
    }
    rest.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > LONGEST_LINE) throw refused(`a row of the server is longer than ${LONGEST_LINE >> 20} MiB`);
    if (lines.length > 0) yield { lines, isWhole: true };
  }
  if (held > 0) yield { lines: [Buffer.concat(rest).toString()], isWhole: false };
}

async function beginningOf(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    parts.push(chunk);
    length += chunk.length;
    if (length >= LONGEST_FAILURE) break;
  }
  return Buffer.concat(parts).subarray(0, LONGEST_FAILURE).toString();
}
