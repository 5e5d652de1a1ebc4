/**
 * Security rules of the loopback host, each with a request that must pass and one that must not. Otherwise a
 * server that refuses everything would pass half of this file.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { REFUSAL } from '../../electron/headless/access.ts';
import { MAX_FRAME_BYTES } from '../../electron/headless/socketServer.ts';
import { type LoopbackServer, startServer } from '../../electron/headless/startServer.ts';
import { CONTENT_SECURITY_POLICY } from '../../shared/api/bundle.ts';
import { encodeFrame } from '../../shared/api/codec.ts';
import { DOWNLOAD_PATH, downloadUrl } from '../../shared/api/download.ts';
import { MAX_UPLOAD_BYTES, UPLOAD_PATH, uploadUrl } from '../../shared/api/upload.ts';
import { LONGEST_FILTER } from '../../shared/domain/filter/parse.ts';
import { createFakeHost, type FakeHost } from '../support/shells/fakeHost.ts';
import { openSocketTransport, utf8 } from '../support/shells/socketTransport.ts';

const directory = mkdtempSync(join(tmpdir(), 'turnwise-loopback-'));
const renderer = join(directory, 'renderer');
const SECRET = 'outside the bundle';

beforeAll(() => {
  mkdirSync(join(renderer, 'assets'), { recursive: true });
  writeFileSync(join(renderer, 'index.html'), '<!doctype html><title>Turnwise</title>');
  writeFileSync(join(renderer, 'assets/index-abc123.js'), `${'// padding\n'.repeat(500)}`);
  writeFileSync(join(renderer, 'assets/built-abc123.js'), `${'// padding\n'.repeat(500)}`);
  writeFileSync(join(renderer, 'assets/built-abc123.js.gz'), gzipSync('// as the build wrote it\n'));
  writeFileSync(join(directory, 'secret.txt'), SECRET);
});
afterAll(() => rmSync(directory, { recursive: true }));

let host: FakeHost;
let server: LoopbackServer;
beforeEach(async () => {
  host = createFakeHost();
  server = await startServer({ host, rendererDirectory: renderer });
});
afterEach(() => server.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sends paths as written, because `fetch` and `URL` would resolve the dots under test. */
function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: server.port, path, headers, method, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('the bundle', () => {
  test('is served with the content security policy and no CORS header', async () => {
    const { status, headers } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('the policy lets no script in but our own', () => {
    expect(CONTENT_SECURITY_POLICY).toMatch(/default-src 'none'/);
    expect(CONTENT_SECURITY_POLICY).toMatch(/script-src 'self'(;|$)/);
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe-eval|https?:|\*/);
  });

  test('hashed assets are immutable and compressed for clients that ask', async () => {
    const plain = await get('/assets/index-abc123.js');
    expect(plain.headers['cache-control']).toContain('immutable');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const zipped = await get('/assets/index-abc123.js', { 'Accept-Encoding': 'gzip, br' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(Number(zipped.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']));
  });

  test('precompressed files are sent unchanged', async () => {
    const built = gzipSync('// as the build wrote it\n');
    const { headers } = await get('/assets/built-abc123.js', { 'Accept-Encoding': 'gzip' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(Number(headers['content-length'])).toBe(built.byteLength);
    expect((await get('/assets/built-abc123.js')).body).toContain('// padding');
  });

  test('a route of the application gets the index page, a missing file a 404', async () => {
    const longest = encodeURIComponent('解'.repeat(LONGEST_FILTER));
    expect((await get(`/run/qwen2.5-7b?q=${longest}`)).body).toContain('<title>Turnwise');
    expect((await get('/run/qwen2.5-7b/step/3')).body).toContain('<title>Turnwise');
    expect((await get('/assets/gone.js')).status).toBe(404);
    expect((await get(`/assets/${'a'.repeat(5_000)}.js`)).status).toBe(404);
    expect((await get('/assets')).body).toContain('<title>Turnwise');
  });

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/%00secret.txt',
    '/%',
    'http://127.0.0.1/secret.txt',
  ])('does not leave its directory for %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(403);
    expect(answer.body).toBe(REFUSAL);
  });

  test('a visitor without a token gets a way back', async () => {
    const answer = await get('/run/r/group/%2e%2e%2f/rollout/1', { Accept: 'text/html,*/*' });
    expect(answer.status).toBe(403);
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.body).toContain('<a href="/">To the library</a>');
    expect(answer.body).not.toContain('%2e');
  });

  test('accepts only GET and HEAD, without a body', async () => {
    expect((await get('/', {}, 'HEAD')).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await get('/', {}, method)).status).toBe(403);
    expect((await get('/', { 'Content-Length': '4' }, 'GET', 'body')).status).toBe(403);
  });

  test('GET reaches no handler of the host', async () => {
    await get('/socket');
    await get('/host.info');
    expect(host.received).toEqual([]);
  });
});

const HOSTS = {
  ours: ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]', '127.0.0.1:1', 'localhost:65535', '[::1]:8001'],
  theirs: [
    '127.attacker.example',
    'localhost.attacker.example',
    'attacker.example',
    '127.0.0.1.nip.io',
    '0.0.0.0',
    '::1',
    '127.0.0.1:80:80',
    'user@127.0.0.1',
    'localhost.',
  ],
};

describe('Host and Origin', () => {
  test.each(HOSTS.ours)('Host %s is ours', async (name) => {
    expect((await get('/', { Host: name })).status).toBe(200);
  });
  test.each(HOSTS.theirs)('refuses Host %s', async (name) => {
    const answer = await get('/', { Host: name });
    expect(answer.status).toBe(403);
    expect(answer.body).toBe(REFUSAL);
  });
  test('a foreign Origin is refused for files, too', async () => {
    expect((await get('/', { Host: 'localhost:5', Origin: 'http://localhost:5' })).status).toBe(200);
    expect((await get('/', { Host: 'localhost:5', Origin: 'http://localhost:6' })).status).toBe(403);
    expect((await get('/', { Host: 'localhost:5', Origin: 'null' })).status).toBe(403);
  });
});

/** Result of an upgrade: the HTTP status of a refusal, or `open`. */
function upgrade(headers: Record<string, string>, path = '/socket'): Promise<number | 'open'> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers });
    socket.once('open', () => {
      socket.terminate();
      resolve('open');
    });
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', () => undefined);
  });
}

