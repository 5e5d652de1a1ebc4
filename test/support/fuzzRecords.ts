/**
 * Records as programs really write them, and their mutations. The records come from all fixtures. A mutation
 * is data (numbers that select a place and a replacement), so that a failing one can be shrunk and printed.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import type { RecordUnit } from '../../electron/ingest/containers/container.ts';
import { identify } from '../../electron/ingest/identify.ts';
import { openRecords } from '../../electron/ingest/openRecords.ts';
import { isObject, type JsonObject } from '../../shared/format/fields.ts';
import { FORMATS } from '../../shared/format/index.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');

export interface CorpusFile {
  readonly format: string;
  /** `<format>/<case>` */
  readonly name: string;
  readonly path: string;
  /** Path with its facts for the reader. */
  readonly layoutPath: string;
  readonly header: JsonObject | undefined;
  readonly unit: RecordUnit;
  /** The JSON of each record, or the line. */
  readonly texts: readonly string[];
}

export async function readCorpus(): Promise<readonly CorpusFile[]> {
  const files: CorpusFile[] = [];
  for (const { name: format } of FORMATS) {
    const directory = join(FIXTURES, format);
    if (!existsSync(directory)) continue;
    for (const name of readdirSync(directory).sort()) {
      files.push(await readCase(join(directory, name), format, `${format}/${name}`));
    }
  }
  return files;
}

async function readCase(directory: string, format: string, name: string): Promise<CorpusFile> {
  const entry = readdirSync(directory, { recursive: true, withFileTypes: true }).find(
    (found) => found.isFile() && found.name !== 'expected.json' && found.name !== 'README.md',
  );
  if (entry === undefined) throw new Error(`${directory} has no input`);
  const path = join(entry.parentPath, entry.name);
  const found = await identify(path, entry.name);
  if (found.kind !== 'log') throw new Error(`${path} is no log`);
  const source = await openRecords(path, found.container, found.unit);
  const texts: string[] = [];
  for await (const records of source.records(0)) {
    for (const record of records)
      if ('bytes' in record) texts.push(Buffer.from(record.bytes).toString('utf8'));
  }
  await source.close();
  const { header } = source;
  const { unit } = found;
  return { format, name, path, layoutPath: relative(directory, path), header, unit, texts };
}

/** One change to one place of a record. Numbers are taken modulo the number of places. */
export interface Mutation {
  readonly what: (typeof CHANGES)[number];
  readonly place: number;
  readonly choice: number;
}

const CHANGES = [
  'replace',
  'replace',
  'replace',
  'drop',
  'swap',
  'rename',
  'resize',
  'markup',
  'deep',
] as const;

export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({ what: fc.constantFrom(...CHANGES), place: fc.nat(), choice: fc.nat() }),
  { minLength: 1, maxLength: 4 },
);

/** Replaced in the final text: values that no JSON writer would produce. */
const RAW: Readonly<Record<string, string>> = {
  '@@nested 200@@': `${'['.repeat(200)}${']'.repeat(200)}`,
  '@@nested 200 objects@@': `${'{"role":"user","content":'.repeat(200)}1${'}'.repeat(200)}`,
  '@@nested 50000@@': `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  '@@nested 50000 objects@@': `${'{"a":'.repeat(50_000)}null${'}'.repeat(50_000)}`,
  '@@long number@@': '123456789012345678901234567890',
  '@@beyond double@@': '1e400',
  '@@tiny@@': '-1e-320',
  '@@NaN@@': 'NaN',
  '@@infinity@@': '-Infinity',
};
const DEEP = Object.keys(RAW).filter((name) => name.includes('nested'));
const FAR_TOO_DEEP = DEEP.filter((name) => name.includes('50000'));

/** @returns the record with a scalar in place of each nest of 50,000 */
export function withoutNests(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes).toString('latin1');
  return Buffer.from(
    FAR_TOO_DEEP.reduce((rest, name) => rest.replaceAll(RAW[name] ?? name, '0'), text),
    'latin1',
  );
}

const REPLACEMENTS: readonly (() => unknown)[] = [
  ...[null, true, false, '', ' ', 'text', '0', 'null', 'NaN', '\ud800', 'a\udc00b', '\u0000', '\u2028'].map(
    (value) => () => value,
  ),
  ...[0, -0, -1, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e21, 1e308, -1e308, 5e-324].map(
    (value) => () => value,
  ),
  () => [],
  () => ({}),
  () => [[]],
  () => [null],
  () => [{}],
  () => [1, 'two', null, [], {}],
  () => Array.from({ length: 70 }, (_, i) => -i / 7),
  () => [{ role: 'assistant', content: null, tool_calls: [null, {}, { function: null }] }],
  () => [{ role: 'tool', content: [{ type: 'text' }, null, 3] }],
  () => ({ role: 7, content: { parts: [[]] } }),
  () => JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": null}, "": 0}') as unknown,
  () => ({ toString: 1, valueOf: null, toJSON: 2, length: 3 }),
  () => 'x'.repeat(10_000),
  () => ' '.repeat(3000),
  () => '<tool_call>'.repeat(300),
  ...Object.keys(RAW)
    .filter((name) => !DEEP.includes(name))
    .map((name) => () => name),
];
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a.b', 'length', '\ud800'];
const MARKUP = [
  ...['<tool_call>', '</tool_call>', '<think>', '</think>', '<reason>', '<answer>', '</answer>'],
  ...[
    '<|im_end|>\n<|im_start|>user\n',
    '\nuser\n',
    '\nassistant\n',
    '\\boxed{',
    '```python\n',
    '\ufeff',
    '🧮',
  ],
];

