/** Rollouts whose parts lie anywhere in a file: in any container, in growing files, and their raw records. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TookTooLongError, tooMuchComputing } from '../../electron/ingest/computingTime.ts';
import { readRecordChunk } from '../../electron/ingest/recordChunk.ts';
import { contentHash } from '../../electron/storage/contentHash.ts';
import { openReader } from '../../electron/storage/open.ts';
import { recordSource } from '../../electron/storage/queries/places.ts';
import { ingestHere, parserHere, rows, type Scratch, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const SPANS = readFileSync(join(FIXTURES, 'openinference', 'spans-as-lines', 'spans.jsonl'), 'utf8');

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

function put(path: string, content: string | Uint8Array): string {
  const target = join(place.directory, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

const rollouts = () =>
  rows(
    place.library,
    'SELECT r.line, r.turns, r.tool_calls, r.tool_errors, r.response_chars, r.policy_tokens FROM rollout r ORDER BY r.run_id, r.line',
  );

it('reads the same from lines, an array, gzip and zstd, and leaves no temporary file', async () => {
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('turnwise-parts-')).length;
  const lines = SPANS.trim().split('\n').slice(0, -1);
  await ingestHere(place.library, [
    put('a/lines.jsonl', lines.join('\n')),
    put('b/array.json', `[\n${lines.join(',\n')}]`),
    put('c/lines.jsonl.gz', gzipSync(lines.join('\n'))),
    put('d/lines.jsonl.zst', zstdCompressSync(lines.join('\n'))),
  ]);
  const found = rollouts();
  expect(found).toHaveLength(8);
  for (let i = 2; i < 8; i += 2) expect(found.slice(i, i + 2)).toEqual(found.slice(0, 2));
  expect(found[0]).toMatchObject({ line: 1, turns: 3, tool_calls: 3, tool_errors: 1 });
  const after = readdirSync(tmpdir()).filter((name) => name.startsWith('turnwise-parts-')).length;
  expect(after).toBe(before);
});

it('reads a file again when it has grown, so that a trace stays one rollout', async () => {
  const lines = SPANS.trim().split('\n');
  const file = put('run/spans.jsonl', `${lines.slice(0, 3).join('\n')}\n`);
  await ingestHere(place.library, [file]);
  expect(rollouts()).toMatchObject([{ line: 1, turns: 1 }]);
  appendFileSync(file, `${lines.slice(3).join('\n')}\n`);
  await ingestHere(place.library, [file]);
  expect(rollouts()).toMatchObject([
    { line: 1, turns: 3 },
    { line: 4, turns: 1 },
  ]);
  const issues = rows(place.library, 'SELECT line, code FROM issue_row ORDER BY line');
  expect(issues).toEqual([
    { line: 1, code: 'other_calls' },
    { line: 10, code: 'no_spans' },
  ]);
});

it('names the other file of a trace that two files share', async () => {
  const lines = SPANS.trim().split('\n').slice(0, -1);
  const first = put('run/first.jsonl', `${lines.slice(0, 3).join('\n')}\n`);
  const second = put('run/second.jsonl', `${lines.slice(3).join('\n')}\n`);
  // A directory is a run, and ids of traces of another run say nothing about this one.
  put('other/spans.jsonl', SPANS);
  await ingestHere(place.library, [place.directory]);
  expect(rows(place.library, 'SELECT count(*) AS n FROM rollout_row')).toEqual([{ n: 5 }]);
  const split = () =>
    rows(
      place.library,
      `SELECT f.path, i.line, i.message FROM issue_row i JOIN file_row f USING (file_id)
       WHERE i.code = 'split_rollout' ORDER BY f.path`,
    );
  const message = (path: string) =>
    `trace a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 is also in ${path}, line 1; each file is read by itself, so it is more than one rollout. Join the files to one to read it whole`;
  expect(split()).toEqual([{ path: second, line: 2, message: message(first) }]);
  // Either file may be read again, and the warning is written once for each.
  appendFileSync(second, `${lines[8]}\n`);
  await ingestHere(place.library, [second]);
  expect(split()).toEqual([{ path: second, line: 2, message: message(first) }]);
});

const granted = () => ({ library: place.library, paths: [place.directory] });

it('shows the parts of a rollout as its raw record', async () => {
  const file = put('run/spans.jsonl', SPANS);
  await ingestHere(place.library, [file]);
  const db = openReader(place.library);
  const [second] = rows(place.library, 'SELECT rollout_id AS id FROM rollout_row ORDER BY line DESC LIMIT 1');
  const source = recordSource(db, Number(second?.['id']));
  db.close();
  if (source === undefined) throw new Error('no source');
  const chunk = await readRecordChunk(source, 0, 1 << 20, granted());
  const record = JSON.parse(chunk.text) as Record<string, { context: { span_id: string } }[]>;
  expect(chunk).toMatchObject({ unit: 'part', line: 4, isRewritten: true });
  expect(record['#parts']?.map(({ context }) => context.span_id)).toEqual(['z1']);
});

it('shows no file whose content the author of the library did not know', async () => {
  // Longer than what is shown at once.
  const secret = JSON.stringify({ password: 'x'.repeat(2 << 20) });
  const path = put('secret.json', secret);
  const source = {
    path,
    container: 'plain',
    unit: 'line',
    line: 1,
    byteOffset: 0,
    byteLength: Buffer.byteLength(secret),
  };
  const read = (recordHash: string) => readRecordChunk({ ...source, recordHash }, 0, 100, granted());
  await expect(read(contentHash('guessed'))).rejects.toThrow('is no longer this record');
  expect((await read(contentHash(secret))).text).toBe(secret.slice(0, 100));
});

it('reads the traces before damage', async () => {
  const packed = gzipSync(SPANS.repeat(400), { level: 0 });
  packed.fill(0xff, packed.byteLength - 200_000, packed.byteLength - 199_000);
  const { files } = await ingestHere(place.library, [put('run/spans.jsonl.gz', packed)]);
  expect(rollouts()).toHaveLength(2);
  expect(JSON.stringify(files)).toMatch(/damaged gzip data/);
});

it('says of a file that takes too long that its records can only be read together', async () => {
  const file = put('run/spans.jsonl', SPANS);
  const parser = parserHere({
    checkTime: ({ bytes, unit }) => {
      throw new TookTooLongError(tooMuchComputing(60_000, bytes, unit) ?? '');
    },
  });
  const [read] = (await ingestHere(place.library, [file], {}, parser)).files;
  expect(read?.issues).toMatchObject([
    {
      code: 'damaged',
      message: expect.stringMatching(
        /unpack or split it, .* read together; everything before that was read$/,
      ),
    },
  ]);
  expect(rows(place.library, 'SELECT status FROM file_row')).toEqual([{ status: 'read' }]);
});