describe('the WebSocket upgrade', () => {
  test.each(HOSTS.ours)('with Host %s and the same Origin opens', async (name) => {
    expect(await upgrade({ Host: name, Origin: `http://${name}` })).toBe('open');
  });
  test.each(HOSTS.theirs)('with Host %s is refused even when Origin agrees', async (name) => {
    expect(await upgrade({ Host: name, Origin: `http://${name}` })).toBe(403);
  });
  test('without Origin is refused', async () => {
    expect(await upgrade({ Host: 'localhost:5' })).toBe(403);
  });
  test.each([
    'http://attacker.example',
    'http://localhost:6',
    'https://localhost:5',
    'null',
    'localhost:5',
    'file://',
  ])('from Origin %s is refused', async (origin) => {
    expect(await upgrade({ Host: 'localhost:5', Origin: origin })).toBe(403);
  });
  test('anywhere but /socket is refused', async () => {
    expect(await upgrade({ Host: 'localhost', Origin: 'http://localhost' }, '/socket?token=x')).toBe(403);
    expect(await upgrade({ Host: 'localhost', Origin: 'http://localhost' }, '/')).toBe(403);
  });
});

function open(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/socket`, {
    headers: { Origin: `http://127.0.0.1:${server.port}` },
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket)).once('error', reject);
  });
}

const closeCode = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once('close', resolve));
const request = (method: string, params: unknown = {}): Uint8Array =>
  encodeFrame({ kind: 'request', id: 1, method, params }, utf8);

