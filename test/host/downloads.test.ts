/** Exports that a page downloads: what arrives, under which name, and what stays on the disk. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import { type Download, Downloads } from '../../electron/host/downloads.ts';
import type { Host } from '../../electron/host/host.ts';
import { type Method, PACK_FORMATS, type ParamsOf, type ResultOf } from '../../shared/api/contract.ts';
import { type Scratch, scratch } from '../support/library.ts';
import { unzipped } from '../support/unzipped.ts';

const DEMO = join(import.meta.dirname, '../../fixtures/demo/demo.jsonl');
const FAILED = 'tool_errors:>2';

let place: Scratch;
let home: string | undefined;
let host: Host;
let runKey = '';
/** Where downloads wait. */
let waiting: string;

beforeAll(async () => {
  place = scratch();
  home = process.env['TURNWISE_HOME'];
  process.env['TURNWISE_HOME'] = join(place.directory, 'home');
  waiting = join(place.directory, 'home', 'downloads');
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
  await host.ingest([DEMO]);
  runKey = (await ask('run.list', {})).find(({ kind }) => kind === 'eval')?.runKey ?? '';
});
afterAll(async () => {
  await host.close();
  if (home === undefined) delete process.env['TURNWISE_HOME'];
  else process.env['TURNWISE_HOME'] = home;
  place.remove();
});

async function ask<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
  const result = await host.dispatch(method, params);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as ResultOf<M>;
}

async function take(id: string | undefined): Promise<Download> {
  const taken = await host.download(id ?? '');
  if (!taken.ok) throw new Error(taken.failure.message);
  return taken.value;
}

/** Takes a download like the server. */
async function arrived(id: string | undefined): Promise<Buffer> {
  const download = await take(id);
  const bytes = await buffer(download.content);
  expect(bytes.byteLength).toBe(download.bytes);
  download.remove();
  return bytes;
}

const filesBelow = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [];

const filesAndFolders = (): readonly string[] => readdirSync(waiting, { recursive: true, encoding: 'utf8' });

it.each(PACK_FORMATS)('sends a pack in the format %s as it is written to a path', async (format) => {
  const choice = { format, filter: FAILED, isAll: true, redact: ['print'] };
  const written = await ask('pack.export', { ...choice, path: `saved-${format}` });
  const sent = await ask('pack.export', { ...choice, path: `sent-${format}`, isDownload: true });
  expect(written.redactions).toBeGreaterThan(0);
  const { path, download, ...facts } = written;
  expect(download).toBeUndefined();
  expect(sent).toMatchObject(facts);
  const isZip = ['csv', 'tsv', 'chat', 'parquet'].includes(format);
  expect(sent.path).toBe(`sent-${format}${isZip ? '.zip' : ''}`);
  const bytes = await arrived(sent.download);
  if (!isZip) return expect(bytes).toEqual(readFileSync(path));
  const members = await unzipped(bytes);
  const files = [path, `${path}.manifest.json`].flatMap((one) =>
    existsSync(one) && statSync(one).isFile() ? [one] : filesBelow(one),
  );
  const asSent = (file: string) => relative(place.directory, file).replace('saved-', 'sent-');
  expect([...members.keys()].sort()).toEqual(files.map(asSent).sort());
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(members.get(asSent(file)), file).toEqual(readFileSync(file));
});

it('sends a run as a zip of its data set', async () => {
  const saved = await ask('run.export', { runKeys: [runKey], path: 'run' });
  const sent = await ask('run.export', { runKeys: [runKey], path: 'run', isDownload: true });
  expect(sent).toMatchObject({ ...saved, directory: 'run.zip' });
  const members = await unzipped(await arrived(sent.download));
  const files = filesBelow(saved.directory);
  expect([...members.keys()].sort()).toEqual(files.map((file) => relative(place.directory, file)).sort());
  for (const file of files) expect(members.get(relative(place.directory, file))).toEqual(readFileSync(file));
});

it.each([
  ['../../etc/passwd', 'passwd'],
  ['/etc/cron.d/evil', 'evil'],
  ['..', 'log'],
  ['a"; filename="b\r\nSet-Cookie: x.html', 'a-; filename=-b--Set-Cookie- x.html'],
  ['invoice\u202Elmth.exe', 'invoice-lmth.exe'],
])('a pack named %j is sent as %j, and is written nowhere else', async (path, name) => {
  const beside = readdirSync(place.directory);
  const sent = await ask('pack.export', {
    format: 'md',
    filter: FAILED,
    isAll: true,
    path,
    isDownload: true,
  });
  expect(sent.path).toBe(name);
  expect(sent.download).toMatch(/^[\w-]{43}$/);
  expect(filesBelow(waiting).map((file) => relative(waiting, file))).toEqual([
    expect.stringMatching(/^\d+-[\da-f]{8}-\w+\/export-\w+\/[^/]+$/),
  ]);
  expect(readdirSync(place.directory)).toEqual(beside);
  await arrived(sent.download);
  expect(filesBelow(waiting)).toEqual([]);
});

