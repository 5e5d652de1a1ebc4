/**
 * Identifies a file and parses its first records without a library, for `turnwise inspect` and the mapping
 * preview.
 */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type {
  FileInspection,
  MappingPreview,
  PreviewRecord,
  PreviewRollout,
  RecordPath,
} from '../../shared/api/contract.ts';
import type { JsonObject } from '../../shared/format/fields.ts';
import type {
  FileContext,
  LineIssue,
  LogFormat,
  ParsedLine,
  ParsedRollout,
} from '../../shared/format/format.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { formatOfMapping } from '../../shared/format/mapped.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { namesIn, pathsIn, proposeMapping } from '../../shared/format/mappingProposal.ts';
import { valueAt, writePath } from '../../shared/format/recordPath.ts';
import { contentHash, groupKeyOf, problemIdOf } from '../storage/contentHash.ts';
import { NO_PROMPT, promptMismatch } from '../storage/groupRegistry.ts';
import { runPlaceOf } from '../storage/runPlace.ts';
import type { Container, RecordUnit } from './containers/container.ts';
import { identify, identityOf } from './identify.ts';
import { Mappings } from './mappings.ts';
import { openRecords } from './openRecords.ts';
import { readRecord } from './readRecord.ts';

/** Records that an inspection parses and a preview shows. */
const INSPECTED = 20;
const PREVIEWED = 10;
/** Bytes of records that are kept in memory, unless the first is longer. */
const MOST_BYTES = 8 << 20;
const LONGEST_JSON = 20_000;
const PREVIEW_CHARS = 400;
const SAMPLE_CHARS = 120;

/** @throws the system's error when the file cannot be read */
export async function inspectFile(named: string, mappings: readonly Mapping[]): Promise<FileInspection> {
  const path = realpathSync.native(named);
  const { bytes } = identityOf(path);
  const known = new Mappings(mappings);
  const found = await identify(path, basename(path), known.detect);
  const { step, kind } = layoutOf(path);
  const common = {
    ...{ path, bytes, directory: runPlaceOf(path, found.kind === 'log' ? found.format : undefined).place },
    ...(step === undefined ? {} : { step }),
    ...(kind === undefined ? {} : { kind }),
  };
  const nothing = { container: 'plain', records: 0, outcomes: {}, keys: [] };
  if (found.kind === 'empty') {
    return { ...common, ...nothing, issue: { code: 'empty_file', message: 'the file is empty' } };
  }
  if (found.kind === 'refused') {
    const { code, message, line } = found.issue;
    const issue = { code, message, ...(line === undefined ? {} : { line }) };
    if (found.head === undefined) return { ...common, ...nothing, issue };
    const { records, container, unit } = found.head;
    return {
      ...{ ...common, issue, container, unit, records: records.length, outcomes: {} },
      keys: namesIn(records[0] ?? {}),
      paths: describePaths(records),
      proposal: proposeMapping(nameFor(path), records),
    };
  }
  const mapping = known.named(found.format);
  const format = mapping === undefined ? formatNamed(found.format) : formatOfMapping(mapping);
  if (format === undefined) throw new Error(`unknown format: ${found.format}`);
  const { container, unit } = found;
  const read = await readFirst(path, container, unit, format, INSPECTED);
  const outcomes: Record<string, number> = {};
  const count = (what: string): void => {
    outcomes[what] = (outcomes[what] ?? 0) + 1;
  };
  for (const { lines, issues } of read) {
    for (const line of lines) if (line.kind !== 'issue') count(line.kind);
    for (const { severity } of issues) count(severity);
  }
  return {
    ...{ ...common, container, unit, format: format.name, title: format.title, rule: format.rule },
    records: read.length,
    outcomes,
    // A mapping can be edited, so its paths are listed again.
    ...(mapping === undefined
      ? {}
      : { paths: describePaths(read.flatMap(({ record }) => (record === undefined ? [] : [record]))) }),
    keys: namesIn(read.find(({ record }) => record !== undefined)?.record ?? {}),
  };
}

/** @throws the system's error when the file cannot be read */
export async function previewMapping(named: string, mapping: Mapping): Promise<MappingPreview> {
  const path = realpathSync.native(named);
  const found = await identify(path, basename(path), () => mapping.name);
  if (found.kind !== 'log') return { records: [], groups: 0 };
  const read = await readFirst(path, found.container, found.unit, formatOfMapping(mapping), PREVIEWED);
  const groups = new PreviewGroups();
  const records = read.map(({ number, record, lines, issues }): PreviewRecord => {
    const json = record === undefined ? '' : JSON.stringify(record, undefined, 2);
    const parsed = lines.flatMap((line) => (line.kind === 'rollout' ? [line.rollout] : []));
    const rollouts = parsed.map((rollout) => previewOf(rollout, String(number)));
    return {
      number,
      json: json.slice(0, LONGEST_JSON),
      isCut: json.length > LONGEST_JSON,
      rollouts,
      issues: [
        ...issues,
        ...parsed.flatMap((rollout, i) => groups.add(rollout, rollouts[i]?.groupKey ?? '')),
      ],
    };
  });
  return { records, groups: groups.count };
}