describe('the token', () => {
  test('has 256 bits, differs per start and is in the fragment only', async () => {
    expect(Buffer.from(server.token, 'base64url').byteLength).toBe(32);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/#token=${server.token}`);
    const other = await startServer({ host, rendererDirectory: renderer });
    expect(other.token).not.toBe(server.token);
    await other.close();
  });

  test('opens the contract', async () => {
    const client = await openSocketTransport(server);
    expect(await client.send('echo', { a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    await client.close();
  });

  test.each<[string, (token: string) => string | Uint8Array]>([
    ['a wrong token', (token) => JSON.stringify({ token: `${token.slice(1)}A` })],
    ['a prefix of it', (token) => JSON.stringify({ token: token.slice(0, -1) })],
    ['an empty token', () => JSON.stringify({ token: '' })],
    ['no token', () => '{}'],
    ['null', () => 'null'],
    ['no JSON', () => 'token'],
    ['the bare token', (token) => token],
    ['the token in a binary frame', (token) => Buffer.from(JSON.stringify({ token }))],
    ['a token in an overlong frame', (token) => JSON.stringify({ token, padding: 'x'.repeat(1000) })],
    ['a request', () => request('echo')],
  ])('%s as first frame ends the connection', async (_name, frame) => {
    const socket = await open();
    const closed = closeCode(socket);
    socket.send(frame(server.token));
    socket.send(request('echo'));
    expect(await closed).toBe(1008);
    expect(host.received).toEqual([]);
    expect(host.listeners).toBe(0);
  });

  test('must arrive soon', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const socket = await open();
      // The server sets its timer after the upgrade, which the client may see first.
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), { timeout: 20_000 });
      const closed = closeCode(socket);
      await vi.advanceTimersByTimeAsync(6_000);
      expect(await closed).toBe(1008);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a connection', () => {
  async function authorised(): Promise<WebSocket> {
    const socket = await open();
    socket.send(JSON.stringify({ token: server.token }));
    return socket;
  }

  test.each<[string, string | Uint8Array]>([
    ['text', '{"kind":"request","id":2,"method":"echo","params":{}}'],
    ['noise', new Uint8Array([1, 2, 3, 4, 5])],
    ['an unknown kind', encodeFrame({ kind: 'grant', id: 2, path: '/' }, utf8)],
    ['an id that is no number', encodeFrame({ kind: 'request', id: '2', method: 'echo', params: {} }, utf8)],
  ])('%s after the token ends it', async (_name, frame) => {
    const socket = await authorised();
    const closed = closeCode(socket);
    socket.send(frame);
    expect(await closed).toBe(1008);
    expect(host.received).toEqual([]);
  });

  test('a frame above the limit ends it', async () => {
    const socket = await authorised();
    socket.on('error', () => undefined);
    const closed = closeCode(socket);
    socket.send(new Uint8Array(MAX_FRAME_BYTES + 1));
    expect(await closed).not.toBe(1000);
  });

  test('closing a page cancels its own requests only', async () => {
    const leaving = await openSocketTransport(server);
    const staying = await openSocketTransport(server);
    leaving.send('hang', {}).catch(() => undefined);
    staying.send('hang', {}).catch(() => undefined);
    await expect.poll(() => host.received).toEqual(['hang', 'hang']);
    await leaving.close();
    await expect.poll(() => host.cancelled).toEqual(['hang']);
    expect(host.listeners).toBe(1);
    await staying.close();
    await expect.poll(() => host.cancelled).toEqual(['hang', 'hang']);
  });

  test('cancelling is answered as data', async () => {
    const client = await openSocketTransport(server);
    const abort = new AbortController();
    const answer = client.send('hang', {}, abort.signal);
    await expect.poll(() => host.received).toEqual(['hang']);
    abort.abort();
    expect(await answer).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
    await client.close();
  });

  test('a result the wire cannot carry is an internal failure', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const client = await openSocketTransport(server);
    expect(await client.send('unsendable', {})).toMatchObject({ ok: false, failure: { code: 'internal' } });
    // A message of a page is printed as one line of text.
    await client.send('unsendable\u001b[2J\nroot#', {});
    expect(printed.mock.calls).toMatchObject([
      [expect.stringMatching(/^turnwise: unsendable: /)],
      [expect.stringContaining('turnwise: unsendable\\u{1b}[2J\\u{a}root#: ')],
    ]);
    printed.mockRestore();
    await client.close();
  });

  test('events reach every page', async () => {
    const pages = await Promise.all([openSocketTransport(server), openSocketTransport(server)]);
    const seen: unknown[] = [];
    for (const page of pages) page.subscribe((event) => seen.push(event));
    await expect.poll(() => host.listeners).toBe(2);
    const event = { event: 'library.changed', payload: { runIds: [1] } } as const;
    host.emit(event);
    await expect.poll(() => seen).toEqual([event, event]);
    await Promise.all(pages.map((page) => page.close()));
  });
});

function upload(
  headers: Record<string, string> = {},
  body = 'a log',
  query = 'name=a.jsonl&library=home',
): Promise<Answer> {
  const origin = `http://127.0.0.1:${server.port}`;
  const mine = { Origin: origin, Authorization: `Bearer ${server.token}` };
  return get(`${UPLOAD_PATH}?${query}`, { ...mine, ...headers }, 'POST', body);
}

describe('an upload', () => {
  test('with the token goes to the host', async () => {
    const answer = await upload();
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      ok: true,
      value: { path: '/uploads/a.jsonl', folder: 'uploads' },
    });
    expect(answer.headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
    await upload({}, 'x', uploadUrl('a &b=é?.jsonl', 'other').replace(`${UPLOAD_PATH}?`, ''));
    expect(host.uploaded).toEqual([
      { name: 'a.jsonl', bytes: 5, library: 'home' },
      { name: 'a &b=é?.jsonl', bytes: 1, library: 'other' },
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['another origin', { Origin: 'http://attacker.example' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', { Origin: 'null' }],
    ['a rebound name', { Host: 'attacker.example', Origin: 'http://attacker.example' }],
    ['a wrong token', { Authorization: 'Bearer abc' }],
    ['an empty token', { Authorization: 'Bearer ' }],
    ['a token of another scheme', { Authorization: 'Basic abc' }],
  ])('from %s is refused, and nothing of it is read', async (_name, headers) => {
    const answer = await upload(headers);
    expect(answer).toMatchObject({ status: 403, body: REFUSAL });
    expect(host.uploaded).toEqual([]);
  });

  test('without a token or an origin is refused', async () => {
    const origin = { Origin: `http://127.0.0.1:${server.port}` };
    for (const headers of [origin, { Authorization: `Bearer ${server.token}` }])
      expect((await get(`${UPLOAD_PATH}?name=a`, headers, 'POST', 'a')).status).toBe(403);
    expect((await upload({}, 'a', `name=a&token=${server.token}`)).status).toBe(200);
  });

  test('without the token ends the connection, also if its body never ends', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const head = `POST ${UPLOAD_PATH}?name=a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost`;
    socket.write(`${head}\r\nContent-Length: 100\r\n\r\nhalf`);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await closed;
    expect(text).toContain(REFUSAL);
    expect(host.uploaded).toEqual([]);
  });

  test('is a POST only', async () => {
    const headers = { Authorization: `Bearer ${server.token}` };
    for (const method of ['PUT', 'DELETE', 'OPTIONS'])
      expect((await get(UPLOAD_PATH, headers, method)).status).toBe(403);
    expect((await get(UPLOAD_PATH, headers)).body).toContain('<title>Turnwise');
    expect(host.uploaded).toEqual([]);
  });

  test('above the limit is refused by its head', async () => {
    const answer = await upload({ 'Content-Length': String(MAX_UPLOAD_BYTES + 1) }, '');
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ failure: { code: 'refused' } });
    expect(host.uploaded).toEqual([]);
  });

  test('that the page aborts fails for the host', async () => {
    const sending = httpRequest({
      ...{
        host: '127.0.0.1',
        port: server.port,
        method: 'POST',
        path: `${UPLOAD_PATH}?name=a`,
        agent: false,
      },
      headers: {
        Origin: `http://127.0.0.1:${server.port}`,
        Authorization: `Bearer ${server.token}`,
        'Content-Length': '100',
      },
    });
    sending.on('error', () => undefined);
    await new Promise((resolve) => sending.write('half', resolve));
    sending.destroy();
    await expect.poll(() => host.uploaded).toEqual([{ name: 'a', bytes: -1 }]);
  });

  test('that the host refuses is answered with the reason, also after a long body', async () => {
    host.upload = async () => ({ ok: false, failure: { code: 'refused', message: 'the disk is full' } });
    const answer = await upload({}, 'x'.repeat(4_000_000));
    expect(answer.status).toBe(409);
    expect(JSON.parse(answer.body)).toMatchObject({ failure: { message: 'the disk is full' } });
  });
});

describe('a download', () => {
  const ID = 'an-id-of-256-bits';
  const page = () => ({
    Origin: `http://127.0.0.1:${server.port}`,
    Authorization: `Bearer ${server.token}`,
  });
  const download = (headers: Record<string, string> = {}, url = downloadUrl(ID, 'home')) =>
    get(url, { ...page(), ...headers }, 'POST');
  beforeEach(() => void host.downloads.set(ID, { name: 'pack.html', text: '<h1>A pack</h1>' }));

  test('with the token is sent as an attachment, once, and deleted', async () => {
    const { status, headers, body } = await download();
    expect({ status, body }).toEqual({ status: 200, body: '<h1>A pack</h1>' });
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': '15',
      'content-disposition': 'attachment; filename="pack.html"; filename*=UTF-8\'\'pack.html',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': CONTENT_SECURITY_POLICY,
    });
    expect(host.removed).toEqual(['pack.html']);
    const again = await download();
    expect(again.status).toBe(404);
    expect(JSON.parse(again.body)).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  });

  test.each<[string, Record<string, string>]>([
    ['another origin', { Origin: 'http://attacker.example' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', { Origin: 'null' }],
    ['a rebound name', { Host: 'attacker.example', Origin: 'http://attacker.example' }],
    ['a wrong token', { Authorization: 'Bearer abc' }],
    ['an empty token', { Authorization: 'Bearer ' }],
    ['a token of another scheme', { Authorization: 'Basic abc' }],
  ])('from %s is refused, and stays for the page', async (_name, headers) => {
    expect(await download(headers)).toMatchObject({ status: 403, body: REFUSAL });
    expect((await download()).status).toBe(200);
  });

  test('without a token or an origin is refused, also with the token in the address', async () => {
    const { Origin, Authorization } = page();
    const url = `${downloadUrl(ID, 'home')}&token=${server.token}`;
    const headers: readonly Record<string, string>[] = [{ Origin }, { Authorization }];
    for (const each of headers) expect((await get(url, each, 'POST')).status).toBe(403);
    expect(host.downloads.size).toBe(1);
  });

  test('is a POST only, so no link leads to it', async () => {
    expect((await get(downloadUrl(ID, 'home'), page())).body).toContain('<title>Turnwise');
    for (const method of ['PUT', 'DELETE', 'OPTIONS'])
      expect((await get(downloadUrl(ID, 'home'), page(), method)).status).toBe(403);
    expect(host.downloads.size).toBe(1);
  });

  test.each(['../secret.txt', '..%2fsecret.txt', '%2e%2e%2fsecret.txt', join(directory, 'secret.txt'), ''])(
    'of the id %j reaches no file',
    async (id) => {
      for (const url of [
        `${DOWNLOAD_PATH}?id=${id}`,
        `${DOWNLOAD_PATH}/${id}`,
        `${DOWNLOAD_PATH}?path=${id}`,
      ]) {
        const { status, body } = await download({}, url);
        expect([403, 404], url).toContain(status);
        expect(body).not.toContain(SECRET);
      }
    },
  );

  test('of another library is not found', async () => {
    expect((await download({}, downloadUrl(ID, 'other'))).status).toBe(404);
  });

  test.each([
    ['步骤 1.html', 'attachment; filename="-- 1.html"; filename*=UTF-8\'\'%E6%AD%A5%E9%AA%A4%201.html'],
    [
      "it's (1)*%.html",
      'attachment; filename="it-s (1)--.html"; filename*=UTF-8\'\'it%27s%20%281%29%2A%25.html',
    ],
  ])('named %j has the header %j', async (name, header) => {
    host.downloads.set(ID, { name, text: 'a' });
    expect((await download()).headers['content-disposition']).toBe(header);
  });

  test('that the page aborts is deleted', async () => {
    host.downloads.set(ID, { name: 'large.html', text: 'x'.repeat(64_000_000) });
    const asked = httpRequest({
      ...{ host: '127.0.0.1', port: server.port, method: 'POST', agent: false },
      ...{ path: downloadUrl(ID, 'home'), headers: page() },
    });
    asked.on('error', () => undefined);
    const answer = new Promise<IncomingMessage>((resolve) => asked.once('response', resolve));
    asked.end();
    (await answer).destroy();
    await expect.poll(() => host.removed).toEqual(['large.html']);
  });
});

describe('idle connections', () => {
  const silent = async (port: number) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    return { socket, closed: new Promise((resolve) => socket.once('close', resolve)) };
  };

  test('are closed, whether they send nothing or half a head', async () => {
    const short = await startServer({ host, rendererDirectory: renderer, idleMs: 50 });
    const [nothing, half] = await Promise.all([silent(short.port), silent(short.port)]);
    half.socket.write('GET / HTTP/1.1\r\nHost: 127');
    half.socket.resume();
    nothing.socket.resume();
    await Promise.all([nothing.closed, half.closed]);
    await short.close();
  });

  test('are ended when their upgrade was refused, also if the client never closes its side', async () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write(
      'GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await new Promise((resolve) => socket.once('end', resolve));
    expect(text).toContain(REFUSAL);
    // Waits for every connection.
    await server.close();
    socket.destroy();
  });

  test('are limited in number', async () => {
    const opened = await Promise.all(Array.from({ length: 230 }, () => silent(server.port)));
    for (const { socket } of opened) socket.resume();
    await Promise.race(opened.map(({ closed }) => closed));
    for (const { socket } of opened) socket.destroy();
    await Promise.all(opened.map(({ closed }) => closed));
    expect((await get('/')).status).toBe(200);
  });

  test('neither keep the user out nor cost an open page its connection', async () => {
    const page = await openSocketTransport(server);
    // Both kinds at the limit: some send nothing, others wait to send the token.
    const opened = await Promise.all(Array.from({ length: 300 }, () => silent(server.port)));
    for (const { socket } of opened) socket.resume();
    const waiting = await Promise.all(Array.from({ length: 60 }, open));
    for (const socket of waiting) socket.on('error', () => undefined);
    expect((await get('/')).status).toBe(200);
    const another = await openSocketTransport(server);
    for (const each of [page, another])
      expect(await each.send('echo', { a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    for (const { socket } of opened) socket.destroy();
    for (const socket of waiting) socket.terminate();
    await Promise.all([page.close(), another.close()]);
  });
});

describe('binding', () => {
  const canConnect = (address: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ host: address, port: server.port, timeout: 10_000 });
      socket
        .once('connect', () => resolve(true))
        .once('error', () => resolve(false))
        .once('timeout', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });

  test('listens on loopback addresses only', async () => {
    expect(await canConnect('127.0.0.1')).toBe(true);
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one !== undefined && !one.internal && one.family === 'IPv4');
    for (const other of others) expect(await canConnect(other?.address ?? '')).toBe(false);
    // 127.0.0.2 is loopback, too; a server on 0.0.0.0 would answer there.
    if (process.platform === 'linux') expect(await canConnect('127.0.0.2')).toBe(false);
  });

  test('a used port is an error, not another port', async () => {
    await expect(startServer({ host, rendererDirectory: renderer, port: server.port })).rejects.toMatchObject(
      {
        code: 'EADDRINUSE',
      },
    );
  });

  test('closing ends open pages and does not close the host', async () => {
    const other = await startServer({ host, rendererDirectory: renderer });
    const client = await openSocketTransport(other);
    const left = client.send('hang', {});
    await Promise.all([expect(left).rejects.toThrow(), other.close()]);
    expect(host.isClosed).toBe(false);
  });
});
