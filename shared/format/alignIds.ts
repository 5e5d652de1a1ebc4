/**
 * Places token ids on a text that was logged beside them. The two need not agree in white space: a
 * chat template puts line feeds between parts that the log lists one by one. Everything else must
 * agree, character by character, or the stretch is left without a place.
 */
import { textOfByteTokens } from './binary.ts';
import type { Tokenizer } from './tokenizer.ts';

export interface Alignment {
  /** UTF-16 end of each token in the text; tokens without a place are empty. */
  readonly ends: Uint32Array;
  /** Runs of sampled tokens, and how many of them were found in the text. */
  readonly runs: number;
  readonly placed: number;
}

/** Why a run of sampled tokens does not stand in the text. */
export type Misfit =
  /** The policy sampled nothing, or nothing but special tokens. */
  | { readonly kind: 'nothing' }
  /** Ids the vocabulary does not have: it is another model's, or an older one. The first few, and how many tokens. */
  | { readonly kind: 'unknown-ids'; readonly ids: readonly number[]; readonly tokens: number }
  /** From this token on the ids spell something else than is written there; white space is left out of both. */
  | {
      readonly kind: 'other-text';
      readonly token: number;
      readonly spelled: string;
      readonly written: string;
    };

const NOTHING = new Uint8Array(0);
const NONE: ReadonlySet<number> = new Set();

/**
 * @param mask 1: sampled by the policy; only those are looked for, run by run, each after the one before
 * @returns undefined when not one run stands in the text
 */
export function alignIds(
  text: string,
  ids: Int32Array,
  mask: Uint8Array | undefined,
  tokenizer: Tokenizer,
): Alignment | undefined {
  const ends = new Uint32Array(ids.length);
  const written = withoutSpace(text);
  const kept = keptSpecials(text, ids, tokenizer);
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
    let spelled = spell(own, tokenizer, NONE);
    let run = withoutSpace(spelled.text);
    let at = run.text === '' ? -1 : written.text.indexOf(run.text, cursor);
    if (at < 0 && kept.size > 0) {
      spelled = spell(own, tokenizer, kept);
      run = withoutSpace(spelled.text);
      at = run.text === '' ? -1 : written.text.indexOf(run.text, cursor);
    }
    if (at >= 0) {
      placed++;
      cursor = at + run.text.length;
    }
    for (let i = from; i < to; i++) {
      if (at >= 0) {
        // How many visible characters are spelled by then says where in the text that is.
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
/** White space that both have: as far as it is the same, it belongs to the token that wrote it. */
function sharedLength(blank: string, text: string, at: number): number {
  let length = 0;
  while (length < blank.length && blank.charCodeAt(length) === text.charCodeAt(at + length)) length++;
  return length;
}

/** @returns why the first run that does not stand in the text does not; undefined when all do */
export function misfitOf(
  text: string,
  ids: Int32Array,
  mask: Uint8Array | undefined,
  tokenizer: Tokenizer,
): Misfit | undefined {
  const written = withoutSpace(text);
  const kept = keptSpecials(text, ids, tokenizer);
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
    const spellings = [spell(own, tokenizer, NONE), spell(own, tokenizer, kept)].map((spelled) => ({
      spelled,
      run: withoutSpace(spelled.text),
    }));
    const found = spellings.find(({ run }) => run.text !== '' && written.text.includes(run.text, cursor));
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
    cursor = written.text.indexOf(found.run.text, cursor) + found.run.text.length;
    from = to;
  }
  return runs === 0 ? { kind: 'nothing' } : undefined;
}

/** Characters of either side that are shown where they part. */
const EXCERPT = 40;

interface Shared {
  readonly at: number;
  readonly length: number;
}

/** The longest beginning of a run that stands somewhere behind the cursor; a longer one cannot where a shorter does not. */
function sharedPrefix(run: string, written: string, cursor: number): Shared {
  let low = 0;
  let high = run.length;
  let at = cursor;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const found = written.indexOf(run.slice(0, middle), cursor);
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
): Misfit {
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
 * Logs leave special tokens out of texts, mostly: some keep them all (`<|im_end|>`), and some vocabularies call
 * special what every log has in its text (`<think>`). What is written somewhere in this text may be spelled.
 */
function keptSpecials(text: string, ids: Int32Array, { pieces, special }: Tokenizer): ReadonlySet<number> {
  const used = new Set<number>();
  for (const id of ids) if (special.has(id)) used.add(id);
  const isWritten = (id: number): boolean => {
    const piece = pieces[id];
    return piece !== undefined && text.includes(textOfByteTokens([piece]).text);
  };
  return new Set([...used].filter(isWritten));
}

type Spelled = ReturnType<typeof textOfByteTokens>;

/** @param kept special tokens that are spelled all the same */
function spell(ids: Int32Array, { pieces, special }: Tokenizer, kept: ReadonlySet<number>): Spelled {
  return textOfByteTokens(
    Array.from(ids, (id) => (special.has(id) && !kept.has(id) ? NOTHING : (pieces[id] ?? NOTHING))),
  );
}

interface Visible {
  readonly text: string;
  /** Position in the whole text of each visible character. */
  readonly places: Uint32Array;
  /** Visible characters before each position of the whole text, its end included. */
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

/** Space, tab, line feed, carriage return and the no-break space: what templates add and trim. */
const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xa0;
