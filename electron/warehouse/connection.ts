/** Connects to a ClickHouse database, and says in a sentence why it did not work. */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { refused } from '../../shared/api/errors.ts';

export interface WarehouseAddress {
  /** `http://HOST:PORT` or `https://HOST:PORT`. */
  readonly server: string;
  readonly database: string;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const PROTOCOLS: Readonly<Record<string, { readonly protocol: string; readonly port: number }>> = {
  'http:': { protocol: 'http:', port: 8123 },
  'https:': { protocol: 'https:', port: 8443 },
  'clickhouse:': { protocol: 'http:', port: 8123 },
};

/** Longer than any insert of a step takes. */
const REQUEST_TIMEOUT_MS = 600_000;

/** @throws ApiError `refused` when the text is no address of a database, or contains a password */
export function readAddress(text: string): WarehouseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const known = url === undefined ? undefined : PROTOCOLS[url.protocol];
  const database = decodeURIComponent(url?.pathname.replace(/^\/|\/$/g, '') ?? '');
  if (url === undefined || known === undefined || url.hostname === '' || !/^[A-Za-z_]\w*$/.test(database))
    throw refused(
      `a warehouse is http://HOST:8123/DATABASE or https://HOST:8443/DATABASE, not ${hidden(text)}`,
    );
  if (url.username !== '' || url.password !== '')
    throw refused(
      'the address contains a user or a password; give them by TURNWISE_WAREHOUSE_USER and TURNWISE_WAREHOUSE_PASSWORD, or by --credentials FILE',
    );
  const port = url.port === '' ? known.port : Number(url.port);
  return { server: `${known.protocol}//${url.hostname}:${port}`, database };
}

/** An address in a message, without what could be a password. */
function hidden(text: string): string {
  return JSON.stringify(text.replace(/\/\/[^/@]*@/, '//***@'));
}

/**
 * From the environment, else from a file with `{"user", "password"}`, else the server's default user.
 *
 * @throws ApiError `refused` when the file can be read by others, or has another form
 */
