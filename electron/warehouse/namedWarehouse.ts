/** The warehouse that a user names, by the environment or in a dialog of the shell, and the account. */
import { readFileSync, statSync } from 'node:fs';
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

/** @throws ApiError `refused` when the text is no address of a database, or contains a password */
export function readAddress(text: string): WarehouseAddress {
  const url = /^[a-z]+:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const known = url === undefined ? undefined : PROTOCOLS[url.protocol];
  const database = url?.pathname.replace(/^\/|\/$/g, '') ?? '';
  // The text is not repeated, because it may contain a password anywhere.
  if (url === undefined || known === undefined || url.hostname === '' || !/^[A-Za-z_]\w*$/.test(database))
    throw refused(
      'the address of a warehouse must be http://HOST:8123/DATABASE or https://HOST:8443/DATABASE; a name of a database has letters, digits and _',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw refused(
      'the address contains a user, a password or parameters; user and password come from TURNWISE_WAREHOUSE_USER and TURNWISE_WAREHOUSE_PASSWORD, --credentials FILE, or the fields of Open warehouse',
    );
  // `URL` leaves out the port of a scheme, which is not that of ClickHouse.
  const { port: given } = new URL(text.replace(/^https?/i, 'clickhouse'));
  const port = given === '' ? known.port : Number(given);
  return { server: `${known.protocol}//${url.hostname}:${port}`, database };
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

/** Data that the host sends to its threads. */
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
 * @throws ApiError `refused` when the address is invalid, or the authority cannot be read
 */
export function namedWarehouse(
  environment: Readonly<Record<string, string | undefined>>,
): NamedWarehouse | undefined {
  const { TURNWISE_WAREHOUSE: address, TURNWISE_WAREHOUSE_CA: ca } = environment;
  if (address === undefined || address === '') return undefined;
  return {
    address: readAddress(address),
    credentials: readCredentials(environment, undefined),
    ...(ca === undefined || ca === '' ? {} : { ca: readAuthority(ca) }),
  };
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw refused(`TURNWISE_WAREHOUSE_CA cannot be read: ${(error as Error).message}`);
  }
}
