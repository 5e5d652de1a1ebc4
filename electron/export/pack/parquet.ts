/**
 * Writes a pack as a Parquet directory: the data set of `electron/export/dataSet.ts` for the selected
 * rollouts, with their annotations.
 *
 *   rollouts/run=K/step=S/part-0.parquet   the cases; siblings/… has the same form
 *   annotations.parquet                    a row per annotation; Turnwise can read it back
 *   manifest.json                          with the checksum of each file
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { SchemaElement } from 'hyparquet';
import { refused } from '../../../shared/api/errors.ts';
import { PACK_VERSION } from '../../../shared/format/pack.ts';
import { createUnfinished, unfinishedPath } from '../../storage/unfinished.ts';
import { rolloutPart, stepDirectory, weightOf } from '../dataSet.ts';
import { rowOf } from '../dataSetRows.ts';
import { MOST_INT32, ParquetPart } from '../parquetPart.ts';
import { annotationOf } from './jsonl.ts';
import type { Manifest } from './manifest.ts';
import { factOf, type PackCase, stepOf } from './packCase.ts';
import { writeWhole } from './packFile.ts';

const ANNOTATION_COLUMNS = [
  { name: 'pack', type: 'integer', note: 'version of packs: 1' },
  { name: 'type', type: 'text', note: 'annotation' },
  { name: 'id', type: 'text', note: 'globally unique' },
  { name: 'run', type: 'text', note: 'key of the run' },
  { name: 'step', type: 'integer', note: 'null if the log has no steps, or above 2,147,483,647' },
  { name: 'group', type: 'text', note: 'as in rollouts' },
  { name: 'index', type: 'integer', note: 'as in rollouts' },
  { name: 'label', type: 'text', note: 'id of the label; null: only a note' },
  { name: 'severity', type: 'text', note: 'minor, major or critical' },
  { name: 'flag', type: 'text', note: 'automatic flag that it confirms' },
  { name: 'place', type: 'text', note: 'rollout, turn, segment or span' },
  { name: 'text', type: 'text', note: 'prompt or response' },
  { name: 'start', type: 'integer', note: 'offset in that text, UTF-16 units' },
  { name: 'end', type: 'integer', note: 'offset of the end' },
  { name: 'state', type: 'text', note: 'exact, moved or orphaned' },
  { name: 'note', type: 'text', note: 'Markdown' },
  { name: 'correction', type: 'text', note: 'suggested text' },
  { name: 'author', type: 'text', note: 'author of the annotation' },
  { name: 'created_at', type: 'number', note: 'milliseconds since 1970' },
  { name: 'updated_at', type: 'number', note: 'milliseconds since 1970' },
  { name: 'annotation', type: 'text', note: 'the whole annotation as JSON' },
] as const;

const TYPES: Readonly<Record<(typeof ANNOTATION_COLUMNS)[number]['type'], Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
};
const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: ANNOTATION_COLUMNS.length },
  ...ANNOTATION_COLUMNS.map(
    ({ name, type }): SchemaElement => ({ name, ...TYPES[type], repetition_type: 'OPTIONAL' }),
  ),
];

/** The whole number is in the column `annotation`. */
const small = (value: number | undefined): number | null =>
  value === undefined || value > MOST_INT32 ? null : value;

export class ParquetPack {
  readonly directory: string;
  /** Temporary name until it is complete, so an interrupted export leaves nothing under the final name. */
  private readonly unfinished: string;
  private readonly annotations: ParquetPart;
  private readonly open = new Map<'rollouts' | 'siblings', ParquetPart>();
  private isWhole = false;

  /** @throws ApiError `refused` when the directory is not empty, or DIRECTORY.partial exists */
  constructor(directory: string) {
    if (existsSync(directory) && readdirSync(directory).length > 0)
      throw refused(`${directory} is not empty; choose an empty or new directory for the Parquet pack`);
    this.directory = directory;
    this.unfinished = unfinishedPath(directory);
    mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
    createUnfinished(this.unfinished, () => mkdirSync(this.unfinished, { mode: 0o700 }));
    this.annotations = new ParquetPart(join(this.unfinished, 'annotations.parquet'), {
      schema: SCHEMA,
      names: ANNOTATION_COLUMNS.map(({ name }) => name),
    });
  }

  add(one: PackCase): void {
    const below = one.isSibling ? 'siblings' : 'rollouts';
    const step = stepOf(one);
    const path = join(this.unfinished, below, stepDirectory(one.run.key, step), 'part-0.parquet');
    let part = this.open.get(below);
    if (part?.path !== path) {
      closed(part);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const { id, key, kind } = one.run;
      part = rolloutPart(path, { id, key, kind, ...(step === undefined ? {} : { step }) });
      this.open.set(below, part);
    }
    part.add(rowOf(one.rollout, one.run.kind), weightOf(one.rollout));
    if (part.isFull) part.flush();
    for (const row of one.annotations) {
      const { target, place } = row;
      const anchor = target.kind === 'rollout' ? undefined : target.anchor;
      const whole = JSON.stringify(annotationOf(row));
      this.annotations.add(
        {
          ...{ pack: PACK_VERSION, type: 'annotation', id: row.id, run: one.run.key, step: small(step) },
          ...{ group: factOf(one, 'group_key'), index: factOf(one, 'ordinal'), label: row.label },
          ...{ severity: row.severity, flag: row.flag, place: target.kind, text: anchor?.text },
          ...{ start: small(anchor?.start), end: small(anchor?.end), state: place?.state, note: row.note },
          ...{ correction: row.correction, author: row.author, created_at: row.createdAt },
          ...{ updated_at: row.updatedAt, annotation: whole },
        },
        whole.length,
      );
      if (this.annotations.isFull) this.annotations.flush();
    }
  }

  finish(manifest: Manifest): { readonly bytes: number; readonly sha256: string } {
    for (const part of this.open.values()) closed(part);
    closed(this.annotations);
    let bytes = 0;
    const files = filesBelow(this.unfinished).map((path) => {
      const content = readFileSync(path);
      bytes += content.byteLength;
      const name = relative(this.unfinished, path).split(sep).join('/');
      return { path: name, sha256: createHash('sha256').update(content).digest('hex') };
    });
    const text = `${JSON.stringify({ ...manifest, files })}\n`;
    const written = writeWhole(join(this.unfinished, 'manifest.json'), text);
    // The target may be an existing empty directory.
    if (existsSync(this.directory)) rmdirSync(this.directory);
    renameSync(this.unfinished, this.directory);
    this.isWhole = true;
    return { bytes: bytes + written.bytes, sha256: written.sha256 };
  }

  abandon(): void {
    if (this.isWhole) return;
    for (const part of this.open.values()) part.abandon();
    this.annotations.abandon();
    rmSync(this.unfinished, { recursive: true, force: true });
  }
}

function closed(part: ParquetPart | undefined): void {
  if (part === undefined) return;
  if (part.held > 0) part.flush();
  part.finish();
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