export function readCredentials(
  environment: Readonly<Record<string, string | undefined>>,
  file: string | undefined,
): Credentials {
  const user = environment['TURNWISE_WAREHOUSE_USER'];
  const password = environment['TURNWISE_WAREHOUSE_PASSWORD'];
  if (file === undefined) return { user: user ?? 'default', password: password ?? '' };
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw refused(`${file} can be read by other users; chmod 600 ${file}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The parser's message would quote the file.
    value = undefined;
  }
  const read = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  if (typeof read['user'] !== 'string' || typeof read['password'] !== 'string')
    throw refused(`${file} must be {"user": "…", "password": "…"}`);
  return { user: read['user'], password: read['password'] };
}

/** A warehouse that the user has named when Turnwise was started. Data for a thread. */
export interface NamedWarehouse {
  readonly address: WarehouseAddress;
  readonly credentials: Credentials;
  /** PEM. */
  readonly ca?: string;
}

/**
 * `TURNWISE_WAREHOUSE`, with `TURNWISE_WAREHOUSE_USER`, `…_PASSWORD` and `…_CA` (path of a PEM file).
 *
 * @returns undefined: no warehouse is named
 * @throws ApiError `refused` when the address is none; the system's error when the authority cannot be read
 */
export function namedWarehouse(
  environment: Readonly<Record<string, string | undefined>>,
): NamedWarehouse | undefined {
  const { TURNWISE_WAREHOUSE: address, TURNWISE_WAREHOUSE_CA: ca } = environment;
  if (address === undefined || address === '') return undefined;
  return {
    address: readAddress(address),
    credentials: readCredentials(environment, undefined),
    ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }),
  };
}

export interface ConnectOptions {
  readonly credentials: Credentials;
  /** Certificate authority of the server, PEM. */
  readonly ca?: string;
  /** Refuses every statement that writes. */
  readonly isReadOnly?: boolean;
  /** The database may not exist yet. */
  readonly isNew?: boolean;
}

/** A database of a ClickHouse server. Every failure of the server or of the way to it is an `ApiError`. */
export class Warehouse {
  readonly database: string;
  private readonly client: ClickHouseClient;
  private readonly server: string;
  private readonly user: string;

  constructor(
    { server, database }: WarehouseAddress,
    { credentials, ca, isReadOnly, isNew }: ConnectOptions,
  ) {
    this.server = server;
    this.database = database;
    this.user = credentials.user;
    this.client = createClient({
      url: server,
      database: isNew === true ? 'default' : database,
      username: credentials.user,
      password: credentials.password,
      application: 'turnwise',
      request_timeout: REQUEST_TIMEOUT_MS,
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: {
        // A reader may still set limits of its own.
        ...(isReadOnly === true ? { readonly: '2', cancel_http_readonly_queries_on_client_close: 1 } : {}),
        output_format_json_quote_denormals: 1,
        output_format_json_quote_64bit_integers: 0,
      },
      ...(ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } }),
    });
  }

  /** Runs a statement without a result. `{name:Type}` in it is replaced by the server. */
  async run(sql: string, params: QueryParams = {}, signal?: AbortSignal): Promise<void> {
    await this.sentence(signal, () =>
      this.client.command({
        query: sql,
        query_params: params,
        ...(signal === undefined ? {} : { abort_signal: signal }),
      }),
    );
  }

  /** Sends a file as the data of `INSERT … FORMAT …`. */
  async insert(sql: string, path: string, params: QueryParams, signal?: AbortSignal): Promise<void> {
    await this.sentence(signal, async () => {
      const { stream } = await this.client.exec({
        query: sql,
        query_params: params,
        // A cluster answers when the rows are on their shard.
        clickhouse_settings: { distributed_foreground_insert: 1 },
        ...(signal === undefined ? {} : { abort_signal: signal }),
        values: createReadStream(path),
      });
      // The connection is free when the answer has been read.
      for await (const _ of stream.resume());
    });
  }

  /** Adds rows, which are sent as JSON. */
  async add(
    table: string,
    columns: readonly [string, ...string[]],
    rows: readonly object[],
    signal?: AbortSignal,
  ) {
    await this.sentence(signal, () =>
      this.client.insert({
        table,
        columns: [...columns],
        values: rows,
        format: 'JSONEachRow',
        clickhouse_settings: { distributed_foreground_insert: 1 },
        ...(signal === undefined ? {} : { abort_signal: signal }),
      }),
    );
  }

  async rows<T>(sql: string, params: QueryParams = {}, signal?: AbortSignal): Promise<readonly T[]> {
    return this.sentence(signal, async () => {
      const result = await this.client.query({
        query: sql,
        query_params: params,
        format: 'JSONEachRow',
        ...(signal === undefined ? {} : { abort_signal: signal }),
      });
      return result.json<T>();
    });
  }

  /** Rows of a long result, in blocks as they arrive. */
  async *stream<T>(sql: string, params: QueryParams, signal?: AbortSignal): AsyncGenerator<readonly T[]> {
    const result = await this.sentence(signal, () =>
      this.client.query({
        query: sql,
        query_params: params,
        format: 'JSONEachRow',
        ...(signal === undefined ? {} : { abort_signal: signal }),
      }),
    );
    try {
      for await (const rows of result.stream<T>()) yield rows.map((row) => row.json<T>());
    } catch (error) {
      throw this.failure(error);
    } finally {
      result.close();
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async sentence<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    // The client listens for a signal and does not look at it first.
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw this.failure(error);
    }
  }

  private failure(error: unknown): unknown {
    if (error instanceof ClickHouseError) return refused(this.serverSentence(error));
    if (!(error instanceof Error) || error.name === 'AbortError') return error;
    const code = 'code' in error ? String(error.code) : '';
    if (Object.hasOwn(NO_WAY, code)) return refused(`${this.server} ${NO_WAY[code]} (${code})`);
    if (/certificate|self.signed|TLS|SSL/i.test(`${code} ${error.message}`))
      return refused(
        `${this.server} has a certificate that is not trusted (${error.message}); name its authority by --ca FILE`,
      );
    return refused(`${this.server}: ${error.message}`);
  }

  private serverSentence({ code, message }: ClickHouseError): string {
    const { server, database, user } = this;
    const first = message.split('\n', 1)[0]?.slice(0, 500) ?? '';
    switch (code) {
      case '60':
      case '81':
        return `there is no warehouse in the database ${database} of ${server}; turnwise warehouse init makes one (${first})`;
      case '192':
      case '193':
      case '194':
      case '516':
        return `${server} refused the user ${user}; set TURNWISE_WAREHOUSE_USER and TURNWISE_WAREHOUSE_PASSWORD, or give --credentials FILE`;
      case '164':
      case '497':
        return `${server} does not let the user ${user} do this: ${first}`;
      case '159':
      case '158':
      case '241':
      case '307':
      case '396':
        return `a limit of ${server} ended the query: ${first}`;
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
  ECONNRESET: 'closed the connection; what was not confirmed is sent again by the same command',
  EPIPE: 'closed the connection; what was not confirmed is sent again by the same command',
  ENOTFOUND: 'is not known by that name',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'did not answer in time',
};
