/** The form of *Open warehouse…*, and what is kept of it. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { libraryOfWarehouse } from '../../electron/host/libraryPath.ts';
import { SavedWarehouses } from '../../electron/main/savedWarehouses.ts';
import {
  type EnteredWarehouse,
  type FormServices,
  warehouseForm,
} from '../../electron/main/warehouseForm.ts';
import { readAddress } from '../../electron/warehouse/namedWarehouse.ts';
import { type Scratch, scratch } from '../support/library.ts';

const FORM = 'app://bundle/warehouse';
const ENTERED: EnteredWarehouse = {
  ...{ address: 'https://host:8443/team', user: 'ann', password: ' s3cret&<', authority: '', isKept: true },
};

const entering = (fields: Record<string, string>, url = FORM) =>
  new Request(url, { method: 'POST', body: new URLSearchParams(fields) });

function form(more: Partial<FormServices> = {}) {
  const calls: string[] = [];
  const entered: EnteredWarehouse[] = [];
  const { handle, close } = warehouseForm({
    fields: { address: '', user: '', authority: '', isKept: false },
    canKeep: true,
    open: async (given) => {
      entered.push(given);
      return { ok: true, value: { library: 'team' } };
    },
    onOpened: (library) => calls.push(`opened ${library}`),
    onFailed: () => calls.push('failed'),
    onCancelled: () => calls.push('cancelled'),
    ...more,
  });
  return { handle, close, calls, entered, text: async (request: Request) => (await handle(request)).text() };
}

describe('the form', () => {
  test('gives what was entered to the shell alone, and shows that it waits', async () => {
    const { text, calls, entered } = form();
    const { address, user, password } = ENTERED;
    const waiting = await text(
      entering({ address: ` ${address} `, user, password, authority: '', keep: 'on' }),
    );
    expect(waiting).toContain('Asking https://host:8443/team for its runs…');
    expect(waiting).not.toContain('s3cret');
    await vi.waitFor(() => expect(calls).toEqual(['opened team']));
    expect(entered).toEqual([ENTERED]);
  });

  test('is shown again with the failure and without the password', async () => {
    const { text, calls } = form({
      open: async () => ({ ok: false, failure: { code: 'refused', message: '<b>no & "answer"\u202e' } }),
    });
    await text(entering({ address: '"><script>', user: 'ann', password: 'hunter2' }));
    await vi.waitFor(() => expect(calls).toEqual(['failed']));
    const shown = await text(new Request(FORM));
    expect(shown).toContain('&lt;b&gt;no &amp; &quot;answer&quot;⟨RLO⟩');
    expect(shown).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(shown).toContain('value="ann"');
    expect(shown).not.toContain('hunter2');
    expect(shown).not.toContain('<script');
  });

  test('offers to keep the password only where a keychain is', async () => {
    expect(await form().text(new Request(FORM))).toContain('name="keep"');
    const known = form({ fields: { ...ENTERED, isKept: true } });
    expect(await known.text(new Request(FORM))).toContain('placeholder="kept in the keychain"');
    const without = await form({ canKeep: false }).text(new Request(FORM));
    expect(without).not.toContain('name="keep"');
    expect(without).toContain('This system has no keychain');
  });

  test('a second attempt and closing the window end the one before', async () => {
    const signals: AbortSignal[] = [];
    const { text, close, calls } = form({
      open: (_entered, signal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    await text(entering({ address: 'https://one/a' }));
    await text(entering({ address: 'https://two/a' }));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await text(new Request(FORM));
    await text(entering({ address: 'https://three/a' }));
    close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    await text(entering({}, `${FORM}/cancel`));
    expect(calls).toEqual(['cancelled']);
  });

  test.each([
    ['another path', new Request('app://bundle/')],
    ['another host', new Request('app://elsewhere/warehouse')],
    ['another scheme', entering({ address: 'a' }, 'https://bundle/warehouse')],
    ['another method', new Request(FORM, { method: 'PUT', body: 'a' })],
    ['a text without end', entering({ address: 'a'.repeat(200_000) })],
  ])('refuses %s', async (_what, request) => {
    const { handle, entered } = form();
    expect((await handle(request)).status).toBe(403);
    expect(entered).toEqual([]);
  });

  test('runs no script, and sends its fields nowhere else', async () => {
    const policy = (await form().handle(new Request(FORM))).headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain('script-src');
  });
});

describe('opened warehouses', () => {
  let place: Scratch;
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  const libraryPath = libraryOfWarehouse(ENTERED.address);
  const turned = (text: string) => [...text].reverse().join('');
  const keychain = (backend: 'gnome_libsecret' | 'basic_text' = 'gnome_libsecret') => ({
    isAsyncEncryptionAvailable: async () => true,
    getSelectedStorageBackend: () => backend,
    encryptStringAsync: async (text: string) => Buffer.from(turned(text)),
    decryptStringAsync: async (bytes: Buffer) => ({ result: turned(String(bytes)), shouldReEncrypt: false }),
  });
  const open = (backend?: 'basic_text') =>
    new SavedWarehouses(`${place.directory}/own/warehouses.json`, keychain(backend), 'linux');
  const saved = () => readFileSync(`${place.directory}/own/warehouses.json`, 'utf8');

  test('are known after the next start, with the password if it was kept', async () => {
    await open().add(ENTERED);
    expect(saved()).not.toContain('s3cret');
    if (process.platform !== 'win32')
      expect(statSync(`${place.directory}/own/warehouses.json`).mode & 0o777).toBe(0o600);
    const next = open();
    expect(next.fields).toMatchObject({ address: ENTERED.address, user: 'ann', isKept: true });
    expect(next.fields).not.toHaveProperty('password');
    expect(await next.of(libraryPath)).toMatchObject({
      address: { server: 'https://host:8443', database: 'team' },
      credentials: { user: 'ann', password: ENTERED.password },
    });
    expect(await next.of('/elsewhere.sqlite')).toBeUndefined();
    expect(await next.withKeptPassword({ ...ENTERED, password: '' })).toEqual(ENTERED);
    for (const other of [{ user: 'bob' }, { address: 'https://other/team' }, { address: 'nonsense' }])
      expect((await next.withKeptPassword({ ...ENTERED, ...other, password: '' })).password).toBe('');
    await next.add({ ...ENTERED, isKept: false });
    expect(await next.of(libraryPath)).toMatchObject({ credentials: { password: ENTERED.password } });
    expect(await open().of(libraryPath)).toBeUndefined();
    expect(open().fields.address).toBe(ENTERED.address);
  });

  test('have one library each, however their address is written', () => {
    const name = (address: string) => basename(libraryOfWarehouse(address));
    const same = ['http://h/team', 'http://h:8123/team/', 'HTTP://H:8123/team', 'clickhouse://h/team'];
    expect(new Set(same.map(name))).toEqual(new Set(['h-8123-team.sqlite']));
    const others = [
      ...['https://h/team', 'http://h:80/team', 'https://h:443/team', 'http://a-b/c', 'http://a/b_c'],
      ...['http://[::1:1]:1/a', 'http://[1::1]:1/a', 'http://[2001:db8::1]/a', 'http://[2001:db8:1::]/a'],
    ];
    expect(new Set(others.map(name)).size).toBe(others.length);
    expect(readAddress('https://h:443/team').server).toBe('https://h:443');
    for (const bad of ['http:/h/team', 'http:h/team', 'http:../../x'])
      expect(() => readAddress(bad)).toThrow('the address of a warehouse must be');
  });

  test('are known by the real path of their library', async () => {
    if (process.platform === 'win32') return;
    mkdirSync(`${place.directory}/real/warehouses`, { recursive: true });
    symlinkSync(`${place.directory}/real`, `${place.directory}/link`);
    vi.stubEnv('TURNWISE_HOME', `${place.directory}/link`);
    try {
      const library = libraryOfWarehouse(ENTERED.address);
      await open().add(ENTERED);
      expect(await open().of(library.replace('/link/', '/real/'))).toBeDefined();
      expect(await open().of(library)).toBeDefined();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('keep no password where the system would not hide it', async () => {
    const shown = open('basic_text');
    expect(await shown.canKeep()).toBe(false);
    await shown.add(ENTERED);
    expect(JSON.parse(saved())).toEqual([{ address: ENTERED.address, user: 'ann', authority: '' }]);
  });

  test('the account of this start precedes what was kept', async () => {
    await open().add(ENTERED);
    const started = open();
    const named = {
      address: { server: 'https://host:8443', database: 'team' },
      credentials: { user: 'bob', password: '' },
    };
    started.prefer(libraryPath, named);
    expect(await started.of(libraryPath)).toEqual(named);
  });

  test('a keychain that refuses, and a damaged file, ask for the password again', async () => {
    await open().add(ENTERED);
    const refusing = new SavedWarehouses(
      `${place.directory}/own/warehouses.json`,
      { ...keychain(), decryptStringAsync: () => Promise.reject(new Error('locked')) },
      'linux',
    );
    expect(refusing.has(libraryPath)).toBe(true);
    await expect(refusing.of(libraryPath)).rejects.toThrow(
      'the keychain did not give the password of https://host:8443/team; enter it in Open warehouse',
    );
    const [whole] = JSON.parse(saved()) as readonly object[];
    writeFileSync(`${place.directory}/own/warehouses.json`, JSON.stringify([{ address: 1 }, whole]));
    expect(open().fields.address).toBe(ENTERED.address);
    writeFileSync(`${place.directory}/own/warehouses.json`, '[{"addr');
    expect(open().fields.address).toBe('');
    expect(existsSync(`${place.directory}/own/warehouses.json.partial`)).toBe(false);
  });
});
