/** Imports annotations, review marks and labels of a pack, without its rollouts. */
import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { MergeReport } from '../../shared/api/annotationRows.ts';
import { refused } from '../../shared/api/errors.ts';
import type { Annotation, ReviewMark } from '../../shared/domain/annotate/annotation.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import { countValues } from '../../shared/domain/parseJson.ts';
import { pack, readPackLine } from '../../shared/format/pack.ts';
import type { LibraryWriter } from '../storage/libraryWriter.ts';
import { threadMs, tooMuchComputing } from './computingTime.ts';
import { CorruptContainerError, type SourceRecord } from './containers/container.ts';
import { reasonOf } from './discover.ts';
import { containerAt } from './identify.ts';
import { openRecords } from './openRecords.ts';
import type { Parser } from './readAhead.ts';
import { readRecord } from './readRecord.ts';

/** Lines per transaction. */
const AT_ONCE = 5_000;
/** A taxonomy counts as this many lines. */
const LINES_OF_TAXONOMY = 100;
/** Issues that are reported. Further ones are only counted. */
const MOST_ISSUES = 1_000;

/**
 * Can be interrupted and repeated: existing annotations are not added twice.
 *
 * @throws ApiError `refused` when the file is not a pack, or cannot be read
 */
export async function importAnnotations(
  writer: LibraryWriter,
  parser: Parser,
  named: string,
): Promise<{ readonly report: MergeReport; readonly rolloutIds: readonly number[] }> {
  const { path, found } = await identified(parser, named);
  if (found.kind === 'empty') throw refused(`${path} is empty`);
  if (found.kind === 'refused') throw refused(`${path}: ${found.issue.message}`);
  if (found.format !== pack.name)
    throw refused(
      `${path} is not a failure pack; it has the format ${found.format}, which has no annotations`,
    );
  const call = new ImportCall(writer, path);
  const source = await openRecords(path, found.container, found.unit);
  const { size } = statSync(path);
  const startedAt = threadMs();
  try {
    for await (const records of source.records(0))
      for (const record of records) {
        call.take(record, found.unit);
        const tooLong = tooMuchComputing(threadMs() - startedAt, size);
        if (tooLong !== undefined) throw new CorruptContainerError(tooLong);
      }
  } catch (error) {
    if (!(error instanceof CorruptContainerError)) throw error;
    call.issue(`${error.message}; everything before that was read`);
  } finally {
    await source.close();
  }
  return call.finish();
}

/** Bytes of a record that is parsed without counting its values. */
const UNCOUNTED = 1 << 20;
/** Bytes. The longest correction and note have 3.6 MB, and 7.2 if each letter is escaped. */
const LONGEST_ANNOTATION = 8 << 20;
/** An annotation has some dozens, a taxonomy some hundreds. */
const MOST_VALUES = 100_000;

function whyNotParsed(bytes: Uint8Array): string | undefined {
  const { byteLength } = bytes;
  if (byteLength <= UNCOUNTED) return undefined;
  if (byteLength > LONGEST_ANNOTATION)
    return `the record has ${byteLength} bytes; an annotation has at most ${LONGEST_ANNOTATION}`;
  const { values, commas } = countValues(
    Buffer.from(bytes.buffer, bytes.byteOffset, byteLength).toString('utf8'),
  );
  return values + commas > MOST_VALUES ? `the record has more than ${MOST_VALUES} values` : undefined;
}

/** Whether a record that is not parsed is one of a rollout, as a pack writes them. */
function isOfRollout(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 256)).toString(
    'latin1',
  );
  return /"type": ?"(?:rollout|pair)"/.test(start);
}

/** Plain or compressed lines. */
const CONTAINERS_OF_PACKS: ReadonlySet<string> = new Set(['plain', 'gzip', 'zstd']);

