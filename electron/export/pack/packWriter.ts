/**
 * Writes a pack. Cases are read, redacted, counted and written one by one, so memory does not grow with the
 * pack.
 */
import { rmSync } from 'node:fs';
import { type Conversations, PAIR_FORMATS, type WrittenPack } from '../../../shared/api/contract.ts';
import { refused } from '../../../shared/api/errors.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import type { ReadableLibrary } from '../../storage/open.ts';
import { readTaxonomy } from '../../storage/taxonomies.ts';
import { refuseExisting } from '../../storage/unfinished.ts';
import { packRuns, type ReadRaw, readCases } from './caseReader.ts';
import { chatLine, noConversations } from './chat.ts';
import { csvHead, csvRows } from './csv.ts';
import { htmlHead, htmlTail, indexRow } from './html.ts';
import { caseHtml } from './htmlCase.ts';
import { pairHtml, pairIndexRow } from './htmlPair.ts';
import { caseLines, manifestLine, pairLines, runLines, taxonomyLine } from './jsonl.ts';
import { changesChosen, type Manifest, manifestOf } from './manifest.ts';
import { caseMarkdown, markdownHead, markdownTail } from './markdown.ts';
import { addressText, type PackCase, type PackRun } from './packCase.ts';
import { PackFile, writeWhole } from './packFile.ts';
import type { PackRequest } from './packOptions.ts';
import { type PackPair, type PairIds, readPairs } from './pairs.ts';
import { ParquetPack } from './parquet.ts';
import { Redactor } from './redact.ts';
import { type PackSummary, SummaryBuilder } from './summary.ts';

export interface PackProgress {
  readonly done: number;
  /** Cases and siblings. */
  readonly total: number;
}

export interface PackSource {
  /** In pack order. */
  readonly ids: Uint32Array;
  /** Number of siblings in their groups. */
  readonly siblings: number;
  readonly rawOf: ReadRaw;
  /** Only of a pack of pairs; `ids` are their rollouts. */
  readonly pairs?: readonly PairIds[];
  readonly isCancelled?: () => boolean;
}

/** A format's writer of cases. */
interface Shape {
  add(one: PackCase): void;
  /** Absent: the format cannot hold pairs. */
  addPair?(pair: PackPair): void;
  finish(summary: PackSummary, manifest: Manifest): { readonly bytes: number; readonly sha256: string };
  /** Deletes the output unless it is finished. */
  abandon(): void;
  /** Counted while cases are added. */
  readonly conversations?: Conversations;
}

/** Yields after each rollout. @throws ApiError `refused`; the system's error when writing fails */
export async function* writePack(
  db: ReadableLibrary,
  request: PackRequest,
  { ids, siblings, rawOf, pairs, isCancelled }: PackSource,
): AsyncGenerator<PackProgress, WrittenPack> {
  const { format, path } = request;
  if (pairs !== undefined) refuseForPairs(request);
  if (ids.length === 0) throw refused(nothingText(request));
  const redactor = new Redactor(request);
  const taxonomy = redactor.taxonomy(readTaxonomy(db).taxonomy);
  const runs = packRuns(db);
  const summary = new SummaryBuilder();
  const shape = shapeOf(request, taxonomy);
  const total = ids.length + (request.siblings ? siblings : 0);
  const writtenRuns = new Set<string>();
  let done = 0;
  let writtenPairs = 0;
  const take = (read: PackCase): PackCase => {
    if (!writtenRuns.has(read.run.key)) shape.begin?.(redactor.run(read.run));
    writtenRuns.add(read.run.key);
    const one = redactor.case(read, addressText(read));
    summary.add(one);
    done++;
    return one;
  };
  try {
    const { tokens } = request;
    const reading = { siblings: request.siblings, tokens, ...(request.raw ? { rawOf } : {}) };
    if (pairs === undefined)
      for await (const read of readCases(db, ids, reading)) {
        shape.add(take(read));
        yield { done, total };
      }
    else
      for await (const { from, to, rows } of readPairs(db, pairs, {
        ...reading,
        ...(isCancelled === undefined ? {} : { isCancelled }),
      })) {
        shape.addPair?.({ from: take(from), to: take(to), rows });
        writtenPairs++;
        yield { done, total };
      }
    const keyOf = (runId: number): string => {
      const run = runs.get(runId);
      return run === undefined ? '' : redactor.run(run).key;
    };
    const sums = summary.finish(taxonomy);
    const manifest = manifestOf({
      request,
      ...(request.runId === undefined ? {} : { run: keyOf(request.runId) }),
      ...(request.pairs === undefined
        ? {}
        : { pairs: { count: writtenPairs, ...changesChosen(request.pairs, keyOf) } }),
      filter: redactor.text(request.filter),
      taxonomy,
      summary: sums,
      redactions: redactor.report(),
      undecoded: redactor.undecoded,
    });
    const { bytes, sha256 } = shape.finish(sums, manifest);
    return {
      ...{ path, format, bytes, sha256 },
      cases: sums.cases,
      ...(pairs === undefined ? {} : { pairs: writtenPairs }),
      siblings: sums.siblings,
      annotations: sums.annotations,
      redactions: redactor.total,
      ...(shape.conversations === undefined ? {} : { conversations: shape.conversations }),
    };
  } finally {
    shape.abandon();
  }
}

