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

const NOTHING = new Uint8Array(0);

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
  let cursor = 0;
  let end = 0;
  let runs = 0;
  let placed = 0;
  for (let from = 0; from < ids.length; ) {
    if (mask?.[from] === 0) {
      ends[from++] = end;
      continue;
    }
    let to = from;
    while (to < ids.length && mask?.[to] !== 0) to++;
    runs++;
    const spelled = spell(ids.subarray(from, to), tokenizer);
    const run = withoutSpace(spelled.text);
    const at = run.text === '' ? -1 : written.text.indexOf(run.text, cursor);
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

/** Special tokens spell nothing: logs leave them out of texts. */
function spell(ids: Int32Array, { pieces, special }: Tokenizer): ReturnType<typeof textOfByteTokens> {
  return textOfByteTokens(Array.from(ids, (id) => (special.has(id) ? NOTHING : (pieces[id] ?? NOTHING))));
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
