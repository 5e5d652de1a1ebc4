/** Logs that something else changes or reads while they are read, or whose new content ends the parser. */
import { appendFileSync, copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identify } from '../../electron/ingest/identify.ts';
import { parseFile } from '../../electron/ingest/parseFile.ts';
import type { Parser } from '../../electron/ingest/readAhead.ts';
import { contentHash } from '../../electron/storage/contentHash.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const ALIKE = 300;
const LINES = 3_000;

let place: Scratch;
let log: string;
beforeEach(() => {
  place = scratch();
  log = place.file('log.jsonl', content(1));
});
afterEach(() => place.remove());

/** A log whose first lines are those of every other content, as of a trainer that was started again. */
function content(score: number, lines = LINES): string {
  return Array.from({ length: lines }, (_, n) => {
    const [output, value] =
      n < ALIKE ? [contentHash(`alike ${n}`), 0] : [`answer ${score} `.repeat(150), score];
    return `${JSON.stringify({ input: `q${n}`, output, score: value, step: 1 })}\n`;
  }).join('');
}

const scores = (): unknown => rows(place.library, 'SELECT reward, count(*) AS n FROM rollout GROUP BY 1');
const of = (score: number, lines = LINES) => [
  { reward: 0, n: ALIKE },
  { reward: score, n: lines - ALIKE },
];

/** Reads the log, and calls `change` when the first rollouts are stored. */
async function readWhile(change: () => void) {
  let isFirst = true;
  const onChange = () => {
    if (isFirst) change();
    isFirst = false;
  };
  return ingestHere(place.library, [log], { onChange });
}

it('reads a file from its beginning if it is overwritten while it is read', async () => {
  const outcome = await readWhile(() => writeFileSync(log, content(2, LINES + 10)));
  expect(outcome).toMatchObject({ added: LINES + 10, files: [{ status: 'read', rollouts: LINES + 10 }] });
  expect(outcome.files[0]?.issues).toEqual([]);
  expect(scores()).toEqual(of(2, LINES + 10));
});

it('reads a file to its end over which another is renamed, and the other in the next call', async () => {
  const other = place.file('new', content(2, LINES + 10));
  expect(await readWhile(() => renameSync(other, log))).toMatchObject({ added: LINES });
  expect(scores()).toEqual(of(1));
  expect(await ingestHere(place.library, [log])).toMatchObject({
    files: [{ status: 'read', rollouts: LINES + 10, issues: [] }],
  });
  expect(scores()).toEqual(of(2, LINES + 10));
});

it.each([
  ['plain', (text: string): string | Buffer => text],
  ['gzip', (text: string): string | Buffer => gzipSync(text)],
])('reads a file to its end that is removed: %s', async (_, packed) => {
  log = place.file('log', packed(content(1)));
  expect(await readWhile(() => rmSync(log))).toMatchObject({
    files: [{ status: 'read', rollouts: LINES, issues: [] }],
  });
});

it('reads the copy of a file that is copied and emptied', async () => {
  const outcome = await readWhile(() => {
    copyFileSync(log, join(place.directory, 'log.jsonl.1'));
    truncateSync(log);
  });
  expect(outcome).toMatchObject({ added: 0, files: [{ rollouts: 0, issues: [{ code: 'empty_file' }] }] });
  expect(await ingestHere(place.library, [place.directory])).toMatchObject({ added: LINES });
  expect(scores()).toEqual(of(1));
});

it.each([
  ['plain', (text: string): string | Buffer => text],
  ['gzip', (text: string): string | Buffer => gzipSync(text)],
])('detects that a file is overwritten while its first part is parsed: %s', async (_, packed) => {
  log = place.file('log', packed(content(1)));
  const parser = parserWith(() => writeFileSync(log, packed(content(2, LINES + 10))));
  await ingestHere(place.library, [log], {}, parser);
  await ingestHere(place.library, [log]);
  expect(scores()).toEqual(of(2, LINES + 10));
});

const SPANS = 600;
/** A log of spans of Langfuse, which are collected before the first rollout is read. */
function spans(word: string, traces = SPANS): string {
  const at = (n: number) => new Date(1_772_359_200_000 + n * 100).toISOString();
  return Array.from({ length: traces }, (_, n) => {
    const times = { startTime: at(n), endTime: at(n + 0.5) };
    const said = {
      input: [{ role: 'user', content: 'q' }],
      output: { role: 'assistant', content: `${word} ${n}` },
    };
    return `${JSON.stringify({ id: `s${n}`, traceId: `t${n}`, type: 'GENERATION', name: 'g', ...times, ...said })}\n`;
  }).join('');
}

it.each([
  ['renamed over', (other: string) => renameSync(other, log), SPANS],
  ['removed', () => rmSync(log), SPANS],
  ['overwritten', (other: string) => copyFileSync(other, log), SPANS + 10],
])('reads a log of spans whole that is %s while they are collected', async (_, change, rollouts) => {
  const other = place.file('other', spans('new', SPANS + 10));
  log = place.file('spans.jsonl', spans('old'));
  const { files } = await ingestHere(
    place.library,
    [log],
    {},
    parserWith(() => change(other)),
  );
  expect(files).toMatchObject([{ status: 'read', rollouts, issues: [] }]);
});