const markdown = { format: 'md', filter: FAILED, isAll: true, path: 'a.md', isDownload: true } as const;

it('keeps a download for its user only, and hands it out once', async () => {
  const { download } = await ask('pack.export', markdown);
  const [file = ''] = filesBelow(waiting);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(waiting).mode & 0o777).toBe(0o700);
  await arrived(download);
  expect(await host.download(download ?? '')).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  for (const id of ['', '..', file, '__proto__'])
    expect(await host.download(id), id).toMatchObject({ ok: false, failure: { code: 'not_found' } });
});

it('leaves nothing when the export fails or is cancelled', async () => {
  const failed = await host.dispatch('pack.export', { ...markdown, labels: ['gave-up'], isAll: false });
  expect(failed).toMatchObject({ ok: false, failure: { code: 'refused' } });
  expect(filesAndFolders().filter((name) => name.includes('export-'))).toEqual([]);
  const controller = new AbortController();
  const stop = host.subscribe(({ event, payload }) => {
    if (event === 'analysis.progress' && payload.progressKey === 'run') controller.abort();
  });
  const params = { path: 'run', isDownload: true, progressKey: 'run' };
  const cancelled = await host.dispatch('run.export', params, controller.signal);
  stop();
  expect(cancelled).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
  // The next request waits until the thread has cleaned up this one.
  await arrived((await ask('pack.export', markdown)).download);
  expect(filesBelow(waiting)).toEqual([]);
});

it('is for pages in a browser', async () => {
  const libraryPath = join(place.directory, 'desktop.sqlite');
  const desktop = await createHost({ libraryPath, shell: 'desktop', version: 'test' });
  const result = await desktop.dispatch('pack.export', markdown);
  expect(result).toMatchObject({ ok: false, failure: { code: 'refused' } });
  await desktop.close();
});

it('deletes a download that nobody asks for, and all when the library is closed', async () => {
  vi.useFakeTimers();
  try {
    const downloads = new Downloads(1_000);
    const folder = downloads.newFolder('a.md', 'md');
    writeFileSync(folder.path, 'a');
    const { id } = folder.offer();
    vi.advanceTimersByTime(999);
    expect(existsSync(folder.path)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(existsSync(folder.path)).toBe(false);
    expect(() => downloads.take(id)).toThrow('there is no such download');
    const other = downloads.newFolder('b.md', 'md');
    writeFileSync(other.path, 'b');
    other.offer();
    downloads.close();
    expect(existsSync(other.path)).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

it('deletes the download that waited longest when there are too many', () => {
  const downloads = new Downloads();
  const offered = Array.from({ length: 18 }, () => {
    const folder = downloads.newFolder('a.md', 'md');
    writeFileSync(folder.path, 'a');
    return { ...folder.offer(), directory: dirname(folder.path) };
  });
  expect(offered.map(({ directory }) => existsSync(directory))).toEqual(offered.map((_, at) => at >= 2));
  expect(() => downloads.take(offered[1]?.id ?? '')).toThrow('a later export took its place');
  expect(downloads.take(offered[2]?.id ?? '').name).toBe('a.md');
  downloads.close();
});

it('deletes at the start what a killed process left, and nothing else', async () => {
  const dead = `${2 ** 22 + 1}-0a1b2c3d-abcdef`;
  const earlier = `${process.pid}-0a1b2c3d-abcdef`;
  const running = `${process.ppid}-0a1b2c3d-abcdef`;
  for (const name of [dead, earlier, running, 'mine']) {
    mkdirSync(join(waiting, name, 'export-1'), { recursive: true });
    writeFileSync(join(waiting, name, 'export-1', 'a.md'), 'a');
  }
  const libraryPath = join(place.directory, 'next.sqlite');
  const next = await createHost({ libraryPath, shell: 'browser', version: 'test', isForPages: true });
  const left = readdirSync(waiting);
  await next.close();
  expect(left).toEqual(expect.arrayContaining([running, 'mine']));
  expect(left).not.toContain(dead);
  expect(left).not.toContain(earlier);
});

it('refuses a zip that is too large for the format', () => {
  const downloads = new Downloads();
  const folder = downloads.newFolder('huge', 'parquet');
  mkdirSync(folder.path);
  writeFileSync(join(folder.path, 'a'), '');
  // Sparse: it takes no room on the disk.
  truncateSync(join(folder.path, 'a'), 2 ** 32);
  expect(() => folder.offer()).toThrow(/a \.zip holds at most .* Save it on the server’s machine/);
  downloads.close();
});
