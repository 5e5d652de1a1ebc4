/**
 * A readable summary of a log, read through the same steps as ingest but without a library: file → container
 * → records → parsed lines → text.
 */

import { identify } from '../../electron/ingest/identify.ts';
import { openRecords } from '../../electron/ingest/openRecords.ts';
import { readRecord } from '../../electron/ingest/readRecord.ts';
import { contentHash, groupKeyOf, problemIdOf, storedJoinKey } from '../../electron/storage/contentHash.ts';
import type { ToolCall } from '../../shared/domain/model.ts';
import type { LogFormat, ParsedLine, ParsedRollout, ParsedTokens } from '../../shared/format/format.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { LineSplitter } from '../../shared/format/lineSplitter.ts';
import { Parts } from '../../shared/format/parts.ts';

export interface LogDump {
  readonly format: string | null;
  readonly unit: string;
  readonly lines: readonly string[];
  readonly issues: readonly string[];
}

export interface DumpOptions {
  /** Path with facts for the reader, if the file itself is elsewhere. */
  readonly layoutPath?: string;
  readonly chunkSize?: number;
  /** A mapping, used instead of the built-in formats. */
  readonly format?: LogFormat;
}

export async function dumpFile(path: string, options: DumpOptions = {}): Promise<LogDump> {
  const { layoutPath = path, chunkSize = 1 << 16 } = options;
  const found = await identify(path, 'unknown');
  const lines: string[] = [];
  const issues: string[] = [];
  const head = found.kind === 'refused' ? found.head : undefined;
  if (found.kind !== 'log' && (options.format === undefined || head === undefined)) {
    if (found.kind === 'refused') issues.push(`${found.issue.code}: ${found.issue.message}`);
    return { format: null, unit: found.kind, lines, issues };
  }
  const { container, unit } =
    found.kind === 'log' ? found : { container: head?.container ?? 'plain', unit: head?.unit ?? 'line' };
  const format = options.format ?? (found.kind === 'log' ? formatNamed(found.format) : undefined);
  if (format === undefined) throw new Error('the file was identified as a format that is not listed');
  const source = await openRecords(path, container, unit, { chunkSize });
  const { header } = source;
  const reader = format.open({
    name: 'unknown',
    layout: layoutOf(layoutPath),
    ...(header === undefined ? {} : { header }),
  });
  const seen = new Map<string, number>();
  let number = 0;
  let open: { readonly parts: Parts; readonly number: number } | undefined;
  const close = (): void => {
    const rollout = open?.parts.join();
    if (open !== undefined && rollout !== undefined)
      lines.push(...dumpLine({ kind: 'rollout', rollout, warnings: [] }, open.number, seen));
    open = undefined;
  };
  const add = (line: ParsedLine): void => {
    if (line.kind === 'rollout' && open?.parts.continuesWith(line.rollout) === true) {
      open.parts.add(line.rollout);
      return;
    }
    close();
    if (line.kind === 'rollout' && line.rollout.partOf !== undefined)
      open = { parts: new Parts(line.rollout), number };
    else lines.push(...dumpLine(line, number, seen));
  };
  const note = (issue: { severity: string; code: string; message: string }): void =>
    void issues.push(`${unit} ${number} ${issue.severity} ${issue.code}: ${issue.message}`);
  try {
    for await (const records of source.records(0)) {
      for (const record of records) {
        number++;
        if ('tooLong' in record) continue;
        number = record.number ?? number;
        const reading = readRecord(record.bytes, number === 1, unit);
        if (reading.kind === 'issue') note(reading.issue);
        if (reading.kind === 'blank') number += record.moreBlank ?? 0;
        if (reading.kind !== 'record') continue;
        for (const warning of reading.warnings) note(warning);
        const parsed = reader.read(reading.record, number);
        for (const line of 'kind' in parsed ? [parsed] : parsed) {
          if ('warnings' in line) for (const warning of line.warnings) note(warning);
          if (line.kind === 'issue') note(line.issue);
          else add(line);
        }
      }
    }
    close();
  } finally {
    await source.close();
  }
  return { format: format.name, unit, lines, issues };
}