/** The prompt groups of the previewed rollouts, by the rules of ingest. */
class PreviewGroups {
  /** Hash of each group's prompt. */
  private readonly prompts = new Map<string, string>();

  get count(): number {
    return this.prompts.size;
  }

  /** @returns the issue that ingest reports if the rollout has another prompt than its group */
  add({ run, kind, step, problem }: ParsedRollout, groupKey: string): readonly LineIssue[] {
    const key = JSON.stringify([run, kind, step, groupKey]);
    const hash = contentHash(problem.prompt);
    const first = this.prompts.get(key) ?? NO_PROMPT;
    this.prompts.set(key, first === NO_PROMPT ? hash : first);
    const issue = first === NO_PROMPT ? undefined : promptMismatch(first, hash, groupKey, step ?? null);
    return issue === undefined ? [] : [issue];
  }
}

interface ReadRecord {
  readonly number: number;
  readonly record?: JsonObject;
  readonly lines: readonly ParsedLine[];
  readonly issues: readonly { severity: 'refused' | 'warning'; code: string; message: string }[];
}

async function readFirst(
  path: string,
  container: Container,
  unit: RecordUnit,
  format: LogFormat,
  limit: number,
): Promise<readonly ReadRecord[]> {
  const source = await openRecords(path, container, unit);
  const { header } = source;
  const context: FileContext = {
    name: basename(path),
    layout: layoutOf(path),
    ...(header === undefined ? {} : { header }),
  };
  const reader = format.open(context);
  const read: ReadRecord[] = [];
  let number = 0;
  let bytes = 0;
  try {
    for await (const records of source.records(0)) {
      for (const found of records) {
        number++;
        if ('tooLong' in found) continue;
        number = found.number ?? number;
        const reading = readRecord(found.bytes, number === 1, unit);
        if (reading.kind === 'blank') {
          number += found.moreBlank ?? 0;
          continue;
        }
        if (reading.kind === 'issue') read.push({ number, lines: [], issues: [reading.issue] });
        else {
          const parsed = reader.read(reading.record, number);
          const lines = 'kind' in parsed ? [parsed] : parsed;
          const issues = lines.flatMap((line) => [
            ...('warnings' in line ? line.warnings : []),
            ...(line.kind === 'issue' ? [line.issue] : []),
          ]);
          read.push({ number, record: reading.record, lines, issues: [...reading.warnings, ...issues] });
        }
        bytes += found.bytes.byteLength;
        if (read.length >= limit || bytes >= MOST_BYTES) return read;
      }
    }
    return read;
  } finally {
    await source.close();
  }
}

function previewOf(rollout: ParsedRollout, place: string): PreviewRollout {
  const { problem, response, tokens, decision } = rollout;
  const problemId = problemIdOf(problem, contentHash(problem.prompt), place);
  return {
    ...{ prompt: problem.prompt.slice(0, PREVIEW_CHARS), response: response.slice(0, PREVIEW_CHARS) },
    ...{ turns: rollout.turns.length, toolCalls: rollout.toolCalls.length },
    ...{
      groupKey: groupKeyOf(rollout, problemId),
      groupRule:
        rollout.groupKey === undefined && problem.problemId !== undefined
          ? 'problem'
          : (rollout.groupRule ?? 'logged'),
      kind: rollout.kind,
    },
    ...(rollout.reward === undefined ? {} : { reward: rollout.reward }),
    ...(rollout.isCorrect === undefined ? {} : { isCorrect: rollout.isCorrect }),
    ...(problem.groundTruth === undefined ? {} : { groundTruth: problem.groundTruth }),
    ...(rollout.answer === undefined ? {} : { answer: rollout.answer }),
    ...(rollout.ordinal === undefined ? {} : { ordinal: rollout.ordinal }),
    ...(rollout.step === undefined ? {} : { step: rollout.step }),
    ...(decision?.kept === undefined ? {} : { kept: decision.kept }),
    ...(tokens === undefined ? {} : { tokens: tokens.count }),
    signals:
      tokens === undefined
        ? []
        : Object.entries(tokens).flatMap(([name, column]) => (ArrayBuffer.isView(column) ? [name] : [])),
  };
}

function describePaths(records: readonly JsonObject[]): readonly RecordPath[] {
  return pathsIn(records).map((steps) => {
    const value = records
      .map((record) => valueAt(record, steps))
      .find((found) => found !== undefined && found !== null);
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
    return { path: writePath(steps), type: typeOf(value), sample: text.slice(0, SAMPLE_CHARS) };
  });
}

function typeOf(value: unknown): RecordPath['type'] {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'truth';
    default:
      return 'object';
  }
}

/** The file name without its extension and number. */
function nameFor(path: string): string {
  const stem = basename(path).replace(/(?:\.[A-Za-z]+)+$/, '');
  return stem.replace(/[_-]?\d+$/, '') || stem || 'mapping';
}
