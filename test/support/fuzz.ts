/** Properties of fuzzed records; the caller chooses the number of runs (`test/format`, `npm run soak`). */
import fc from 'fast-check';
import { readRecord } from '../../electron/ingest/readRecord.ts';
import type { LogFormat } from '../../shared/format/format.ts';
import { FORMATS, formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { type CorpusFile, damage, damages, mutate, mutations } from './fuzzRecords.ts';
import { readByLaw } from './recordLaw.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly runs: number;
}

/** Structural changes: fields dropped, swapped, nested, of other types. */
export function fuzzRecords(files: readonly CorpusFile[], options: FuzzOptions): void {
  // Printed lines have no structure to change.
  const structured = files.filter(({ unit }) => unit !== 'text');
  if (structured.length === 0) return;
  run(structured, isJson, mutations, options, (file, text, changes) => {
    check(file, Buffer.from(mutate(text, changes)));
  });
}

/** Byte changes: truncated, flipped, not UTF-8. */
export function fuzzBytes(files: readonly CorpusFile[], options: FuzzOptions): void {
  run(
    files,
    () => true,
    damages,
    options,
    (file, text, changes) => {
      check(file, damage(Buffer.from(text), changes));
    },
  );
}

/** Records are picked by number, so that a counterexample prints as a number and shrinks fast. */
function run<T>(
  files: readonly CorpusFile[],
  isTaken: (text: string) => boolean,
  changes: fc.Arbitrary<T>,
  { seed, runs }: FuzzOptions,
  check: (file: CorpusFile, text: string, change: T) => void,
): void {
  const records = files.flatMap((file) => file.texts.filter(isTaken).map((text) => ({ file, text })));
  const property = fc.property(fc.nat(records.length - 1), changes, (number, change) => {
    const record = records[number];
    if (record === undefined) return;
    try {
      check(record.file, record.text, change);
    } catch (error) {
      throw new Error(`${record.file.name}: ${record.text.slice(0, 200)}`, { cause: error });
    }
  });
  fc.assert(property, { seed, numRuns: runs });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function check(file: CorpusFile, bytes: Buffer): void {
  const reading = readRecord(bytes, false, file.unit);
  if (reading.kind === 'record') {
    for (const format of FORMATS) detects(format, reading.record);
  }
  const format = formatNamed(file.format);
  if (format === undefined) throw new Error(`no format is named ${file.format}`);
  const { header, layoutPath } = file;
  const reader = format.open({
    name: 'unknown',
    layout: layoutOf(layoutPath),
    ...(header === undefined ? {} : { header }),
  });
  readByLaw(file.format, reader, bytes, { number: 2, unit: file.unit });
}

/** Detection runs without error handling: an exception there would end the whole ingest. */
function detects(format: LogFormat, record: Readonly<Record<string, unknown>>): void {
  const answer: unknown = format.detect({ name: 'unknown', records: [record] });
  if (typeof answer !== 'boolean') throw new Error(`${format.name} answers ${typeof answer}`);
}
