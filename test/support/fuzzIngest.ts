/** Fuzzed files, ingested into libraries; the caller chooses the number (`test/ingest`, `npm run soak`). */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { identify } from '../../electron/ingest/identify.ts';
import { openRecords } from '../../electron/ingest/openRecords.ts';
import { readRecord } from '../../electron/ingest/readRecord.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { ParserProcess } from '../../electron/worker/parserProcess.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import type { FuzzOptions } from './fuzz.ts';
import {
  type CorpusFile,
  damage,
  damages,
  mutate,
  mutations,
  readCorpus,
  withoutNests,
} from './fuzzRecords.ts';
import { ingestHere, rows, type Scratch, scratch } from './library.ts';
import { isFarTooDeep, type Reading, readByLaw } from './recordLaw.ts';

/** For records nested far too deeply: read as deep as this thread's stack allows, and read without the nesting. */
interface DeepReading {
  readonly deep: readonly Reading[];
}

/** Expected outcome of each record by number. */
type Expected = ReadonlyMap<number, Reading | DeepReading | 'cut'>;

const PACK = 'turnwise-pack';

/** @returns number of ingested files */
export async function fuzzFiles({ seed, runs }: FuzzOptions): Promise<number> {
  const corpus = (await readCorpus()).filter((file) => file.texts.some(isJson));
  let read = 0;
  const property = fc.asyncProperty(
    fc.nat(corpus.length - 1),
    fc.array(fc.tuple(fc.nat(), fc.option(mutations, { freq: 4 })), { minLength: 1, maxLength: 12 }),
    async (number, changes) => {
      const file = corpus[number];
      if (file === undefined) return;
      read++;
      await inScratch((place) => checkFile(file, place.file(nameOf(file), fileOf(file, changes)), place));
    },
  );
  await fc.assert(property, { seed, numRuns: runs });
  return read;
}

function fileOf(file: CorpusFile, changes: readonly (readonly [number, Change])[]): string {
  const texts = file.texts.filter(isJson);
  return changes
    .map(([number, change]) => {
      const text = texts[number % texts.length] ?? '{}';
      return `${change === null ? JSON.stringify(JSON.parse(text)) : mutate(text, change)}\n`;
    })
    .join('');
}

type Change = Parameters<typeof mutate>[1] | null;

/** The step in the name, if any, without the container, which these files do not have. */
function nameOf(file: CorpusFile): string {
  return /^\d+\./.test(file.layoutPath) ? file.layoutPath : 'log.jsonl';
}

async function checkFile(file: CorpusFile, path: string, place: Scratch): Promise<void> {
  const { files } = await ingestHere(place.library, [path]);
  const [report] = files;
  assert.ok(report !== undefined && files.length === 1, 'one file, one report');
  if (report.format === null) {
    assert.ok(report.issues.length > 0, 'a file that is not read says why');
    return;
  }
  const expected = await expectedOf(path, report.format);
  const count = (sql: string): ReadonlyMap<number, number> =>
    new Map(rows(place.library, sql).map((row) => [Number(row['line']), Number(row['n'])]));
  const read = count(`SELECT line, count(*) AS n FROM
    (SELECT line FROM rollout_row UNION ALL SELECT line FROM join_row WHERE kind = 'rollout') GROUP BY line`);
  const refused = count(`SELECT line, count(*) AS n FROM issue_row
    WHERE severity = 'refused' AND line IS NOT NULL GROUP BY line`);
  const joined = count(`SELECT line, count(*) AS n FROM (SELECT line FROM join_row WHERE kind <> 'rollout'
    UNION ALL SELECT line FROM pending_row UNION ALL SELECT decision_line FROM rollout_row
    UNION ALL SELECT signal_line FROM token_row) GROUP BY line`);
  // If several records state the same fact about one rollout, the last fitting one is reported.
  const recordsOf = new Map<string, number[]>();
  for (const [number, is] of expected) {
    const readings = is === 'cut' ? [] : 'deep' in is ? is.deep : [is];
    for (const address of new Set(readings.flatMap(({ addresses }) => addresses))) {
      recordsOf.set(address, [...(recordsOf.get(address) ?? []), number]);
    }
  }
  const areJoined = (addresses: readonly string[], from: number): boolean =>
    addresses.every((address) =>
      (recordsOf.get(address) ?? []).some((number) => number >= from && joined.has(number)),
    );
  for (const [number, is] of expected) {
    const rollouts = read.get(number) ?? 0;
    const refusals = refused.get(number) ?? 0;
    const what = `${file.name}: record ${number}: ${rollouts} rollouts, ${refusals} refusals; it is ${JSON.stringify(is)}`;
    if (is === 'cut') assert.ok(rollouts === 0 && refusals === 1, what);
    else if ('deep' in is) {
      const isRefusable = rollouts === 0 && refusals <= 1;
      const isAllowed = ({ outcome, addresses }: Reading): boolean =>
        isRefusable && (outcome === 'documented' || (outcome === 'joined' && areJoined(addresses, number)));
      assert.ok(rollouts > 0 || joined.has(number) || refusals === 1 || is.deep.some(isAllowed), what);
    } else {
      // A pack repeats rollouts: one that is stored is not read again.
      const isRepeat = report.format === PACK && [...read.keys()].some((before) => before < number);
      assert.ok(rollouts === is.rollouts || (isRepeat && rollouts === 0), what);
      const isJoined = areJoined(is.addresses, number);
      // Signals that do not fit their rollout are refused when joined.
      if (is.outcome === 'joined') assert.ok(isJoined ? refusals <= 1 : refusals === 1, what);
      else assert.ok(refusals === is.refused && isJoined, what);
    }
  }
  for (const number of [...read.keys(), ...refused.keys()]) {
    assert.ok(expected.has(number), `there is a record ${number}`);
  }
}

