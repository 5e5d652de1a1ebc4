/** The subset of JSON Schema 2020-12 that our schemas use. */
type Schema = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
const KNOWN = new Set([
  ...[
    '$schema',
    '$defs',
    '$ref',
    'title',
    'description',
    'contentMediaType',
    'type',
    'const',
    'enum',
    'required',
  ],
  ...['properties', 'items', 'oneOf', 'anyOf', 'pattern', 'minimum', 'maxLength', 'maxItems'],
]);

/** @returns paths with their faults; throws at an unknown keyword */
export function faultsOf(root: Schema, value: unknown, schema: Schema = root, at = '$'): readonly string[] {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0)
    throw new Error(`the schema says ${unknown.join(', ')}, which is not looked at here`);
  const faults: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) faults.push(`${at}: ${what}`);
  };
  const into = (part: unknown, each: unknown, below: string): readonly string[] =>
    faultsOf(root, each, part as Schema, below);
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].replace('#/$defs/', '');
    faults.push(...into((root['$defs'] as Schema)[name], value, at));
  }
  const types = [schema['type'] ?? []].flat() as string[];
  must(
    types.length === 0 || types.some((type) => TYPES[type]?.(value) === true),
    `is no ${types.join(' or ')}`,
  );
  if ('const' in schema) must(value === schema['const'], `is not ${String(schema['const'])}`);
  if (Array.isArray(schema['enum']))
    must(schema['enum'].includes(value), `is none of ${schema['enum'].join(', ')}`);
  for (const way of ['oneOf', 'anyOf'] as const) {
    const ways = schema[way];
    if (!Array.isArray(ways)) continue;
    const all = ways.map((each) => into(each, value, at));
    const fit = all.filter((each) => each.length === 0).length;
    must(way === 'oneOf' ? fit === 1 : fit > 0, `fits ${fit} of ${way}: ${all.flat().join('; ')}`);
  }
  if (typeof value === 'string') {
    if (typeof schema['pattern'] === 'string')
      must(new RegExp(schema['pattern'], 'u').test(value), 'does not match');
    if (typeof schema['maxLength'] === 'number') must(value.length <= schema['maxLength'], 'is too long');
  }
  if (typeof value === 'number' && typeof schema['minimum'] === 'number')
    must(value >= schema['minimum'], `is below ${schema['minimum']}`);
  if (Array.isArray(value)) {
    if (typeof schema['maxItems'] === 'number')
      must(value.length <= schema['maxItems'], 'has too many items');
    if (schema['items'] !== undefined)
      for (const [i, each] of value.entries()) faults.push(...into(schema['items'], each, `${at}[${i}]`));
  }
  if (TYPES['object']?.(value) === true) {
    const fields = value as Schema;
    for (const name of (schema['required'] ?? []) as string[]) must(name in fields, `has no ${name}`);
    for (const [name, part] of Object.entries((schema['properties'] ?? {}) as Schema))
      if (name in fields) faults.push(...into(part, fields[name], `${at}.${name}`));
  }
  return faults;
}