/** Copies each line, because the splitter's lines are valid only until the next push. */
export function linesOf(bytes: Uint8Array, chunkSize: number): readonly Uint8Array[] {
  const splitter = new LineSplitter(0);
  const lines: Uint8Array[] = [];
  const chunk = new Uint8Array(chunkSize);
  for (let at = 0; at < bytes.byteLength; at += chunkSize) {
    // Reuses one buffer for all chunks, like a file reader, so that a splitter that keeps a view of it fails.
    const part = bytes.subarray(at, at + chunkSize);
    chunk.set(part);
    for (const line of splitter.push(chunk.subarray(0, part.byteLength))) {
      if ('bytes' in line) lines.push(Uint8Array.from(line.bytes));
    }
  }
  const rest = splitter.rest();
  if (rest !== undefined) lines.push(rest.bytes);
  return lines;
}

function dumpLine(parsed: ParsedLine, number: number, seen: Map<string, number>): string[] {
  switch (parsed.kind) {
    case 'rollout':
      return dumpRollout(parsed.rollout, number, seen);
    case 'decision': {
      const { address, decision } = parsed.decision;
      return [`decision ${placeOf(address)} ${JSON.stringify(decision)}`];
    }
    case 'signal': {
      const { address, tokens } = parsed.signal;
      return [`signal ${placeOf(address)} ${tokens.count} tokens ${signalNames(tokens)}${valuesOf(tokens)}`];
    }
    case 'run':
      return [`run ${parsed.run.run ?? '(of the directory)'} ${JSON.stringify(parsed.run.config)}`];
    case 'stage':
      return [
        `stage from ${parsed.stage.fromStep} ${parsed.stage.name} ${JSON.stringify(parsed.stage.changes)}`,
      ];
    case 'metric':
      return [`metric ${parsed.metric.step} ${JSON.stringify(parsed.metric.metrics)}`];
    case 'annotation': {
      const { id, rollout, target, label, severity, author, note, correction } = parsed.annotation;
      const where = target.kind === 'rollout' ? '' : ` ${target.anchor.start}–${target.anchor.end}`;
      const said = [label, severity, note, correction].filter((each) => each !== undefined).map(firstWords);
      return [
        `annotation ${id} of ${rollout.step}/${rollout.group}/#${rollout.ordinal} ${target.kind}${where} by ${author}: ${said.join(' ')}`,
      ];
    }
    case 'reading': {
      const { rollout, author, verdict, at } = parsed.reading;
      return [
        `reading of ${rollout.step}/${rollout.group}/#${rollout.ordinal} by ${author}: ${verdict} at ${at}`,
      ];
    }
    case 'taxonomy': {
      const { name, choice, labels } = parsed.taxonomy;
      return [`taxonomy ${name} (${choice}): ${labels.map(({ id, key }) => `${id}${key ?? ''}`).join(' ')}`];
    }
    default:
      return [parsed.kind];
  }
}

function placeOf(address: ParsedAddress): string {
  return 'joinKey' in address
    ? `key ${storedJoinKey(address.joinKey)}`
    : `${address.step}/${address.group}/#${address.index}`;
}

type ParsedAddress = Extract<ParsedLine, { kind: 'signal' }>['signal']['address'];

