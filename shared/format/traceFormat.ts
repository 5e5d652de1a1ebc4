/**
 * The format of a tracer's export: spans of any traces, one per record or in lists, or whole traces. Each trace is a
 * rollout (`spans.ts`).
 */
import type { KnownFacts } from './body.ts';
import { isObject, type JsonObject } from './fields.ts';
import {
  type FileContext,
  type FileHead,
  type KeyedPart,
  type LineIssue,
  type LogFormat,
  PARTS_KEY,
  type ParsedLine,
} from './format.ts';
import { refused, warned } from './records.ts';
import { readTrace, type Span } from './spans.ts';

/** A logged score of a trace. */
export interface Score {
  readonly name: string;
  readonly value: number;
}

export interface TraceFacts {
  readonly id: string;
  readonly spans: readonly Span[];
  readonly known?: KnownFacts;
  readonly run?: string;
  readonly groupKey?: string;
  readonly scores?: readonly Score[];
  /** Fields of the trace itself, without its spans. */
  readonly extra?: JsonObject;
}

export interface Tracer extends Pick<LogFormat, 'name' | 'title' | 'source' | 'rule' | 'reads' | 'ignores'> {
  /** The word for spans in messages, in the plural. */
  readonly noun: string;
  /** A record without a span, in words. */
  readonly missing: string;
  isSpan(record: JsonObject): boolean;
  traceIdOf(span: JsonObject): string | undefined;
  /** The field of a record that has a list of spans. */
  readonly list: string;
  /** Fields of a record that is a whole trace: its id, and its spans. */
  readonly whole?: { readonly id: string; readonly spans: string };
  /** @param trace the record of the whole trace, if it is one */
  read(spans: readonly JsonObject[], trace: JsonObject | undefined): TraceFacts;
}

export function traceFormat(tracer: Tracer): LogFormat {
  const { name, title, source, rule, reads, ignores } = tracer;
  const spansIn = (list: unknown): readonly JsonObject[] =>
    (Array.isArray(list) ? list : []).filter(isObject).filter(tracer.isSpan);
  const wholeTrace = (record: JsonObject): readonly JsonObject[] => {
    const { whole } = tracer;
    return whole !== undefined && typeof record[whole.id] === 'string' ? spansIn(record[whole.spans]) : [];
  };
  const parts = (record: JsonObject): readonly KeyedPart[] | undefined => {
    const spans = tracer.isSpan(record) ? [record] : spansIn(record[tracer.list]);
    return spans.length === 0
      ? undefined
      : spans.map((part) => ({ key: tracer.traceIdOf(part) ?? '', part }));
  };
  return {
    ...{ name, title, source, rule, reads, ignores, parts },
    detect: ({ records }: FileHead) =>
      records.some((record) => wholeTrace(record).length > 0 || parts(record) !== undefined),
    open: (file: FileContext) => ({
      read(record) {
        const whole = wholeTrace(record);
        if (whole.length > 0) return rolloutOf(tracer, whole, file, record);
        const traces = tracesIn(record, parts);
        if (traces.length === 0) return refused('no_spans', tracer.missing);
        return traces.map((spans) => rolloutOf(tracer, spans, file, undefined));
      },
    }),
  };
}

/** The traces in a record: the one whose parts ingest has collected, or all traces of a single record. */
function tracesIn(
  record: JsonObject,
  partsOf: (record: JsonObject) => readonly KeyedPart[] | undefined,
): readonly (readonly JsonObject[])[] {
  const collected = record[PARTS_KEY];
  if (Array.isArray(collected)) return [collected.filter(isObject)];
  const traces = new Map<string, JsonObject[]>();
  for (const { key, part } of partsOf(record) ?? []) {
    const list = traces.get(key);
    if (list === undefined) traces.set(key, [part]);
    else list.push(part);
  }
  return [...traces.values()];
}

function rolloutOf(
  tracer: Tracer,
  logged: readonly JsonObject[],
  file: FileContext,
  trace: JsonObject | undefined,
): ParsedLine {
  const warnings: LineIssue[] = [];
  const { id, spans, known = {}, run, groupKey, scores = [], extra } = tracer.read(logged, trace);
  const read = readTrace(spans, known, warnings);
  if (read === undefined)
    return refused('no_messages', `trace ${id} has no text among its ${spans.length} ${tracer.noun}`);
  return {
    kind: 'rollout',
    warnings,
    rollout: {
      ...read.body,
      ...(run === undefined ? {} : { run }),
      ...(id === '' ? {} : { wholeName: `trace ${id}` }),
      kind: file.layout.kind ?? 'eval',
      step: file.layout.step,
      groupKey,
      groupRule: groupKey === undefined ? 'prompt' : 'logged',
      reward: onlyScore(scores, warnings),
      extra: { trace_id: id, ...extra, spans: read.spans },
    },
  };
}

/** The score of a trace, if there is only one. With several it is unknown which one is the reward. */
function onlyScore(scores: readonly Score[], warnings: LineIssue[]): number | undefined {
  if (scores.length <= 1) return scores[0]?.value;
  const names = [...new Set(scores.map(({ name }) => name))].slice(0, 8).join(', ');
  const message = `${scores.length} scores (${names}); none says which is the reward, so it is unknown`;
  warnings.push(warned('several_scores', message));
  return undefined;
}
