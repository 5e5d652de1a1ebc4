/**
 * A log as a person would jot it down, read through the same steps as ingest but without a
 * library: bytes in chunks of any size → lines → records → parsed lines → text.
 */
import { readRecord } from '../../electron/ingest/readRecord.ts';
import type { ParsedLine, ParsedRollout } from '../../shared/format/format.ts';
import { detectFormat } from '../../shared/format/index.ts';
import { LineSplitter } from '../../shared/format/lineSplitter.ts';

export interface LogDump {
  readonly format: string | null;
  readonly lines: readonly string[];
  readonly issues: readonly string[];
}

export function dumpLog(bytes: Uint8Array, name: string, chunkSize = 1 << 16): LogDump {
  const records = linesOf(bytes, chunkSize).map((line, i) => ({
    line: i + 1,
    reading: readRecord(line, i === 0),
  }));
  const heads = records.flatMap(({ reading }) => (reading.kind === 'record' ? [reading.record] : []));
  const format = detectFormat({ name, records: heads.slice(0, 20) });
  const lines: string[] = [];
  const issues: string[] = [];
  if (format === undefined) return { format: null, lines, issues };
  const reader = format.open({ name });
  const seen = new Map<string, number>();
  const note = (line: number, issue: { severity: string; code: string; message: string }): void =>
    void issues.push(`line ${line} ${issue.severity} ${issue.code}: ${issue.message}`);
  for (const { line, reading } of records) {
    if (reading.kind === 'issue') note(line, reading.issue);
    if (reading.kind !== 'record') continue;
    for (const warning of reading.warnings) note(line, warning);
    const parsed = reader.read(reading.record, line);
    if ('warnings' in parsed) for (const warning of parsed.warnings) note(line, warning);
    if (parsed.kind === 'issue') note(line, parsed.issue);
    else lines.push(...dumpLine(parsed, seen));
  }
  return { format: format.name, lines, issues };
}

/** The reader hands out lines that live until the next push; every one is copied here. */
export function linesOf(bytes: Uint8Array, chunkSize: number): readonly Uint8Array[] {
  const splitter = new LineSplitter(0);
  const lines: Uint8Array[] = [];
  const chunk = new Uint8Array(chunkSize);
  for (let at = 0; at < bytes.byteLength; at += chunkSize) {
    // One buffer for all chunks, as a file reader has: a splitter that keeps a view of it fails here.
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

function dumpLine(parsed: ParsedLine, seen: Map<string, number>): string[] {
  switch (parsed.kind) {
    case 'rollout':
      return dumpRollout(parsed.rollout, seen);
    case 'decision': {
      const { address, decision } = parsed.decision;
      return [`decision ${address.step}/${address.group}/#${address.index} ${JSON.stringify(decision)}`];
    }
    case 'signal': {
      const { address, tokens } = parsed.signal;
      return [
        `signal ${address.step}/${address.group}/#${address.index} ${tokens.count} tokens ${signalNames(tokens)}`,
      ];
    }
    case 'run':
      return [`run ${parsed.run.run} ${JSON.stringify(parsed.run.config)}`];
    case 'stage':
      return [
        `stage from ${parsed.stage.fromStep} ${parsed.stage.name} ${JSON.stringify(parsed.stage.changes)}`,
      ];
    case 'metric':
      return [`metric ${parsed.metric.step} ${JSON.stringify(parsed.metric.metrics)}`];
    default:
      return [parsed.kind];
  }
}

function dumpRollout(rollout: ParsedRollout, seen: Map<string, number>): string[] {
  const group = `${rollout.kind} ${rollout.step}/${rollout.groupKey}`;
  const ordinal = rollout.ordinal ?? seen.get(group) ?? 0;
  seen.set(group, ordinal + 1);
  const facts = [
    `problem ${rollout.problem.problemId}`,
    `reward ${rollout.reward ?? '?'}`,
    `correct ${rollout.isCorrect ?? '?'}`,
    `answer ${rollout.answer ?? '?'} (${rollout.answerSource ?? '-'})`,
    `truth ${rollout.problem.groundTruth ?? '?'}`,
    `stop ${rollout.stopReason ?? '?'} (${rollout.stopReasonSource ?? '-'})`,
    `turns ${rollout.turns.length}`,
    ...(rollout.tokens === undefined
      ? []
      : [`tokens ${rollout.tokens.count} ${signalNames(rollout.tokens)}`]),
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
        `  call ${call.turn} ${call.name ?? '?'} ${call.outcome} ${call.latencyMs ?? '?'} ms ${call.arguments ?? '?'}`,
    ),
  ];
}

function signalNames(tokens: object): string {
  const names = Object.entries(tokens).filter(([key, value]) => key !== 'count' && value !== undefined);
  return names.map(([key]) => key).join(',');
}

const firstWords = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
