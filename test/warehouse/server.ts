/**
 * ClickHouse's engine behind as much of its HTTP protocol as `@clickhouse/client` uses: users, parameters,
 * settings, formats, streams, progress and errors.
 *
 *   node test/warehouse/server.ts DIRECTORY [PORT]   prints its port when it listens
 *
 * Users: `default` without a password; `writer` and `reader` with the password `secret`. `reader` may not write.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';

interface Result {
  readonly rowsRead: number;
  bytes(): Uint8Array;
  text(): string;
}
interface Session {
  queryBindAsync(sql: string, params: object, options: { readonly format: string }): Promise<Result>;
  close(): void;
}
const { Session } = createRequire(import.meta.url)('chdb') as { Session: new (path: string) => Session };

const [directory = '', port = '0'] = process.argv.slice(2);
const session = new Session(directory);
const uploads = mkdtempSync(join(tmpdir(), 'turnwise-uploads-'));
const PASSWORDS: Readonly<Record<string, string>> = { default: '', writer: 'secret', reader: 'secret' };
let uploaded = 0;
/** The engine has one current database. */
let turn: Promise<unknown> = Promise.resolve();

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => fail(response, 500, `Code: 1002. ${String(error)}`));
});
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => {
  rmSync(uploads, { recursive: true, force: true });
  process.exit(0);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/ping') return void response.end('Ok.\n');
  const user = userOf(request);
  if (user === undefined) {
    request.resume();
    return fail(
      response,
      403,
      'Code: 516. DB::Exception: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)',
    );
  }
  const named = url.searchParams.get('query');
  const sql = named ?? (await text(request));
  const data = named === null ? undefined : await upload(request);
  const params = Object.fromEntries(
    [...url.searchParams]
      .filter(([name]) => name.startsWith('param_'))
      .map(([name, value]) => [name.slice('param_'.length), value]),
  );
  const isReadOnly = user === 'reader' || url.searchParams.get('readonly') === '2';
  const database = url.searchParams.get('database') ?? 'default';
  const defaultFormat = url.searchParams.get('default_format') ?? 'TabSeparated';
  const areQuoted = url.searchParams.get('output_format_json_quote_64bit_integers') === '1';
  try {
    const result = await inTurn(() =>
      run(sql, { params, data, isReadOnly, database, defaultFormat, areQuoted }),
    );
    response.setHeader('content-type', 'text/plain; charset=UTF-8');
    response.setHeader('x-clickhouse-query-id', url.searchParams.get('query_id') ?? '');
    response.setHeader('x-clickhouse-summary', JSON.stringify({ read_rows: String(result.rowsRead) }));
    response.end(result.bytes());
  } catch (error) {
    fail(response, 400, error instanceof Error ? error.message : String(error));
  } finally {
    if (data !== undefined) rmSync(data, { force: true });
  }
}

interface Query {
  readonly params: Readonly<Record<string, string>>;
  /** A file with the request's body. */
  readonly data: string | undefined;
  readonly isReadOnly: boolean;
  readonly database: string;
  readonly defaultFormat: string;
  /** Whether numbers of 64 bits are texts in JSON. */
  readonly areQuoted: boolean;
}

async function run(
  sql: string,
  { params, data, isReadOnly, database, defaultFormat, areQuoted }: Query,
): Promise<Result> {
  if (isReadOnly && !/^\s*(?:SELECT|WITH|SHOW|DESCRIBE|EXISTS|EXPLAIN)\b/i.test(sql))
    throw new Error('Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)');
  if (!/^\s*CREATE DATABASE/i.test(sql))
    await session.queryBindAsync(`USE \`${database}\``, {}, { format: 'TabSeparated' });
  const given = data === undefined ? sql : await withData(sql, data);
  const format = /\bFORMAT\s+(\w+)\s*;?\s*$/i.exec(given);
  const statement = format === null ? given : given.slice(0, format.index);
  await session.queryBindAsync(
    `SET output_format_json_quote_64bit_integers = ${Number(areQuoted)}`,
    {},
    { format: 'TabSeparated' },
  );
  return session.queryBindAsync(statement, bound(statement, params), {
    format: format?.[1] ?? defaultFormat,
  });
}

/** The engine reads a file where the server reads the body. */
async function withData(sql: string, path: string): Promise<string> {
  const [, format = ''] = /\bFORMAT\s+(\w+)\s*$/i.exec(sql) ?? [];
  const statement = sql.replace(/\bFORMAT\s+\w+\s*$/i, '');
  if (/\binput\s*\(/.test(statement))
    return statement.replace(/\binput\s*\(\s*'/, () => `file('${path}', '${format}', '`);
  const [, table = '', columns = ''] = /INTO\s+(\S+)\s*\(([^)]*)\)/i.exec(statement) ?? [];
  const described = await session.queryBindAsync(`DESCRIBE TABLE ${table}`, {}, { format: 'JSON' });
  const types = (JSON.parse(described.text()) as { data: readonly { name: string; type: string }[] }).data;
  const structure = columns
    .split(',')
    .map((column) => `${column} ${types.find(({ name }) => name === column.trim())?.type}`);
  return `${statement} SELECT ${columns} FROM file('${path}', '${format}', '${structure.join(', ')}')`;
}

/** The client writes NULL as `\\N`, and arrays as text. */
function bound(sql: string, params: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      if (value === '\\N') return [name, null];
      const isArray = new RegExp(`\\{${name}:\\s*Array`).test(sql);
      return [name, isArray ? (JSON.parse(asJson(value)) as unknown) : unescaped(value)];
    }),
  );
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

/** `['a\'b']` as JSON. */
function asJson(array: string): string {
  return array.replace(/'((?:[^'\\]|\\.)*)'/gs, (_, inner: string) => JSON.stringify(unescaped(inner)));
}

/** @returns the user; undefined: a wrong name or password */
function userOf({ headers }: IncomingMessage): string | undefined {
  const [name = 'default', password = ''] =
    headers.authorization === undefined
      ? [headers['x-clickhouse-user'], headers['x-clickhouse-key']].map((each) =>
          Array.isArray(each) ? each[0] : each,
        )
      : Buffer.from(headers.authorization.replace(/^Basic /, ''), 'base64')
          .toString()
          .split(':');
  return PASSWORDS[name] === password ? name : undefined;
}

async function upload(request: IncomingMessage): Promise<string | undefined> {
  const bytes = await buffer(request);
  if (bytes.length === 0) return undefined;
  uploaded += 1;
  const path = join(uploads, `body-${uploaded}`);
  await writeFile(path, bytes);
  return path;
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = turn.then(work);
  turn = result.catch(() => undefined);
  return result;
}

function fail(response: ServerResponse, status: number, message: string): void {
  response.statusCode = status;
  const code = /Code: (\d+)/.exec(message)?.[1];
  if (code !== undefined) response.setHeader('x-clickhouse-exception-code', code);
  response.end(`${message}\n`);
}