it('continues a list that grows before its closing bracket', async () => {
  const list = (lines: number) => `[\n${content(1, lines).trim().replaceAll('\n', ',\n')}\n]\n`;
  log = place.file('log.json', list(400));
  await ingestHere(place.library, [log]);
  writeFileSync(log, list(500));
  expect(await ingestHere(place.library, [log])).toMatchObject({
    added: 100,
    files: [{ status: 'appended', rollouts: 500, issues: [] }],
  });
});

it('leaves a file to the next call that is rewritten again and again', async () => {
  let n = 1;
  const onChange = () => writeFileSync(log, content(++n));
  const outcome = await ingestHere(place.library, [log], { onChange });
  expect(outcome.files).toMatchObject([
    { isUnread: true, issues: [{ code: 'rewritten', severity: 'warning' }] },
  ]);
  writeFileSync(log, content(50));
  expect(await ingestHere(place.library, [log])).toMatchObject({ files: [{ issues: [] }] });
  expect(scores()).toEqual(of(50));
});

/** Calls `change` once, when the first part of the file was read. */
function parserWith(change: () => void): Parser {
  let turns = 0;
  const isCancelled = () => {
    if (turns++ === 0) change();
    return false;
  };
  const parse: Parser['parse'] = (request, onBatch) =>
    parseFile(request, async (batch) => onBatch(batch), isCancelled);
  return { ...real, parse };
}

const ended = () =>
  Promise.reject(Object.assign(new Error('ended'), { code: 'PARSER_ENDED', syscall: 'spawn' }));
const real: Parser = {
  identify: (path, name) => identify(path, name),
  parse: (request, onBatch) =>
    parseFile(
      request,
      async (batch) => onBatch(batch),
      () => false,
    ),
};

it.each([
  ['plain', (text: string): string | Buffer => text],
  ['gzip', (text: string): string | Buffer => gzipSync(text)],
])(
  'reads a file from its beginning that was replaced after its end had ended the parser: %s',
  async (_, packed) => {
    log = place.file('log', packed(content(1)));
    await ingestHere(place.library, [log]);
    appendFileSync(log, packed(content(3, 10)));
    const { files } = await ingestHere(place.library, [log], {}, { ...real, parse: ended });
    expect(files).toMatchObject([
      { status: 'refused', rollouts: LINES, issues: [{ code: 'parser_ended', line: LINES + 1 }] },
    ]);
    writeFileSync(log, packed(content(2, 2 * LINES)));
    expect(await ingestHere(place.library, [log])).toMatchObject({ files: [{ status: 'read', issues: [] }] });
    expect(scores()).toEqual(of(2, 2 * LINES));
  },
);

it('forgets a replaced file whose new content ends the parser', async () => {
  await ingestHere(place.library, [log]);
  writeFileSync(log, content(2, 50).replaceAll('q', 'p'));
  const { files } = await ingestHere(place.library, [log], {}, { ...real, identify: ended });
  expect(files).toMatchObject([{ status: 'refused', rollouts: 0, issues: [{ code: 'parser_ended' }] }]);
  expect(files[0]?.issues[0]).not.toHaveProperty('line');
  expect(scores()).toEqual([]);
});

it('keeps a file among the unread ones that another process is reading', async () => {
  const outcome = await readWhile(() => {
    const other = openWriter(place.library);
    other.exec('UPDATE file_row SET offset_bytes = offset_bytes + 1');
    other.close();
  });
  expect(outcome.files).toMatchObject([{ status: 'unchanged', issues: [{ code: 'busy' }] }]);
  expect(rows(place.library, 'SELECT path FROM unread_row')).toEqual([{ path: log }]);
});

it('reads a file from its beginning that was corrected in place after an interrupted read', async () => {
  let isCancelled = false;
  const options = { onChange: () => (isCancelled = true), isCancelled: () => isCancelled };
  const { files } = await ingestHere(place.library, [log], options);
  expect(files[0]?.rollouts).toBeLessThan(LINES);
  // The first and the last lines stay.
  const lines = content(1).split('\n');
  const corrected = lines.map((line, n) => (n < LINES - 20 ? line.replace('"score":1', '"score":2') : line));
  writeFileSync(log, corrected.join('\n'));
  await ingestHere(place.library, [log]);
  expect(scores()).toEqual([...of(1, ALIKE + 20), { reward: 2, n: LINES - ALIKE - 20 }]);
});

it.each([
  ['in place', (text: string) => writeFileSync(log, text, { flag: 'r+' })],
  ['by a new file', (text: string) => renameSync(place.file('new', text), log)],
])('reads a log from its beginning that was corrected %s before it grew', async (_, write) => {
  await ingestHere(place.library, [log]);
  // A tenth of the records, none of the last ones, the same number of bytes.
  const before = content(1);
  const corrected = before.replaceAll('"score":1', (score, at: number) =>
    at % 10 === 0 && at < before.length - 20_000 ? '"score":2' : score,
  );
  const changed = corrected.match(/"score":2/g)?.length ?? 0;
  expect(changed).toBeGreaterThan(100);
  write(corrected + content(3, ALIKE));
  await ingestHere(place.library, [log]);
  expect(scores()).toEqual([
    { reward: 0, n: 2 * ALIKE },
    { reward: 1, n: LINES - ALIKE - changed },
    { reward: 2, n: changed },
  ]);
});
