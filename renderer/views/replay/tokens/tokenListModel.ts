/** The list of high tokens: filters, order, context, and export as CSV. */
import { delimitedCell } from '../../../../shared/domain/delimited.ts';
import { TOKEN_CLASSES, type TokenClass } from '../../../../shared/domain/reflection.ts';
import { tokenAt, tokenRange } from '../text/heatModel.ts';
import { classOf, type Heat } from '../text/tokenHeat.ts';

/** Tokens `from` … `to`, both included. */
export interface TokenSpan {
  readonly from: number;
  readonly to: number;
}

export interface ListFilter {
  readonly text: string;
  readonly tokenClass: TokenClass | 'all';
  readonly span: TokenSpan | undefined;
  readonly order: 'place' | 'value';
}

/** Empty for an id without text. A token of no characters also gives '', so check `ends` if that matters. */
export function tokenText(heat: Pick<Heat, 'ends' | 'response'>, token: number): string {
  if (heat.ends === undefined) return '';
  const { start, end } = tokenRange(heat.ends, token);
  return heat.response.slice(start, end);
}

/** High tokens that pass the filter. The search ignores case unless it has a capital letter, as the find bar does. */
export function listedTokens(heat: Heat, filter: ListFilter): Uint32Array {
  const { text, tokenClass, span, order } = filter;
  const isCased = text !== text.toLowerCase();
  const wanted = tokenClass === 'all' ? undefined : TOKEN_CLASSES.indexOf(tokenClass);
  const found = heat.high.filter((token) => {
    if (wanted !== undefined && heat.classes[token] !== wanted) return false;
    if (span !== undefined && (token < span.from || token > span.to)) return false;
    if (text === '') return true;
    const own = heat.ends === undefined ? String(heat.ids?.[token] ?? '') : tokenText(heat, token);
    return (isCased ? own : own.toLowerCase()).includes(text);
  });
  if (order === 'place') return found;
  return found.sort((a, b) => (heat.heights[b] ?? 0) - (heat.heights[a] ?? 0) || a - b);
}

export interface TokenContext {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

/** The token in its line of text. White space is made visible if the token has nothing else. */
export function contextOf(heat: Heat, token: number, characters = 28): TokenContext {
  if (heat.ends === undefined) return { before: '', text: '', after: '' };
  const { start, end } = tokenRange(heat.ends, token);
  const plain = (text: string) => text.replace(/\s+/g, ' ');
  const raw = heat.response.slice(start, end);
  return {
    before: plain(heat.response.slice(Math.max(0, start - characters), start)).trimStart(),
    text: raw.trim() === '' ? visibleSpace(raw) : plain(raw),
    after: plain(heat.response.slice(end, end + characters)),
  };
}

export function visibleSpace(text: string): string {
  return text.replaceAll('\r', '␍').replaceAll('\n', '⏎').replaceAll('\t', '⇥').replaceAll(' ', '·');
}

/** Tokens in a stretch of the response, given as 0…1 of its length. Undefined if none exist. */
export function spanOf(ends: Uint32Array, length: number, from: number, to: number): TokenSpan | undefined {
  const [low, high] = from < to ? [from, to] : [to, from];
  const first = tokenAt(ends, Math.floor(low * length));
  const last = Math.min(ends.length - 1, tokenAt(ends, Math.max(0, Math.ceil(high * length) - 1)));
  return first > last ? undefined : { from: first, to: last };
}

/** Parses `12-480` from the URL. Counts from 0, as the CSV does. */
export function parseSpan(text: string | null, count: number): TokenSpan | undefined {
  const match = /^(\d+)-(\d+)$/.exec(text ?? '');
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = Math.min(Number(match[2]), count - 1);
  return from <= to ? { from, to } : undefined;
}

export const spanText = (span: TokenSpan): string => `${span.from}-${span.to}`;

const HEADER = 'i,start,end,text,value,class';

/** One line per token. Unknown values are empty. `class` is empty for a token that is not high. */
export function tokensCsv(heat: Heat, tokens: Iterable<number>): string {
  if (heat.ends === undefined) return idsCsv(heat, tokens);
  const lines = [HEADER];
  for (const token of tokens) {
    const range = heat.ends === undefined ? undefined : tokenRange(heat.ends, token);
    const value = heat.values[token] ?? Number.NaN;
    const name = classOf(heat, token);
    lines.push(
      [
        token,
        range?.start ?? '',
        range?.end ?? '',
        delimitedCell(tokenText(heat, token)),
        // Values are 32 bits wide, so they have only seven significant digits.
        Number.isFinite(value) ? Number(value.toPrecision(7)) : '',
        name === 'none' ? '' : name,
      ].join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

function idsCsv(heat: Heat, tokens: Iterable<number>): string {
  const lines = ['i,id,value'];
  for (const token of tokens) {
    const value = heat.values[token] ?? Number.NaN;
    lines.push(
      [token, heat.ids?.[token] ?? '', Number.isFinite(value) ? Number(value.toPrecision(7)) : ''].join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

export function* tokensOf(span: TokenSpan): Iterable<number> {
  for (let token = span.from; token <= span.to; token += 1) yield token;
}
