/**
 * Aligns token ids with the text logged beside them. White space may differ: a chat template inserts line
 * feeds between parts that the log lists separately. All other characters must match, or the span gets no
 * offsets.
 */

import { indexIn } from '../domain/linearSearch.ts';
import { textOfByteTokens } from './binary.ts';
import type { Tokenizer } from './tokenizer.ts';

export interface Alignment {
  /** UTF-16 end of each token in the text. Tokens without offsets are empty. */
  readonly ends: Uint32Array;
  /** Spans of sampled tokens, and spans found in the text. */
  readonly runs: number;
  readonly placed: number;
}

/** Why a span of sampled tokens is not in the text. */
export type AlignmentFailure =
  /** The policy sampled nothing, or only special tokens. */
  | { readonly kind: 'nothing' }
  /**
   * Ids missing from the vocabulary, which belongs to another model or version. The first few ids, and the
   * number of tokens.
   */
  | { readonly kind: 'unknown-ids'; readonly ids: readonly number[]; readonly tokens: number }
  /** First token at which the decoded ids differ from the text, ignoring white space. */
  | {
      readonly kind: 'other-text';
      readonly token: number;
      readonly spelled: string;
      readonly written: string;
    };

const NOTHING = new Uint8Array(0);
const NONE: ReadonlySet<number> = new Set();

/**
 * If the ids spell the text, the tokens of tools have offsets, too. Else only sampled ones are searched, span by span,
 * each after the previous one.
 *
 * @param mask 1: sampled by the policy
 * @param effort of all rollouts that are aligned with this one
 * @returns undefined if no span is in the text
 */
export function alignIds(
  text: string,
  ids: Int32Array,
  mask: Uint8Array | undefined,
  tokenizer: Tokenizer,
  effort = new SearchEffort(),
): Alignment | undefined {
  const whole = spell(ids, tokenizer, tokenizer.special, budgetOf(text));
  if (whole.text === text && text !== '') {
    const runs = runsOf(mask, ids.length);
    return { ends: whole.ends, runs, placed: runs };
  }
  const ends = new Uint32Array(ids.length);
  const written = withoutSpace(text);
  const kept = keptSpecials(text, ids, tokenizer);
  const search = new Search(written.text, effort);
  const budget = budgetOf(text);
  let cursor = 0;
  let end = 0;
  let runs = 0;
  let placed = 0;
  for (let from = 0; from < ids.length; ) {
    if (mask?.[from] === 0) {
      ends[from++] = end;
      continue;
    }
    const to = endOfRun(from, ids.length, mask);
    runs++;
    const own = ids.subarray(from, to);
    let spelled = spell(own, tokenizer, NONE, budget);
    let run = withoutSpace(spelled.text);
    let at = search.next(run.text, cursor);
    if (at < 0 && kept.size > 0) {
      spelled = spell(own, tokenizer, kept, budget);
      run = withoutSpace(spelled.text);
      at = search.next(run.text, cursor);
    }
    if (at >= 0) {
      placed++;
      cursor = at + run.text.length;
    }
    for (let i = from; i < to; i++) {
      if (at >= 0) {
        // The number of visible characters so far gives the position in the text.
        const spelledTo = spelled.ends[i - from] ?? 0;
        const visible = run.before[spelledTo] ?? 0;
        const base = visible > 0 ? (written.places[at + visible - 1] ?? 0) + 1 : (written.places[at] ?? 0);
        const blank = visible > 0 ? spelled.text.slice((run.places[visible - 1] ?? 0) + 1, spelledTo) : '';
        end = Math.max(end, base + sharedLength(blank, text, base));
      }
      ends[i] = end;
    }
    from = to;
  }
  return placed === 0 ? undefined : { ends, runs, placed };
}

/** Bytes that spans may still spell. */
interface Budget {
  left: number;
}

/**
 * A text in UTF-8 has three bytes a unit at most, and each span is spelled twice. The rest is for white space. It is one
 * budget for all spans, because each of them may be a piece of a megabyte.
 */
const budgetOf = (text: string): Budget => ({ left: 8 * text.length + (1 << 20) });

