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

export async function takeAccessToken(): Promise<string | undefined> {
  const { token: given, cleanUrl } = readTokenUrl(new URL(window.location.href));
  const token = given ?? sessionStorage.getItem(KEY) ?? (await askOtherTabs());
  if (token === undefined) return undefined;
  sessionStorage.setItem(KEY, token);
  if (given !== undefined) window.history.replaceState(null, '', cleanUrl);
  answerOtherTabs(token);
  return token;
}

/**
 * A link opened in a new tab starts without sessionStorage. It asks the tabs that are open: only
 * pages of this origin, port included, can hear or answer, and nothing is written to disk.
 */
const CHANNEL = 'turnwise.token';
const QUESTION = 'which token?';
const ANSWER_MS = 250;

function askOtherTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<string | undefined>((resolve) => {
    const settle = (token: string | undefined) => {
      clearTimeout(timer);
      channel.close();
      resolve(token);
    };
    const timer = setTimeout(() => settle(undefined), ANSWER_MS);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'object' && data !== null && 'token' in data && typeof data.token === 'string')
        settle(data.token);
    };
    channel.postMessage(QUESTION);
  });
}

function answerOtherTabs(token: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === QUESTION) channel.postMessage({ token });
  };
}
