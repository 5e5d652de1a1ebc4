/**
 * Who may talk to the loopback host. The same machine runs other users' processes and
 * a browser full of other people's pages; all of them can reach 127.0.0.1.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The one answer to everything refused: which rule it broke is nobody's business. */
export const REFUSAL = 'Turnwise refuses this request.\n';

/** 256 bits, fit for a URL fragment. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

export function isSameToken(expected: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  // Digests have equal lengths, which timingSafeEqual demands, whatever was sent.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}

/** Any port, since `ssh -L` changes it; the name exactly, since `127.attacker.example` is a name, too. */
const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Against DNS rebinding: there the attacker's name resolves to us, and `Host` still says it. */
function isLoopbackHost(host: string | undefined): host is string {
  return host !== undefined && LOOPBACK_HOST.test(host);
}

function isSameOrigin(origin: string, host: string): boolean {
  // Both parsed, so that an explicit `:80` and a capital letter compare equal.
  if (!URL.canParse(origin) || !URL.canParse(`http://${host}`)) return false;
  return new URL(origin).origin === new URL(`http://${host}`).origin;
}

/** A page's own files. Browsers leave `Origin` out of most same-origin GETs. */
export function mayRead(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  return isLoopbackHost(host) && (origin === undefined || isSameOrigin(origin, host));
}

/** A WebSocket upgrade, for which every browser sends `Origin` and no same-origin policy exists. */
export function mayConnect(headers: IncomingHttpHeaders): boolean {
  const { host, origin } = headers;
  return isLoopbackHost(host) && origin !== undefined && isSameOrigin(origin, host);
}