/**
 * Characters that searches without success may still read. Each reads the rest of the text, and a log may have a span
 * per token. Every text adds its length several times, and the first part is for the few that need more.
 */
export class SearchEffort {
  left = 1 << 29;
}
const SEARCHES_PER_TEXT = 16;

/** Finds spans, each behind the previous one. */
class Search {
  private readonly text: string;
  private readonly effort: SearchEffort;
  /** Not in the text behind some former span, and so not behind a later one. */
  private readonly missing = new Set<string>();

  constructor(text: string, effort: SearchEffort) {
    this.text = text;
    this.effort = effort;
    effort.left += SEARCHES_PER_TEXT * text.length;
  }

  /** @returns -1 if the span is empty or not found */
  next(span: string, from: number): number {
    if (span === '' || this.effort.left <= 0 || this.missing.has(span)) return -1;
    const at = indexIn(this.text, span, from);
    if (at < 0) {
      this.effort.left -= this.text.length - from;
      this.missing.add(span);
    }
    return at;
  }
}

/** Number of spans of sampled tokens. */
function runsOf(mask: Uint8Array | undefined, count: number): number {
  if (mask === undefined) return count === 0 ? 0 : 1;
  return mask.reduce((runs, sampled, i) => runs + Number(sampled === 1 && mask[i - 1] !== 1), 0);
}

/** Common white space belongs to the token that wrote it. */
function sharedLength(blank: string, text: string, at: number): number {
  let length = 0;
  while (length < blank.length && blank.charCodeAt(length) === text.charCodeAt(at + length)) length++;
  return length;
}

/** @returns why the first span that is not in the text is missing; undefined if all were found */
export function alignmentFailureOf(
  text: string,
  ids: Int32Array,
  mask: Uint8Array | undefined,
  tokenizer: Tokenizer,
): AlignmentFailure | undefined {
  const written = withoutSpace(text);
  const kept = keptSpecials(text, ids, tokenizer);
  const search = new Search(written.text, new SearchEffort());
  const budget = budgetOf(text);
  let cursor = 0;
  let runs = 0;
  for (let from = 0; from < ids.length; ) {
    if (mask?.[from] === 0) {
      from++;
      continue;
    }
    const to = endOfRun(from, ids.length, mask);
    runs++;
    const own = ids.subarray(from, to);
    const spellings = [spell(own, tokenizer, NONE, budget), spell(own, tokenizer, kept, budget)].map(
      (spelled) => ({
        spelled,
        run: withoutSpace(spelled.text),
      }),
    );
    const found = spellings.find(({ run }) => search.next(run.text, cursor) >= 0);
    if (found === undefined) {
      const unknown = own.filter((id) => tokenizer.pieces[id] === undefined);
      if (unknown.length > 0)
        return { kind: 'unknown-ids', ids: [...new Set(unknown)].slice(0, 5), tokens: unknown.length };
      const [plain, full] = spellings.map((one) => ({
        ...one,
        shared: sharedPrefix(one.run.text, written.text, cursor),
      }));
      const best =
        full !== undefined && plain !== undefined && full.shared.length > plain.shared.length ? full : plain;
      return best === undefined || best.run.text === ''
        ? { kind: 'nothing' }
        : partingOf(best, written.text, from);
    }
    cursor = indexIn(written.text, found.run.text, cursor) + found.run.text.length;
    from = to;
  }
  return runs === 0 ? { kind: 'nothing' } : undefined;
}

/** Characters shown of either side at the first difference. */
const EXCERPT = 40;

interface Shared {
  readonly at: number;
  readonly length: number;
}

/**
 * The longest prefix of a span that occurs after the cursor. If a shorter prefix does not occur, no longer
 * one does.
 */
function sharedPrefix(run: string, written: string, cursor: number): Shared {
  let low = 0;
  let high = run.length;
  let at = cursor;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const found = indexIn(written, run.slice(0, middle), cursor);
    if (found < 0) high = middle - 1;
    else {
      low = middle;
      at = found;
    }
  }
  return { at, length: low };
}

