/**
 * Access rules of the loopback host. Processes of other users and pages of other origins in the browser can
 * reach 127.0.0.1.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The same response for every refusal, so that it does not reveal which rule was broken. */
export const REFUSAL = 'Turnwise refuses this request.\n';

/** 256 bits, encoded for a URL fragment. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

export function isSameToken(expected: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  // timingSafeEqual requires equal lengths. Digests always have them.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}

/**
 * Allows any port, because `ssh -L` changes it. Allows only these names, because `127.attacker.example` is a host
 * name too.
 */
const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Prevents DNS rebinding: the attacker's name resolves to us, but `Host` still contains that name. */
function isLoopbackHost(host: string | undefined): host is string {
  return host !== undefined && LOOPBACK_HOST.test(host);
}

function isSameOrigin(origin: string, host: string): boolean {
  // Both are parsed, so that an explicit `:80` and capital letters compare equal.
  if (!URL.canParse(origin) || !URL.canParse(`http://${host}`)) return false;
  return new URL(origin).origin === new URL(`http://${host}`).origin;
}

/** Requests for the page's own files. Browsers omit `Origin` in most same-origin GETs. */
export function mayRead(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  return isLoopbackHost(host) && (origin === undefined || isSameOrigin(origin, host));
}

/** A WebSocket upgrade. The same-origin policy does not cover it, but every browser sends `Origin`. */
export function mayConnect(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  return isLoopbackHost(host) && origin !== undefined && isSameOrigin(origin, host);
}

const BEARER = 'Bearer ';

/** A POST: the rules of an upgrade, and the token in the `Authorization` header. */
export function mayPost(headers: IncomingHttpHeaders, token: string): boolean {
  const { authorization } = headers;
  const given = authorization?.startsWith(BEARER) === true ? authorization.slice(BEARER.length) : undefined;
  return mayConnect(headers) && isSameToken(token, given);
}