function nothingText({ isAll, rolloutIds, pairs }: PackRequest): string {
  if (pairs !== undefined && !isAll)
    return 'nothing to export: no rollout of a pair has such a label or note';
  if (pairs !== undefined && !('rolloutIds' in pairs)) return 'nothing to export: no problem changed';
  return isAll || rolloutIds !== undefined
    ? 'nothing to export: no rollout matches'
    : 'nothing to export: no matching rollout has a label or a note';
}

/** @throws ApiError `refused` */
function refuseForPairs({ format, siblings }: PackRequest): void {
  if (!PAIR_FORMATS.includes(format))
    throw refused(`pairs are exported as ${PAIR_FORMATS.join(' or ')}; ${format} cannot hold them`);
  if (siblings) throw refused('pairs are exported without siblings');
}

function shapeOf(request: PackRequest, taxonomy: Taxonomy): Shape & { begin?(run: PackRun): void } {
  const { format, path } = request;
  switch (format) {
    case 'jsonl':
      return jsonl(path, taxonomy);
    case 'csv':
    case 'tsv':
      return flat(path, taxonomy, format === 'csv' ? ',' : '\t');
    case 'chat':
      return chat(path);
    case 'md':
      return markdown(request, taxonomy);
    case 'html':
      return page(request, taxonomy);
    case 'parquet':
      return directory(path);
  }
}

function jsonl(path: string, taxonomy: Taxonomy): Shape & { begin(run: PackRun): void } {
  const file = new PackFile(path);
  file.write(taxonomyLine(taxonomy));
  return {
    begin: (run) => file.write(runLines(run)),
    add: (one) => file.write(caseLines(one)),
    addPair: (pair) => file.write(pairLines(pair)),
    finish: (_, manifest) => file.finish(manifestLine(manifest, file.digest())),
    abandon: () => file.abandon(),
  };
}

/** A table cannot contain a manifest, so the manifest is written beside it. */
function withManifest(
  path: string,
  file: PackFile,
  more: () => object = () => ({}),
): Pick<Shape, 'finish' | 'abandon'> {
  const beside = manifestPath(path);
  refuseExistingOr(file, beside);
  return {
    finish: (_, manifest) => {
      const text = `${JSON.stringify({ ...manifest, ...more(), sha256: file.digest() }, undefined, 1)}\n`;
      const written = file.finish('');
      try {
        writeWhole(beside, text);
      } catch (error) {
        // Never leaves the table without its manifest.
        rmSync(path);
        throw error;
      }
      return written;
    },
    abandon: () => file.abandon(),
  };
}

const manifestPath = (path: string): string => `${path}.manifest.json`;

function refuseExistingOr(file: PackFile, path: string): void {
  try {
    refuseExisting(path);
  } catch (error) {
    file.abandon();
    throw error;
  }
}

function flat(path: string, taxonomy: Taxonomy, separator: ',' | '\t'): Shape {
  const file = new PackFile(path);
  file.write(csvHead(separator));
  return { add: (one) => file.write(csvRows(one, taxonomy, separator)), ...withManifest(path, file) };
}

function chat(path: string): Shape {
  const file = new PackFile(path);
  const counts = noConversations();
  const countsOf = (): object => ({
    conversations: { as_they_are: counts.asTheyAre, corrected: counts.corrected, left_out: counts.leftOut },
  });
  return {
    add: (one) => file.write(chatLine(one, counts)),
    ...withManifest(path, file, countsOf),
    conversations: counts,
  };
}

function markdown({ path, siblings }: PackRequest, taxonomy: Taxonomy): Shape {
  const file = new PackFile(path);
  let number = 0;
  return {
    add: (one) => {
      if (!one.isSibling) number++;
      file.write(caseMarkdown(one, taxonomy, number));
    },
    finish: (summary, manifest) => {
      const cases = file.digest();
      file.write(markdownTail(manifest, cases));
      return file.finish(markdownHead(summary, siblings));
    },
    abandon: () => file.abandon(),
  };
}

/** The page's style shows this hint only when the columns do not fit. */
const WIDE =
  '<p class="muted more">This group has more rollouts than fit side by side: scroll sideways →</p>\n<div class="group wide">\n';

function page({ path, siblings }: PackRequest, taxonomy: Taxonomy): Shape {
  const file = new PackFile(path);
  const index: string[] = [];
  let group: string | undefined;
  let number = 0;
  return {
    add: (one) => {
      const key = JSON.stringify([one.run.key, one.rollout.row['step'], one.rollout.row['group_key']]);
      if (key !== group) {
        file.write(`${group === undefined ? '' : '</div>\n'}${siblings ? WIDE : '<div class="group">\n'}`);
        group = key;
      }
      number++;
      const id = `c${number}`;
      if (!one.isSibling) index.push(indexRow(one, taxonomy, id, index.length + 1));
      file.write(caseHtml(one, taxonomy, id));
    },
    addPair: (pair) => {
      const ids = [`c${number + 1}`, `c${number + 2}`] as const;
      number += 2;
      index.push(pairIndexRow(pair, taxonomy, ids[0], index.length + 1));
      file.write(pairHtml(pair, taxonomy, ids));
    },
    finish: (summary, manifest) => {
      if (group !== undefined) file.write('</div>\n');
      const cases = file.digest();
      file.write(htmlTail(manifest, cases));
      return file.finish(htmlHead(summary, taxonomy, index, manifest));
    },
    abandon: () => file.abandon(),
  };
}

function directory(path: string): Shape {
  const pack = new ParquetPack(path);
  return {
    add: (one) => pack.add(one),
    finish: (_, manifest) => pack.finish(manifest),
    abandon: () => pack.abandon(),
  };
}
