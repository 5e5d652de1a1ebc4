/** Completion for the filter language at the caret. */

import { meaningOf } from '../words.ts';
import { FIELDS, type Field, fieldNamed, WORD_FIELDS, type WordField } from './fields.ts';
import { quoted } from './lexer.ts';

export interface Completion {
  /** The range of the text that an option replaces, UTF-16. */
  readonly start: number;
  readonly end: number;
  readonly options: readonly CompletionOption[];
  /** The field and prefix for which the library can list values. */
  readonly asks?: { readonly field: WordField; readonly prefix: string };
}

export interface CompletionOption {
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
}

const BREAKS = /[\s()]/;
const CONNECTIVES: readonly CompletionOption[] = [
  { insert: 'and ', label: 'and', detail: 'both conditions; may be omitted' },
  { insert: 'or ', label: 'or', detail: 'either condition' },
  { insert: 'not ', label: 'not', detail: 'negation; also matches unknown values' },
];

/** @param caret UTF-16 offset in the text */
export function completionAt(text: string, caret: number): Completion | undefined {
  const opened = openQuote(text, caret);
  if (opened !== undefined) return quotedValue(text, caret, opened);
  let start = caret;
  while (start > 0 && !BREAKS.test(text[start - 1] ?? ' ')) start--;
  let end = caret;
  while (end < text.length && !BREAKS.test(text[end] ?? ' ')) end++;
  while (text[start] === '-' && start < caret) start++;
  const before = text.slice(start, caret);
  const colon = before.indexOf(':');
  if (colon < 0) {
    // A field name that already has a value gets no second colon.
    const rest = text.slice(caret, end);
    const hasValue = rest.includes(':');
    return { start, end: hasValue ? caret + rest.indexOf(':') + 1 : end, options: names(before) };
  }
  const field = fieldNamed(before.slice(0, colon).toLowerCase());
  if (field === undefined) return undefined;
  return values(field, before.slice(colon + 1), start + colon + 1, end);
}

/** Whether the word at the caret may become a field name, and so is not yet a search word. */
export function namesField(text: string, caret: number): boolean {
  const word = nameAt(text, caret)?.toLowerCase();
  return (
    word !== undefined &&
    FIELDS.some(({ name, aliases }) => [name, ...aliases].some((one) => one.startsWith(word)))
  );
}

/** The word that ends at the caret. Undefined inside quotes, and if none exists or it continues. */
export function nameAt(text: string, caret: number): string | undefined {
  if (openQuote(text, caret) !== undefined || !/^(?:$|[\s()])/.test(text.slice(caret))) return undefined;
  const word = /[^\s()"]*$/.exec(text.slice(0, caret))?.[0].replace(/^-+/, '') ?? '';
  return word === '' ? undefined : word;
}

function names(prefix: string): readonly CompletionOption[] {
  const wanted = prefix.toLowerCase();
  const options = FIELDS.map(fieldOption);
  // A single letter usually starts a field. "no" more often becomes "not" than "note:".
  const ordered = wanted.length > 1 ? [...CONNECTIVES, ...options] : [...options, ...CONNECTIVES];
  const all = wanted === '' ? options : ordered;
  const begins = all.filter(({ label }) => label.startsWith(wanted));
  const byAlias = FIELDS.filter(
    ({ name, aliases }) => !name.startsWith(wanted) && aliases.some((alias) => alias.startsWith(wanted)),
  ).map(fieldOption);
  const offered = new Set([...begins, ...byAlias].map(({ label }) => label));
  const holds = all.filter(({ label }) => !offered.has(label) && label.includes(wanted));
  return [...begins, ...byAlias, ...holds];
}

function fieldOption({ name, describe, example }: Field): CompletionOption {
  return { insert: `${name}:`, label: `${name}:`, detail: `${describe}, as in ${example}` };
}

function values(field: Field, typed: string, from: number, end: number): Completion {
  const comma = typed.lastIndexOf(',') + 1;
  const prefix = typed.slice(comma).replace(/^"/, '');
  const start = from + comma;
  const known = knownValues(field, prefix);
  const marks = MARKS[field.kind].filter(({ label }) => label.startsWith(prefix));
  const word = WORD_FIELDS.find((name) => name === field.name);
  return {
    start,
    end,
    options: [...known, ...marks],
    ...(word === undefined ? {} : { asks: { field: word, prefix } }),
  };
}

const KNOWN: readonly CompletionOption[] = [
  { insert: '*', label: '*', detail: 'any known value' },
  { insert: 'none', label: 'none', detail: 'unknown' },
];
const MARKS: Readonly<Record<Field['kind'], readonly CompletionOption[]>> = {
  number: [
    { insert: '>', label: '>', detail: 'more than' },
    { insert: '>=', label: '>=', detail: 'at least' },
    { insert: '<', label: '<', detail: 'less than' },
    { insert: '<=', label: '<=', detail: 'at most' },
    ...KNOWN,
  ],
  flag: KNOWN.slice(1),
  word: KNOWN,
  text: [],
};

/** A value, quoted if necessary to be parsed as itself. */
export function valueText(value: string): string {
  return /^[^\s()",*/-][^\s()",*]*$/.test(value) && !/^(?:none|any)$/i.test(value) ? value : quoted(value);
}

/** The values that the field can have, whose id or name contains the prefix. */
function knownValues(field: Field, prefix: string): readonly CompletionOption[] {
  const wanted = prefix.toLowerCase();
  return (field.values ?? [])
    .map((value) => ({ insert: value, label: value, detail: meaningOf(field.name, value) ?? '' }))
    .filter(({ label, detail }) => label.includes(wanted) || detail.toLowerCase().includes(wanted));
}

/** Start of the quote around the caret. */
function openQuote(text: string, caret: number): number | undefined {
  let open: number | undefined;
  for (let i = 0; i < caret; i++) {
    if (text[i] === '\\' && open !== undefined) i++;
    else if (text[i] === '"') open = open === undefined ? i : undefined;
  }
  return open;
}

/** A name, a colon, and the values before this one. */
const BEFORE_QUOTE = /(?:^|[\s(-])([a-z_]+):(?:(?:"(?:[^"\\]|\\.)*"|[^\s()",]*),)*$/i;

/** Completes a quoted value: `label:"wrong to`. Search words have no values. */
function quotedValue(text: string, caret: number, open: number): Completion | undefined {
  const field = fieldNamed(BEFORE_QUOTE.exec(text.slice(0, open))?.[1]?.toLowerCase() ?? '');
  const word = WORD_FIELDS.find((name) => name === field?.name);
  if (field === undefined || word === undefined) return undefined;
  const prefix = text.slice(open + 1, caret).replaceAll(/\\(.)/g, '$1');
  const closing = /^(?:[^"\\]|\\.)*"/.exec(text.slice(caret))?.[0].length ?? 0;
  const options = knownValues(field, prefix);
  return { start: open, end: caret + closing, options, asks: { field: word, prefix } };
}
