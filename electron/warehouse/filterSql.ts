/** Translates a filter to a condition over a warehouse's rollouts, for the fields that the data set has. */
import { ApiError } from '../../shared/api/errors.ts';
import {
  type FieldName,
  isAnnotationField,
  TEXT_FIELDS,
  type TextField,
} from '../../shared/domain/filter/fields.ts';
import type { Bound, FilterNode, TextNode, WordNode } from '../../shared/domain/filter/node.ts';
import { folded, isUnspacedWord, UNSPACED_SCRIPTS, wordsOf } from '../../shared/domain/filter/words.ts';
import { EXPORTED_FIELDS } from '../../shared/domain/rolloutFieldRecord.ts';
import { numberOfWord, parseScoreCondition } from '../../shared/domain/scores.ts';
import type { RolloutPlace } from '../storage/queries/exported.ts';
import type { QueryParams } from './connection.ts';
import { quoted } from './tables.ts';

export interface Condition {
  /** True or false, never NULL, so that `NOT` selects the complement. */
  readonly sql: string;
  readonly params: QueryParams;
}

/** Latency of the slowest call of a rollout, in ms. */
export const SLOWEST_CALL = 'if(empty(latencies), NULL, arrayMax(latencies))';

/** Expressions of fields that have another name in the data set, and of lists, of which one value has to match. */
const EXPRESSIONS: Readonly<Partial<Record<FieldName, string>>> = {
  step: 'step',
  ordinal: quoted('index'),
  problem_id: 'problem',
  group_key: quoted('group'),
  latency_ms: SLOWEST_CALL,
};
const LISTS: Readonly<Partial<Record<FieldName, string>>> = {
  tool: 'calls.name',
  outcome: 'outcomes',
  flag: `arrayFilter(each -> each != '', splitByChar(' ', assumeNotNull(flags)))`,
};

/**
 * Texts that are searched as a whole. A library searches each segment by itself, and the code of a call without its JSON
 * escapes. Here a phrase may also cross the border of two segments, and `print` is found in `\nprint`.
 */
const TEXTS: Readonly<Partial<Record<TextField, readonly string[]>>> = {
  text: ['prompt', 'response'],
  prompt: ['prompt'],
};

/** The rollouts of the run that a part of a filter by labels, notes or calls run again selects in the reader's library. */
export type OwnRollouts = (node: FilterNode) => readonly RolloutPlace[];

/**
 * @param own absent: there is no library. A condition by labels needs the parameter `run`
 * @throws ApiError `bad_request` for a field that only a library has: kinds of text
 */
export function filterCondition(node: FilterNode, own?: OwnRollouts): Condition {
  const params: Record<string, string | number> = {};
  const given = (value: string | number, type: string): string => {
    const name = `f${Object.keys(params).length}`;
    params[name] = typeof value === 'number' ? numeral(value) : value;
    return `{${name}:${type}}`;
  };
  return { sql: condition(node, given, own), params };
}

/** Hands a value over as a parameter. @returns its expression */
type Given = (value: string | number, type: string) => string;

const numeral = (value: number): string | number =>
  Number.isFinite(value) ? value : value > 0 ? 'inf' : '-inf';

function condition(node: FilterNode, given: Given, own: OwnRollouts | undefined): string {
  if ((node.kind === 'word' || node.kind === 'known') && isAnnotationField(node.field)) {
    if (own === undefined) throw onlyInLibrary(node.field);
    return placedIn(own(node));
  }
  switch (node.kind) {
    case 'all':
      return '1';
    case 'and':
      return `(${node.nodes.map((each) => condition(each, given, own)).join(' AND ')})`;
    case 'or':
      return `(${node.nodes.map((each) => condition(each, given, own)).join(' OR ')})`;
    case 'not':
      return `NOT (${condition(node.node, given, own)})`;
    case 'number':
      return bounded(expressionOf(node.field), node, given);
    case 'flag':
      return `ifNull(${expressionOf(node.field)} = ${node.value}, 0)`;
    case 'word': {
      if (node.field === 'scores') return scored(node, given);
      const list = LISTS[node.field];
      return list === undefined
        ? `ifNull(${matches(expressionOf(node.field), node, given)}, 0)`
        : `arrayExists(each -> ifNull(${matches('each', node, given)}, 0), ${list})`;
    }
    case 'known': {
      // A rollout that has a text and no flag is known to have none.
      if (node.field === 'flag') return 'flags IS NOT NULL';
      const list = LISTS[node.field];
      return list === undefined
        ? `(${expressionOf(node.field)}) IS NOT NULL`
        : `arrayExists(each -> each IS NOT NULL, ${list})`;
    }
    case 'text':
      return textCondition(node, given);
  }
}