/** The parser reads the first records, which may be larger than an annotation. */
async function identified(parser: Parser, named: string) {
  try {
    const path = realpathSync.native(named);
    if (!CONTAINERS_OF_PACKS.has(containerAt(path)))
      throw refused(`${path} is not a failure pack, which is a file of lines`);
    return { path, found: await parser.identify(path, basename(path), undefined) };
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw refused(`${named} cannot be read: ${reasonOf(error).message}`);
  }
}

class ImportCall {
  private readonly writer: LibraryWriter;
  private readonly path: string;
  private line = 0;
  private annotations: { annotation: Annotation; line: number }[] = [];
  private readings: { reading: ReviewMark; line: number }[] = [];
  private taxonomies: { taxonomy: Taxonomy; line: number }[] = [];
  private readonly issues: MergeReport['issues'][number][] = [];
  private readonly ids: string[] = [];
  private readonly sums = { added: 0, present: 0, conflicts: 0, readings: 0 };
  private readonly labelsAdded: string[] = [];
  private readonly labelsDiffering: string[] = [];

  constructor(writer: LibraryWriter, path: string) {
    this.writer = writer;
    this.path = path;
  }

  take(record: SourceRecord, unit: Parameters<typeof readRecord>[2]): void {
    this.line++;
    if ('tooLong' in record) {
      this.issue(`the record has ${record.tooLong} bytes and is too long`, this.line);
      return;
    }
    // The values of a record may take many times its bytes, and a thread of the host has no limit of memory.
    const why = whyNotParsed(record.bytes);
    if (why !== undefined) {
      if (!isOfRollout(record.bytes)) this.issue(why, this.line);
      return;
    }
    const reading = readRecord(record.bytes, this.line === 1, unit);
    if (reading.kind === 'blank') {
      this.line += record.moreBlank ?? 0;
      return;
    }
    if (reading.kind === 'issue') {
      this.issue(reading.issue.message, this.line);
      return;
    }
    // Rollouts are not imported, so report no issue for unreadable ones.
    if (reading.record['type'] === 'rollout' || reading.record['type'] === 'pair') return;
    const parsed = readPackLine(reading.record);
    const { line } = this;
    if (parsed.kind === 'annotation') this.annotations.push({ annotation: parsed.annotation, line });
    else if (parsed.kind === 'reading') this.readings.push({ reading: parsed.reading, line });
    else if (parsed.kind === 'taxonomy') this.taxonomies.push({ taxonomy: parsed.taxonomy, line });
    else if (parsed.kind === 'issue') this.issue(parsed.issue.message, line);
    const waiting =
      this.annotations.length + this.readings.length + LINES_OF_TAXONOMY * this.taxonomies.length;
    if (waiting >= AT_ONCE) this.flush();
  }

  issue(message: string, line?: number): void {
    if (this.issues.length < MOST_ISSUES)
      this.issues.push({ path: this.path, ...(line === undefined ? {} : { line }), message });
  }

  finish(): { readonly report: MergeReport; readonly rolloutIds: readonly number[] } {
    this.flush();
    const rolloutIds = this.writer.annotations.place();
    const { labelsAdded, labelsDiffering, issues } = this;
    const unattached = this.writer.annotations.countUnattached(this.ids);
    return { report: { ...this.sums, unattached, labelsAdded, labelsDiffering, issues }, rolloutIds };
  }

  private flush(): void {
    const { annotations, readings, taxonomies } = this;
    const merged = this.writer.annotations.mergeAtOnce({ annotations, readings, taxonomies }, this.path);
    this.annotations = [];
    this.readings = [];
    this.taxonomies = [];
    this.sums.added += merged.added;
    this.sums.present += merged.present;
    this.sums.conflicts += merged.conflicts.length;
    this.sums.readings += merged.readings;
    this.ids.push(...merged.addedIds);
    this.labelsAdded.push(...merged.labelsAdded);
    for (const { label } of merged.labelsDiffering)
      if (this.labelsDiffering.length < MOST_ISSUES) this.labelsDiffering.push(label);
    for (const { label, line } of merged.labelsRefused)
      this.issue(`the label ${label} was not added: its name is in use, or the taxonomy is full`, line);
  }
}