async function expectedOf(path: string, name: string): Promise<Expected> {
  const found = await identify(path, 'unknown');
  const format = formatNamed(name);
  assert.ok(found.kind === 'log' && format !== undefined);
  const open = () => format.open({ name: 'unknown', layout: layoutOf(path) });
  const reader = open();
  const source = await openRecords(path, found.container, found.unit);
  const expected = new Map<number, Reading | DeepReading | 'cut'>();
  let number = 0;
  for await (const records of source.records(0)) {
    for (const record of records) {
      number++;
      if ('tooLong' in record) continue;
      const isWhole = found.unit !== 'text' && readRecord(record.bytes, number === 1).kind !== 'issue';
      const isCut = record.isUnended === true && !isWhole;
      if (isCut) expected.set(number, 'cut');
      else {
        const at = { number, unit: found.unit };
        const reading = readByLaw(name, reader, record.bytes, at);
        // The ingest thread has a larger stack than this one, so it may recognize the kind of line.
        const shallow = () => readByLaw(name, open(), withoutNests(record.bytes), at);
        expected.set(number, isFarTooDeep(record.bytes) ? { deep: [reading, shallow()] } : reading);
      }
    }
  }
  await source.close();
  return expected;
}

/**
 * Truncated, flipped and random containers yield a report, never an error.
 * @returns number of files read
 */
export async function fuzzContainers({ seed, runs }: FuzzOptions): Promise<number> {
  const containers = await packedFiles();
  const watched = new ParserProcess();
  let read = 0;
  const property = fc.asyncProperty(fc.nat(containers.length - 1), damages, async (number, changes) => {
    const container = containers[number];
    if (container === undefined) return;
    read++;
    const bytes = damage(container.bytes, changes);
    // The Parquet decoder loops over counts from the pages, endlessly if one is damaged.
    const parser = container.name.endsWith('.parquet') ? watched : undefined;
    await inScratch(async (place) => {
      const path = place.file(container.name, bytes);
      const { files } = await ingestHere(place.library, [path], {}, parser);
      assert.equal(files.length, 1, container.name);
      const [report] = files;
      const says = report?.issues.length ?? 0;
      assert.ok(says > 0 || (report?.rollouts ?? 0) > 0, `${container.name}: neither rollouts nor an issue`);
      // A checksum detects every change, and truncation is detected.
      const isChecked = /\.(?:gz|zst)$/.test(container.name);
      if (isChecked && report?.rollouts !== container.rollouts) assert.ok(says > 0, container.name);
    });
  });
  await fc.assert(property, { seed, numRuns: runs }).finally(() => watched.close());
  return read;
}

interface Packed {
  readonly name: string;
  readonly bytes: Buffer;
  readonly rollouts: number;
}

async function packedFiles(): Promise<readonly Packed[]> {
  const packed: Omit<Packed, 'rollouts'>[] = [];
  for (const { name, path } of await readCorpus()) {
    const bytes = readFileSync(path);
    if (/\.(?:eval|parquet|db)$/.test(path)) packed.push({ name: `log${extname(path)}`, bytes });
    if (!['verl/dapo-overlong', 'tau-bench/trials', 'rllm/one-agent'].includes(name)) continue;
    packed.push({ name: 'log.json.gz', bytes: gzipSync(bytes) });
    packed.push({ name: 'log.json.zst', bytes: zstdCompressSync(bytes) });
  }
  const whole: Packed[] = [];
  for (const container of packed) {
    await inScratch(async (place) => {
      const { files } = await ingestHere(place.library, [place.file(container.name, container.bytes)]);
      whole.push({ ...container, rollouts: files[0]?.rollouts ?? 0 });
    });
  }
  return whole;
}

/** Creating a library costs more than ingesting a small file, so it is created once and copied. */
let empty: Buffer | undefined;

async function inScratch(work: (place: Scratch) => Promise<void>): Promise<void> {
  const place = scratch();
  try {
    if (empty === undefined) {
      openWriter(place.library).close();
      empty = readFileSync(place.library);
    } else place.file('library.sqlite', empty);
    await work(place);
  } finally {
    place.remove();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
