/**
 * Masks credentials and matches of the user's patterns in every text of a pack, by blocks of equal length, so
 * that offsets stay valid. Both are searched in texts as written and with escapes decoded and colours left out (`shared/domain/escapes.ts`).
 * Each pattern has a time limit, because users write them and a regular expression cannot be interrupted
 * otherwise.
 */
import type { AnnotationRow } from '../../../shared/api/contract.ts';
import { refused } from '../../../shared/api/errors.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { viewsOf } from '../../../shared/domain/escapes.ts';
import { maskRanges } from '../../../shared/domain/maskedText.ts';
import { credentialsIn, type TextRange } from '../../../shared/domain/secrets.ts';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { contentHash, rolloutHash } from '../../storage/contentHash.ts';
import type { ExportedRow } from '../../storage/queries/exported.ts';
import { withTimeLimit } from '../../threads/timeLimit.ts';
import type { PackCase, PackRun, RawRecord } from './packCase.ts';

/** The reason why a pack lacks a raw record when redaction is on. */
const UNDECODED = 'it is not whole JSON, so redaction cannot be applied to it';
/** Name of the rule that masks credentials. */
const CREDENTIALS = 'credentials';

export interface RedactionCount {
  /** `credentials`, or the pattern, redacted by itself, because it may contain the secret. */
  readonly pattern: string;
  readonly count: number;
}

/** Selects the texts that a pack masks. */
export interface Redaction {
  /** Regular expressions, with the flags `g` and `u`. */
  readonly redact: readonly string[];
  readonly keepsCredentials: boolean;
}

export class Redactor {
  private readonly patterns: readonly string[];
  private readonly rules: readonly Rule[];
  private readonly counts: number[];
  private readonly aliases = new Map<string, Aliases>();
  private readonly limitMs: number | undefined;
  private withoutRecord = 0;