/** @returns the text of the changed record, which may be invalid JSON */
export function mutate(text: string, changes: readonly Mutation[]): string {
  const root: { value: unknown } = { value: JSON.parse(text) };
  for (const change of changes) apply(root, change);
  const written = JSON.stringify(root.value) ?? 'null';
  return written.replace(/"(@@[\w ]+@@)"/g, (quoted, name: string) => RAW[name] ?? quoted);
}

type Holder = Record<string | number, unknown>;
interface Place {
  readonly holder: Holder;
  readonly key: string | number;
}

function apply(root: { value: unknown }, { what, place, choice }: Mutation): void {
  const places = placesIn(root);
  const at = places[place % places.length];
  if (at === undefined) return;
  const value = at.holder[at.key];
  switch (what) {
    case 'replace':
      set(at, REPLACEMENTS[choice % REPLACEMENTS.length]?.());
      break;
    case 'drop':
      if (Array.isArray(at.holder)) at.holder.splice(Number(at.key), 1);
      else if (at.holder !== root) delete at.holder[at.key];
      break;
    case 'swap': {
      const other = places[choice % places.length];
      // A part and its whole cannot be swapped.
      if (other === undefined || isObject(value) || Array.isArray(value)) return;
      const theirs = other.holder[other.key];
      if (typeof theirs === 'object') return;
      set(at, theirs);
      set(other, value);
      break;
    }
    case 'rename':
      if (Array.isArray(at.holder) || at.holder === root) return;
      delete at.holder[at.key];
      set({ holder: at.holder, key: NAMES[choice % NAMES.length] ?? '' }, value);
      break;
    case 'resize':
      if (!Array.isArray(value)) return;
      if (choice % 3 === 0) value.length = 0;
      else if (choice % 3 === 1) value.pop();
      else value.push(...(structuredClone(value) as unknown[]), null);
      break;
    case 'markup':
      if (typeof value === 'string') set(at, inserted(value, choice));
      break;
    case 'deep':
      set(at, DEEP[choice % DEEP.length]);
      break;
  }
}

function inserted(text: string, choice: number): string {
  const position = choice % (text.length + 1);
  return text.slice(0, position) + (MARKUP[choice % MARKUP.length] ?? '') + text.slice(position);
}

/** Sets an own property, whatever the key is called. */
function set({ holder, key }: Place, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Every value of the record, the record itself first. */
function placesIn(root: { value: unknown }): readonly Place[] {
  const places: Place[] = [{ holder: root as unknown as Holder, key: 'value' }];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Holder;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) {
      places.push({ holder, key });
      walk(holder[key]);
    }
  };
  walk(root.value);
  return places;
}

/** Changes to bytes: truncated, flipped, not UTF-8. */
export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    what: fc.constantFrom('cut', 'flip', 'invalid', 'remove', 'repeat'),
    place: fc.nat(),
    choice: fc.nat(255),
  }),
  { minLength: 1, maxLength: 3 },
);
export interface Damage {
  readonly what: 'cut' | 'flip' | 'invalid' | 'remove' | 'repeat';
  readonly place: number;
  readonly choice: number;
}

const INVALID = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88], [0xe2, 0x28], [0x80]];

export function damage(bytes: Buffer, changes: readonly Damage[]): Buffer {
  let result = Buffer.from(bytes);
  for (const { what, place, choice } of changes) {
    if (result.byteLength === 0) return result;
    const at = place % result.byteLength;
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    if (what === 'cut') result = Buffer.from(before);
    else if (what === 'flip') result[at] = (result[at] ?? 0) ^ (1 << (choice % 8));
    else if (what === 'invalid') {
      result = Buffer.concat([before, Buffer.from(INVALID[choice % INVALID.length] ?? []), after]);
    } else if (what === 'remove') result = Buffer.concat([before, after.subarray(1 + (choice % 40))]);
    else result = Buffer.concat([before, after.subarray(0, 1 + choice), after]);
  }
  return result;
}
