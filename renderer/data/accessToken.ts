/**
 * The token of a browser start arrives in the URL fragment (`#token=…`), which is never sent
 * and never logged. It moves to sessionStorage, not to a cookie: cookies ignore the port, so
 * two forwarded machines on one host name would share one.
 */
const KEY = 'turnwise.token';

export interface TokenUrl {
  readonly token: string | undefined;
  /** The same place without the fragment; path and query are kept. */
  readonly cleanUrl: string;
}

export function readTokenUrl(url: URL): TokenUrl {
  const token = new URLSearchParams(url.hash.replace(/^#/, '')).get('token') ?? undefined;
  return { token: token === '' ? undefined : token, cleanUrl: url.pathname + url.search };
}

export function takeAccessToken(): string | undefined {
  const { token, cleanUrl } = readTokenUrl(new URL(window.location.href));
  if (token === undefined) return sessionStorage.getItem(KEY) ?? undefined;
  sessionStorage.setItem(KEY, token);
  window.history.replaceState(null, '', cleanUrl);
  return token;
}