function partingOf(
  { spelled, run, shared }: { readonly spelled: Spelled; readonly run: Visible; readonly shared: Shared },
  written: string,
  from: number,
): AlignmentFailure {
  const position = run.places[shared.length] ?? spelled.text.length;
  const token = spelled.ends.findIndex((end) => end > position);
  const start = shared.at + shared.length;
  return {
    kind: 'other-text',
    token: from + Math.max(0, token),
    spelled: run.text.slice(shared.length, shared.length + EXCERPT).toWellFormed(),
    written: written.slice(start, start + EXCERPT).toWellFormed(),
  };
}

function endOfRun(from: number, length: number, mask: Uint8Array | undefined): number {
  let to = from;
  while (to < length && mask?.[to] !== 0) to++;
  return to;
}

/**
 * Special tokens that appear in the text, as far as it can be searched in linear time. Most logs omit special tokens, but some keep all (`<|im_end|>`),
 * and some vocabularies mark common text as special (`<think>`). A token found in this text is decoded.
 */
function keptSpecials(text: string, ids: Int32Array, { pieces, special }: Tokenizer): ReadonlySet<number> {
  const used = new Set<number>();
  for (const id of ids) if (special.has(id)) used.add(id);
  const byText = new Map<string, number[]>();
  for (const id of used) {
    const piece = pieces[id];
    if (piece === undefined) continue;
    const written = textOfByteTokens([piece]).text;
    const same = byText.get(written);
    if (same === undefined) byText.set(written, [id]);
    else same.push(id);
  }
  // One pass for all of them, because a text may be a megabyte and each of 100,000 tokens a special one.
  const lengths = [...new Set([...byText.keys()].map((written) => written.length))];
  const compared = lengths.reduce((sum, length) => sum + length, 0);
  const firsts = new Set([...byText.keys()].map((written) => written.charCodeAt(0)));
  const kept = new Set(byText.get(''));
  let budget = COMPARED_PER_CHARACTER * text.length + (1 << 20);
  for (let at = 0; at < text.length && kept.size < used.size && budget > 0; at++) {
    if (!firsts.has(text.charCodeAt(at))) continue;
    budget -= compared;
    for (const length of lengths)
      for (const id of byText.get(text.slice(at, at + length)) ?? []) kept.add(id);
  }
  return kept;
}

/** A token of 10,000 letters may begin at each place of a text. A vocabulary has some twenty lengths below thirty. */
const COMPARED_PER_CHARACTER = 64;

type Spelled = ReturnType<typeof textOfByteTokens>;

/**
 * @param kept special tokens that are decoded anyway
 * @param budget a span of more bytes is not in the text, and counts as empty
 */
function spell(
  ids: Int32Array,
  { pieces, special }: Tokenizer,
  kept: ReadonlySet<number>,
  budget: Budget,
): Spelled {
  let bytes = 0;
  const spelled = Array.from(ids, (id) => {
    const piece = special.has(id) && !kept.has(id) ? NOTHING : (pieces[id] ?? NOTHING);
    bytes += piece.length;
    return piece;
  });
  if (bytes > budget.left) return textOfByteTokens(spelled.map(() => NOTHING));
  budget.left -= bytes;
  return textOfByteTokens(spelled);
}

interface Visible {
  readonly text: string;
  /** Position of each visible character in the whole text. */
  readonly places: Uint32Array;
  /** Visible characters before each position of the whole text, including its end. */
  readonly before: Uint32Array;
}

function withoutSpace(whole: string): Visible {
  const places = new Uint32Array(whole.length);
  const before = new Uint32Array(whole.length + 1);
  const parts: string[] = [];
  let count = 0;
  let start = 0;
  for (let i = 0; i < whole.length; i++) {
    before[i] = count;
    if (isSpace(whole.charCodeAt(i))) {
      if (i > start) parts.push(whole.slice(start, i));
      start = i + 1;
    } else places[count++] = i;
  }
  before[whole.length] = count;
  parts.push(whole.slice(start));
  return { text: parts.join(''), places: places.subarray(0, count), before };
}

/** Space, tab, line feed, carriage return and no-break space, which templates add and trim. */
const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xa0;