/**
 * Rollouts of a group in several logs are numbered as a copy numbers them. The places are a part of the statement,
 * because parameters are a part of the address of a request; as digits, they cannot end their literal.
 */
function placedIn(places: readonly RolloutPlace[]): string {
  if (places.length === 0) return '0';
  const json = JSON.stringify(places.map(({ step, group, index }) => [step, group, index]));
  const each = `SELECT arrayJoin(JSONExtract(unhex('${Buffer.from(json).toString('hex')}'), 'Array(Tuple(Int32, String, Int32))')) AS place`;
  return `(ifNull(step, 0), load, rollout) IN (
    SELECT at, of_load, number FROM (${numberedAsCopied(`SELECT place.1, place.2 FROM (${each})`)})
    WHERE (at, of_group, position) IN (SELECT place.1, place.2, place.3 FROM (${each})))`;
}

/**
 * Selects the rollouts of groups and their positions. If a group comes from several loads, a copy numbers its rollouts
 * anew. The statement needs the parameter `run`.
 *
 * @param groups a query of steps and groups; without steps, the step is 0
 */
export function numberedAsCopied(groups: string): string {
  const group = 'OVER (PARTITION BY r.step, r.`group`';
  return `SELECT ifNull(r.step, 0) AS at, r.load AS of_load, r.rollout AS number, r.\`group\` AS of_group,
      uniqExact(r.load) ${group}) AS loads,
      if(loads > 1, row_number() ${group} ORDER BY l.source, r.rollout) - 1, r.\`index\`) AS position
    FROM rollout AS r INNER JOIN load AS l ON l.load = r.load
    WHERE r.run = {run:String} AND (ifNull(r.step, 0), r.\`group\`) IN (${groups})`;
}

function expressionOf(field: FieldName): string {
  const expression = EXPRESSIONS[field];
  if (expression !== undefined) return expression;
  if (!EXPORTED_FIELDS.some((name) => name === field)) throw onlyInLibrary(field);
  return quoted(field);
}

function onlyInLibrary(field: FieldName): Error {
  const message = TEXT_FIELDS.some((name) => name === field)
    ? `a warehouse looks for words in the whole text; write text: instead of ${field}:, or filter the steps that are in a library`
    : `a warehouse is not filtered by ${field}; filter the steps that are in a library`;
  return new ApiError({ code: 'bad_request', message });
}

function textCondition({ field, form, text, flags = '' }: TextNode, given: Given): string {
  const columns = TEXTS[field];
  if (columns === undefined) throw onlyInLibrary(field);
  // Without `s`, the engine's point would match a line feed.
  const pattern =
    form === 'regex'
      ? `(?${flags}${flags.includes('s') ? '' : '-s'})${text}`
      : wordsPattern(text, form === 'prefix');
  const longer = form === 'regex' ? [] : longerSpellings(wordsOf(text), form === 'prefix');
  const plain = form === 'regex' ? undefined : plainWord(text, longer);
  const has = plain === undefined ? undefined : given(plain, 'String');
  const matching = given(pattern, 'String');
  const spelled = (column: string): string =>
    longer.reduce((inner, [letter, letters]) => `replaceAll(${inner}, '${letter}', '${letters}')`, column);
  const orDotless = (column: string): string =>
    plain?.includes('i') === true ? ` OR position(${column}, '${DOTLESS_I}') > 0` : '';
  const holds = columns.map((column) =>
    [
      `${column} != ''`,
      ...(has === undefined ? [] : [`(positionCaseInsensitive(${column}, ${has}) > 0${orDotless(column)})`]),
      `match(${spelled(column)}, ${matching})`,
    ].join(' AND '),
  );
  return `(${holds.join(' OR ')})`;
}

/** For a library it is an i, and for the engine's comparison without case it is not. */
const DOTLESS_I = 'ı';

type Spelling = readonly [letter: string, letters: string];

/** Letters that words are compared by several of, such as ß by ss. The engine compares letter by letter. */
let spellings: readonly Spelling[] | undefined;

function allSpellings(): readonly Spelling[] {
  spellings ??= Array.from({ length: 0xffff - 0x80 }, (_, i) => String.fromCharCode(0x80 + i)).flatMap(
    (letter) => {
      const letters = folded(letter);
      return [...letters].length > 1 ? [[letter, letters] as const] : [];
    },
  );
  return spellings;
}

/** @returns those that a text may write a part of these words with */
function longerSpellings(words: readonly string[], isPrefix: boolean): readonly Spelling[] {
  const last = words.at(-1) ?? '';
  return allSpellings().filter(
    ([, letters]) =>
      words.some((word) => word.includes(letters)) ||
      (isPrefix &&
        Array.from(letters, (_, i) => letters.slice(0, i)).some(
          (part) => part !== '' && last.endsWith(part),
        )),
  );
}