  /** @throws ApiError `refused` when a pattern is not a regular expression */
  constructor({ redact: patterns, keepsCredentials }: Redaction, limitMs?: number) {
    for (const pattern of patterns) {
      try {
        new RegExp(pattern, 'gu');
      } catch (error) {
        throw refused(`${pattern}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    this.patterns = patterns;
    const ofPatterns = patterns.map((source) => ({
      name: source,
      find: (text: string) => matchesOf(source, text),
      mayRunAway: true,
    }));
    const ofCredentials = { name: CREDENTIALS, find: credentialsIn, mayRunAway: false };
    this.rules = [...(keepsCredentials ? [] : [ofCredentials]), ...ofPatterns];
    this.counts = this.rules.map(() => 0);
    this.limitMs = limitMs;
  }

  get isIdle(): boolean {
    return this.rules.length === 0;
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** Number of rollouts whose raw record was left out because it could not be parsed. */
  get undecoded(): number {
    return this.withoutRecord;
  }

  report(): readonly RedactionCount[] {
    const shown = this.replaced(this.patterns, 'the patterns', false);
    const first = this.rules.length - shown.length;
    return this.rules.map(({ name }, i) => ({
      pattern: shown[i - first] ?? name,
      count: this.counts[i] ?? 0,
    }));
  }

  /**
   * @param where the address of the rollout, for the message
   * @throws ApiError `refused` when a pattern takes too long
   */
  case(one: PackCase, where: string): PackCase {
    if (this.isIdle) return one;
    const texts = new Set<string>();
    withTexts(one, collecting(texts));
    const f = this.lookup([...texts], where);
    const redacted = withTexts(one, { text: f, name: (kind, name) => this.aliasOf(kind, name, f) });
    if (redacted.raw?.missing === UNDECODED) this.withoutRecord++;
    return redacted;
  }

  run(run: PackRun): PackRun {
    if (this.isIdle) return run;
    const texts = new Set<string>();
    runWith(run, collecting(texts));
    const f = this.lookup([...texts], run.key);
    return runWith(run, { text: f, name: (kind, name) => this.aliasOf(kind, name, f) });
  }

  taxonomy(taxonomy: Taxonomy): Taxonomy {
    if (this.isIdle) return taxonomy;
    const texts = [taxonomy.name, ...taxonomy.labels.flatMap(({ name, description }) => [name, description])];
    const f = this.lookup(texts, 'the labels');
    return {
      ...taxonomy,
      name: f(taxonomy.name),
      // Names are distinct and must remain so.
      labels: taxonomy.labels.map((label) => ({
        ...label,
        name: this.aliasOf('label', label.name, f),
        description: f(label.description),
      })),
    };
  }

  /** Redacts a text that does not belong to a rollout. */
  text(text: string): string {
    return this.isIdle ? text : (this.replaced([text], 'the choice', true)[0] ?? text);
  }

  private lookup(texts: readonly string[], where: string): (text: string) => string {
    const results = this.replaced(texts, where, true);
    const known = new Map(texts.map((text, i) => [text, results[i] ?? '']));
    return (text) => known.get(text) ?? '';
  }

  private replaced(texts: readonly string[], where: string, isCounted: boolean): readonly string[] {
    let results = [...texts];
    this.rules.forEach(({ name, find, mayRunAway }, i) => {
      const views = results.map(viewsOf);
      const texts = views.flatMap((of) => of.map(({ text }) => text));
      const search = (): (readonly TextRange[])[] => texts.map(find);
      const found = mayRunAway ? withTimeLimit(search, this.limitMs) : search();
      if (found === undefined)
        throw refused(
          `the pattern ${name} takes longer than 1 s or needs too much memory on the text of ${where}; simplify it, for example avoid nested repetitions`,
        );
      let at = 0;
      results = results.map((text, no) => {
        const ranges: TextRange[] = [];
        for (const { startAt, endAt } of views[no] ?? []) {
          for (const { start, end } of found[at++] ?? [])
            ranges.push({ start: startAt(start), end: endAt(end) });
        }
        const masked = maskRanges(text, ranges);
        if (isCounted) this.counts[i] = (this.counts[i] ?? 0) + masked.count;
        return masked.text;
      });
    });
    return results;
  }

  private aliasOf(kind: NameKind | 'label', name: string, f: (text: string) => string): string {
    const aliases = this.aliases.get(kind) ?? new Aliases();
    this.aliases.set(kind, aliases);
    return aliases.of(name, f(name));
  }
}

interface Rule {
  readonly name: string;
  readonly find: (text: string) => readonly TextRange[];
  /** Whether it needs a time limit. Setting one costs more than searching a short text. */
  readonly mayRunAway: boolean;
}

/** @returns every non-empty match */
function matchesOf(source: string, text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  for (const match of text.matchAll(new RegExp(source, 'gu')))
    if (match[0] !== '') found.push({ start: match.index, end: match.index + match[0].length });
  return found;
}

/** Redacted identifiers, kept distinct: two rollouts never get the same one. */
class Aliases {
  private readonly aliases = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** Number of the next alias of a redacted name, because thousands of names may become equal. */
  private readonly next = new Map<string, number>();

  of(name: string, redacted: string): string {
    const known = this.aliases.get(name);
    if (known !== undefined) return known;
    let alias = redacted;
    let number = this.next.get(redacted) ?? 2;
    for (; this.taken.has(alias); number++) alias = `${redacted}~${number}`;
    this.next.set(redacted, number);
    this.taken.add(alias);
    this.aliases.set(name, alias);
    return alias;
  }
}

type NameKind = 'run' | 'group' | 'problem';

interface Mapping {
  readonly text: (text: string) => string;
  readonly name: (kind: NameKind, name: string) => string;
}

/** Collects every text and changes none. */
function collecting(texts: Set<string>): Mapping {
  const text = (each: string): string => {
    texts.add(each);
    return each;
  };
  return { text, name: (_, name) => text(name) };
}

/** Columns that are not redacted as texts: fixed words, JSON, and keys that get an alias. */
const OURS = new Set([
  ...[
    'group_rule',
    'correct_source',
    'answer_source',
    'stop_reason',
    'stop_reason_source',
    'kv_cache',
    'scores',
  ],
  ...['group_key', 'problem_id'],
]);

function withTexts(one: PackCase, mapping: Mapping): PackCase {
  const { text, name } = mapping;
  const { rollout } = one;
  const row: Record<string, string | number | null> = Object.fromEntries(
    Object.entries(rollout.row).map(([column, value]) => [
      column,
      typeof value === 'string' && !OURS.has(column) ? text(value) : value,
    ]),
  );
  if (typeof rollout.row['scores'] === 'string')
    row['scores'] = recordWith(rollout.row['scores'], text) ?? '{}';
  if (typeof row['group_key'] === 'string') row['group_key'] = name('group', row['group_key']);
  if (typeof row['problem_id'] === 'string') row['problem_id'] = name('problem', row['problem_id']);
  const [prompt, response] = [text(rollout.prompt), text(rollout.response)];
  if (response !== rollout.response) row['response_chars'] = response.length;
  const isChanged = prompt !== rollout.prompt || response !== rollout.response;
  const key = (annotated: AnnotationRow['rollout']): AnnotationRow['rollout'] => {
    const { recordHash, ...rest } = annotated;
    const named = {
      ...rest,
      run: name('run', rest.run),
      group: name('group', rest.group),
      problem: name('problem', rest.problem),
    };
    // The original hash would let others verify a guess of the masked text.
    if (isChanged) return { ...named, contentHash: rolloutHash(prompt, response) };
    return recordHash === undefined ? named : { ...named, recordHash };
  };
  const { raw } = one;
  return {
    ...one,
    run: runWith(one.run, mapping),
    rollout: {
      ...rollout,
      row: row as ExportedRow,
      prompt,
      response,
      extra: recordWith(rollout.extra, text) ?? '',
      calls: rollout.calls.map((call) => ({
        ...call,
        name: call.name === null ? null : text(call.name),
        worker: call.worker === null ? null : text(call.worker),
      })),
      // Ids and alternatives would reveal the masked text.
      tokens:
        rollout.tokens === undefined || response === rollout.response
          ? rollout.tokens
          : { ...rollout.tokens, ids: null, top: null },
    },
    annotations: one.annotations.map((row) => ({
      ...row,
      rollout: key(row.rollout),
      target: targetWith(row, { prompt, response, text, isChanged }),
      ...(row.note === undefined ? {} : { note: text(row.note) }),
      ...(row.correction === undefined ? {} : { correction: text(row.correction) }),
      author: text(row.author),
    })),
    readings: one.readings.map((reading) => ({
      ...reading,
      rollout: key(reading.rollout),
      author: text(reading.author),
    })),
    ...(raw === undefined
      ? {}
      : {
          raw: rawWith(raw, text),
        }),
  };
}

function rawWith({ text: record, ...raw }: RawRecord, text: (text: string) => string): RawRecord {
  const place = { ...raw, path: text(raw.path) };
  if (record === undefined) return place;
  const written = recordWith(record, text);
  return written === undefined ? { ...place, missing: UNDECODED } : { ...place, text: written };
}

/** Keeps the position and quotes the redacted text again, because a match may extend beyond the quote. */
function targetWith(
  { target, place }: AnnotationRow,
  now: {
    readonly prompt: string;
    readonly response: string;
    readonly text: (text: string) => string;
    readonly isChanged: boolean;
  },
): AnnotationRow['target'] {
  if (target.kind === 'rollout') return target;
  const { anchor } = target;
  const { quote, quoteEnd, before, after, start, end } = anchor;
  if (place?.state === 'exact') {
    const all = now[anchor.text];
    const quoted = {
      ...anchor,
      quote: all.slice(start, start + quote.length),
      before: all.slice(start - before.length, start),
      after: all.slice(end, end + after.length),
      ...(quoteEnd === undefined ? {} : { quoteEnd: all.slice(end - quoteEnd.length, end) }),
      ...(anchor.hash === undefined ? {} : { hash: contentHash(all.slice(start, end)) }),
    };
    return { ...target, anchor: quoted };
  }
  if (quoteEnd === undefined) {
    const all = now.text(before + quote + after);
    const at = before.length;
    return {
      ...target,
      anchor: {
        ...anchor,
        before: all.slice(0, at),
        quote: all.slice(at, at + quote.length),
        after: all.slice(at + quote.length),
      },
    };
  }
  const [first, last] = [now.text(before + quote), now.text(quoteEnd + after)];
  const { hash, ...rest } = anchor;
  return {
    ...target,
    anchor: {
      ...rest,
      before: first.slice(0, before.length),
      quote: first.slice(before.length),
      quoteEnd: last.slice(0, quoteEnd.length),
      after: last.slice(quoteEnd.length),
      ...(now.isChanged || hash === undefined ? {} : { hash }),
    },
  };
}

function runWith(run: PackRun, { text, name }: Mapping): PackRun {
  return {
    ...run,
    id: name('run', run.id),
    key: name('run', run.key),
    name: text(run.name),
    config: valueWith(run.config, text) as PackRun['config'],
    stages: run.stages.map((stage) => ({
      ...stage,
      name: text(stage.name),
      changes: valueWith(stage.changes, text) as PackRun['config'],
    })),
  };
}

/** Maps the texts and keys of a JSON value. */
function valueWith(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((each: unknown) => valueWith(each, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [text(key), valueWith(each, text)]));
}

const VALUE = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * @returns undefined when the record begins like JSON but cannot be parsed, because its escapes may hide
 * matches; other records are treated as text
 */
export function recordWith(record: string, text: (text: string) => string): string | undefined {
  if (!/^\s*\{/.test(record)) return text(record);
  if (!readJson(record).ok) return undefined;
  return record.replace(VALUE, (written) => {
    const value = written.startsWith('"') ? (JSON.parse(written) as string) : written;
    const now = text(value);
    return now === value ? written : JSON.stringify(now);
  });
}
