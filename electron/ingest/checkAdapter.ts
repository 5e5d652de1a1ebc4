/** Runs an adapter twice over a file and counts what it writes, without a library. */
import { basename } from 'node:path';
import type { IngestIssue } from '../../shared/domain/model.ts';
import type { ParsedLine, ParsedRollout, RecordReader } from '../../shared/format/format.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { groupKeyOf } from '../storage/contentHash.ts';
import { type Adapter, type AdapterEnd, type AdapterOptions, AdapterSource } from './containers/adapter.ts';
import { LONGEST_RECORD } from './containers/bytes.ts';
import { CorruptContainerError, type SourceRecord } from './containers/container.ts';
import { adaptedLog, identityOf } from './identify.ts';
import { parseRecord } from './parseRecord.ts';

/** Rollout fields that views use. */
const FACTS = {
  reward: (rollout) => rollout.reward !== undefined,
  correctness: (rollout) => rollout.isCorrect !== undefined,
  'ground truth': ({ problem }) => problem.groundTruth !== undefined,
  'stop reason': (rollout) => rollout.stopReason !== undefined,
  'tool calls': ({ toolCalls }) => toolCalls.length > 0,
  tokens: ({ tokens }) => tokens !== undefined,
  entropy: ({ tokens }) => tokens?.entropy !== undefined,
  'log-probabilities': ({ tokens }) => tokens?.logprob !== undefined,
  times: ({ timing, startedAt, endedAt }) => (timing ?? startedAt ?? endedAt) !== undefined,
} as const satisfies Readonly<Record<string, (rollout: ParsedRollout) => boolean>>;
export type Fact = keyof typeof FACTS;

/** Issues in the result. `refused` and `warnings` count all of them. */
const MOST_ISSUES = 20;

export interface AdapterCheck {
  readonly path: string;
  readonly seconds: number;
  /** Lines of the first run, and bytes of the longest one. */
  readonly lines: number;
  readonly longestLine: number;
  /** Limit of `longestLine`, which bounds the memory. */
  readonly limit: number;
  /** Lines by type. */
  readonly types: Readonly<Record<string, number>>;
  readonly runs: number;
  readonly groups: number;
  /** Groups with more than one rollout. */
  readonly sharedGroups: number;
  /** Rollouts that have each fact. */
  readonly facts: Readonly<Record<Fact, number>>;
  /** `line` is a line of the adapter's output. */
  readonly issues: readonly IngestIssue[];
  readonly refused: number;
  readonly warnings: number;
  readonly end: AdapterEnd | undefined;
  /** Why the first or the second run failed. */
  readonly failure?: string;
  readonly secondFailure?: string;
  /** Whether both runs wrote the same lines. Absent if one of them failed. */
  readonly isSame?: boolean;
}

/** @throws the system's error when the file cannot be read */
export async function checkAdapter(
  path: string,
  adapter: Adapter,
  options: Pick<AdapterOptions, 'after'> = {},
): Promise<AdapterCheck> {
  const { bytes } = identityOf(path);
  const reader = formatNamed(adaptedLog(adapter).format)?.open({
    name: basename(path),
    layout: layoutOf(path),
  });
  if (reader === undefined) throw new Error('the Turnwise log has no reader');
  const counts = new Counts(reader);
  const startedAt = performance.now();
  const first = await runOnce(path, adapter, { bytes, ...options }, (record) => counts.take(record));
  const seconds = (performance.now() - startedAt) / 1000;
  const second =
    first.failure === undefined ? await runOnce(path, adapter, { bytes, ...options }) : undefined;
  const hasBoth = second !== undefined && second.failure === undefined;
  return {
    ...{ path, seconds, limit: LONGEST_RECORD, end: first.end },
    ...counts.result(),
    ...(first.failure === undefined ? {} : { failure: first.failure }),
    ...(second?.failure === undefined ? {} : { secondFailure: second.failure }),
    ...(hasBoth ? { isSame: first.hash === second.hash } : {}),
  };
}

interface Run {
  readonly hash: string;
  readonly end: AdapterEnd | undefined;
  readonly failure?: string;
}

async function runOnce(
  path: string,
  adapter: Adapter,
  options: AdapterOptions,
  take: (record: SourceRecord) => void = () => undefined,
): Promise<Run> {
  const source = new AdapterSource(path, adapter, options);
  let lines = 0;
  let failure: string | undefined;
  try {
    for await (const records of source.records()) {
      for (const record of records) {
        lines++;
        take(record);
      }
    }
  } catch (error) {
    if (!(error instanceof CorruptContainerError)) throw error;
    failure = error.message;
  } finally {
    await source.close();
  }
  return { hash: source.hashAt(lines), end: source.end, ...(failure === undefined ? {} : { failure }) };
}

class Counts {
  private readonly reader: RecordReader;
  private readonly types: Record<string, number> = {};
  private readonly facts = Object.fromEntries(Object.keys(FACTS).map((fact) => [fact, 0])) as Record<
    Fact,
    number
  >;
  private readonly runs = new Set<string>();
  private readonly groups = new Map<string, number>();
  private readonly issues: IngestIssue[] = [];
  private refused = 0;
  private warnings = 0;
  private lines = 0;
  private longestLine = 0;

  constructor(reader: RecordReader) {
    this.reader = reader;
  }

  take(record: SourceRecord): void {
    this.lines++;
    if ('tooLong' in record) {
      this.longestLine = Math.max(this.longestLine, record.tooLong);
      const message = `the record has ${record.tooLong} bytes; the limit is ${LONGEST_RECORD}`;
      this.addIssue({ severity: 'refused', code: 'line_too_long', message });
      return;
    }
    this.longestLine = Math.max(this.longestLine, record.bytes.byteLength);
    const outcome = parseRecord(this.reader, record.bytes, this.lines);
    if (outcome.kind === 'blank') return;
    for (const warning of outcome.warnings) this.addIssue(warning);
    for (const line of outcome.lines) this.count(line);
  }

  result(): Omit<AdapterCheck, 'path' | 'seconds' | 'limit' | 'end'> {
    const { lines, longestLine, types, facts, issues, refused, warnings } = this;
    const sharedGroups = [...this.groups.values()].filter((rollouts) => rollouts > 1).length;
    const sizes = { runs: this.runs.size, groups: this.groups.size, sharedGroups };
    return { lines, longestLine, types, ...sizes, facts, issues, refused, warnings };
  }

  private count(line: ParsedLine): void {
    if ('warnings' in line) for (const warning of line.warnings) this.addIssue(warning);
    if (line.kind === 'issue') {
      this.addIssue(line.issue);
      return;
    }
    this.types[line.kind] = (this.types[line.kind] ?? 0) + 1;
    if (line.kind !== 'rollout') return;
    const { rollout } = line;
    this.runs.add(`${rollout.run} ${rollout.kind}`);
    const group = JSON.stringify([rollout.run, rollout.kind, rollout.step, groupKeyOf(rollout, '')]);
    this.groups.set(group, (this.groups.get(group) ?? 0) + 1);
    for (const [fact, isKnown] of Object.entries(FACTS)) if (isKnown(rollout)) this.facts[fact as Fact]++;
  }

  private addIssue(issue: Omit<IngestIssue, 'line'>): void {
    if (issue.severity === 'refused') this.refused++;
    else this.warnings++;
    if (this.issues.length < MOST_ISSUES) this.issues.push({ ...issue, line: this.lines });
  }
}