function dumpRollout(rollout: ParsedRollout, number: number, seen: Map<string, number>): string[] {
  const problemId = problemIdOf(rollout.problem, contentHash(rollout.problem.prompt), String(number));
  const group = `${rollout.kind} ${rollout.step ?? 'no step'}/${groupKeyOf(rollout, problemId)}`;
  const ordinal = rollout.ordinal ?? seen.get(group) ?? 0;
  seen.set(group, ordinal + 1);
  const facts = [
    ...(rollout.groupRule === undefined || rollout.groupRule === 'logged'
      ? []
      : [`group by ${rollout.groupRule}`]),
    ...(rollout.run === undefined ? [] : [`run ${rollout.run}`]),
    `problem ${problemId}`,
    `reward ${rollout.reward ?? '?'}`,
    `correct ${rollout.isCorrect ?? '?'}${rollout.isCorrectSource === 'derived' ? ' (derived)' : ''}`,
    `answer ${rollout.answer ?? '?'} (${rollout.answerSource ?? '-'})`,
    `truth ${rollout.problem.groundTruth ?? '?'}`,
    ...(rollout.problem.userScenario === undefined
      ? []
      : [`user scenario ${firstWords(rollout.problem.userScenario)}`]),
    `stop ${rollout.stopReason ?? '?'} (${rollout.stopReasonSource ?? '-'})${rollout.stopReasonLogged === undefined ? '' : ` logged ${rollout.stopReasonLogged}`}`,
    `turns ${rollout.turns.length}${countsOf(rollout.turns)}`,
    ...(rollout.tokens === undefined
      ? []
      : [`tokens ${rollout.tokens.count} ${signalNames(rollout.tokens)}${valuesOf(rollout.tokens)}`]),
    ...(rollout.decision === undefined ? [] : [`decision ${JSON.stringify(rollout.decision)}`]),
    ...(rollout.scores === undefined ? [] : [`scores ${JSON.stringify(rollout.scores)}`]),
    ...(rollout.joinKeys === undefined ? [] : [`keys ${rollout.joinKeys.map(storedJoinKey).join(' ')}`]),
    ...(rollout.isSelection === true ? ['selection'] : []),
    ...(rollout.timing === undefined ? [] : [`timing ${JSON.stringify(rollout.timing)}`]),
    ...(rollout.context === undefined ? [] : [`context ${JSON.stringify(rollout.context)}`]),
    ...(Object.keys(rollout.extra).length === 0 ? [] : [`extra ${JSON.stringify(rollout.extra)}`]),
  ];
  const text = (turn: number): string => (turn === 0 ? rollout.problem.prompt : rollout.response);
  return [
    `${group}/#${ordinal} ${facts.join(' · ')}`,
    ...[...rollout.problem.promptSegments, ...rollout.segments].map(
      ({ kind, turn, inner }) => `  ${turn} ${kind}: ${firstWords(text(turn).slice(inner.start, inner.end))}`,
    ),
    ...rollout.toolCalls.map(
      (call) =>
        `  call ${call.turn} ${call.name ?? '?'} ${call.outcome} ${call.latencyMs ?? '?'} ms${timeOf(call)} ${call.arguments ?? '?'}`,
    ),
  ];
}

/** Logged policy tokens of each turn. */
function countsOf(turns: ParsedRollout['turns']): string {
  const counts = turns.map(({ policyTokens }) => policyTokens ?? '?');
  return counts.every((count) => count === '?') ? '' : ` (tokens ${counts.join(' ')})`;
}

function signalNames(tokens: object): string {
  const names = Object.entries(tokens).filter(([key, value]) => key !== 'count' && value !== undefined);
  return names.map(([key]) => key).join(',');
}

/** The first values of each column, so that a shift by one is visible. */
function valuesOf(tokens: ParsedTokens): string {
  const columns = (
    ['ends', 'ids', 'mask', 'entropy', 'logprob', 'trainerLogprob', 'advantage'] as const
  ).flatMap((name) => {
    const column = tokens[name];
    if (column === undefined) return [];
    const first = Array.from(column.slice(0, 6), (value) => Number(value.toFixed(4)));
    return [`${name} ${first.join(' ')}`];
  });
  return columns.length === 0 ? '' : ` [${columns.join('; ')}]`;
}

const firstWords = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);

/** Logged times of a call besides the text. */
function timeOf({ latencySource, queueMs, worker, startedAt }: ToolCall): string {
  const known = { latencySource, queueMs, worker, startedAt };
  return Object.values(known).every((value) => value === undefined) ? '' : ` ${JSON.stringify(known)}`;
}