/**
 * The longest word that occurs as it is in every text that matches. The engine looks for it faster. Words with another
 * spelling, and with k and s, which the sign of kelvin and the long s are equal to, would be missed.
 */
function plainWord(text: string, longer: readonly Spelling[]): string | undefined {
  const plain = wordsOf(text).filter(
    (word) => /^[a-jl-rt-z0-9]+$/.test(word) && !longer.some(([, letters]) => word.includes(letters)),
  );
  return plain.sort((a, b) => b.length - a.length)[0];
}

const IN_WORDS = String.raw`\p{L}\p{N}\p{M}`;
const UNSPACED = UNSPACED_SCRIPTS.map((script) => String.raw`\p{${script}}`).join('');
/** In code that is logged as JSON, an escaped line feed or tab separates words. */
const ESCAPE = String.raw`\\[nrt]`;

/** Words in sequence, as `findWords` of a library finds them, as an expression of the engine (RE2). */
function wordsPattern(text: string, isPrefix: boolean): string {
  const words = wordsOf(text).map((word) => word.replaceAll('i', `[i${DOTLESS_I}]`));
  const isUnspaced = words.map(isUnspacedWord);
  const between = (i: number): string =>
    `(?:[^${IN_WORDS}]|${ESCAPE})${isUnspaced[i] === true || isUnspaced[i + 1] === true ? '*' : '+'}`;
  const before = isUnspaced[0] === true ? '' : `(?:^|[^${IN_WORDS}]|[${UNSPACED}]|${ESCAPE})`;
  const after = isPrefix || isUnspaced.at(-1) === true ? '' : `(?:$|[^${IN_WORDS}]|[${UNSPACED}])`;
  return `(?i)${before}${words.map((word, i) => (i === 0 ? word : between(i - 1) + word)).join('')}${after}`;
}

function bounded(column: string, { from, to }: { from?: Bound; to?: Bound }, given: Given): string {
  const bounds = [
    ...(from === undefined
      ? []
      : [`${column} ${from.isExclusive ? '>' : '>='} ${given(from.value, 'Float64')}`]),
    ...(to === undefined ? [] : [`${column} ${to.isExclusive ? '<' : '<='} ${given(to.value, 'Float64')}`]),
  ];
  return `ifNull(${bounds.length === 0 ? '1' : bounds.join(' AND ')}, 0)`;
}

/** The engine refuses a whole text for half a surrogate pair. As a parameter, a name has U+FFFD in its place. */
const SCORES = String.raw`if(isValidJSON(assumeNotNull(scores)), assumeNotNull(scores),
    replaceRegexpAll(assumeNotNull(scores), '\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\\\ufffd'))`;

/** Compares scores as `scoreTest` does in a library: names exactly, words without case, numbers by their value. */
function scored({ text, isPattern }: WordNode, given: Given): string {
  const wanted = parseScoreCondition(text);
  if (wanted === undefined) return '0';
  const name = given(wanted.name, 'String');
  const of = (read: string): string => `${read}(${SCORES}, ${name})`;
  const isOf = (...types: readonly string[]): string =>
    `${of('JSONType')} IN (${types.map((type) => `'${type}'`).join(', ')})`;
  const isNumber = isOf('Int64', 'UInt64', 'Double');
  const compared = (sign: string, value: number): string =>
    Number.isNaN(value) ? '0' : `${of('JSONExtractFloat')} ${sign} ${given(value, 'Float64')}`;
  const holds = (): string => {
    if (wanted.sign === undefined) return `${isNumber} OR ${isOf('String', 'Bool')}`;
    if (wanted.sign !== '=') return `${isNumber} AND ${compared(wanted.sign, wanted.value)}`;
    const isWord = (value: string): string => matches(value, { text: wanted.value, isPattern }, given);
    return `multiIf(${isNumber}, ${compared('=', numberOfWord(wanted.value))}, ${isOf('String')}, ${isWord(of('JSONExtractString'))},
      ${isOf('Bool')}, ${isWord(of('JSONExtractRaw'))}, 0)`;
  };
  return `(scores IS NOT NULL AND (${holds()}))`;
}

function matches(
  value: string,
  { text, isPattern }: Pick<WordNode, 'text' | 'isPattern'>,
  given: Given,
): string {
  if (!isPattern) return `lowerUTF8(${value}) = lowerUTF8(${given(text, 'String')})`;
  const pattern = text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
  return `lowerUTF8(${value}) LIKE lowerUTF8(${given(pattern, 'String')})`;
}
