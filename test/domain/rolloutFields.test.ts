/** The record of rollout fields against hand-written facts, and its documentation. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FIELDS } from '../../shared/domain/filter/fields.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { filterText } from '../../shared/domain/filter/print.ts';
import { camelCase, type RolloutField } from '../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../shared/domain/rolloutFields.ts';

const DOCUMENT = join(import.meta.dirname, '../../shared/domain/ROLLOUT_FIELDS.md');
const ALL: readonly (readonly [string, RolloutField])[] = Object.entries(ROLLOUT_FIELDS);

/** Rewrites the page when vitest runs with `-u`. */
it('is documented field by field', async () => {
  const rows = ALL.map(([name, field]) => {
    const uses = [
      field.sql === undefined ? [] : ['view'],
      field.isListed === true ? ['list'] : [],
      field.sorts === true ? ['sort'] : [],
      field.exports === true ? ['data set'] : [],
    ].flat();
    const unit = field.unit === undefined ? '' : `, in ${field.unit}`;
    const example = field.example === undefined ? '' : `\`${field.example}\``;
    return `| \`${name}\` | ${field.kind} | ${field.describe}${unit} | ${uses.join(', ')} | ${example} |`;
  });
  const text = `# Fields of a rollout

Written from \`rolloutFields.ts\` by test/domain/rolloutFields.test.ts: run it with \`-u\` last after a change there.

- *view*: a column of the public view \`rollout\`.
- *list*: a column of rollout lists and of \`turnwise rollouts\`.
- *sort*: lists and \`--sort\` take it.
- *data set*: a Parquet column of the exported data set.
- The last column is a condition of the filter language; a field without one cannot be filtered.

| name | kind | what it is | where | filter |
|---|---|---|---|---|
${rows.join('\n')}
`;
  await expect(text).toMatchFileSnapshot(DOCUMENT);
});

it('names every field in snake_case, which is one to one with its name in TypeScript', () => {
  const names = ALL.map(([name]) => name);
  for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(new Set(names.map(camelCase)).size).toBe(names.length);
});

it('sorts and lists only fields of a view or column', () => {
  for (const [name, field] of ALL) {
    if (field.isListed === true || field.exports === true) expect([name, field.sql]).not.toContain(undefined);
    if (field.sorts === true) expect([name, field.column ?? field.sql]).not.toContain(undefined);
    if (field.column === 'code') expect([name, field.oneOf]).not.toContain(undefined);
  }
});

it.each(
  FIELDS.flatMap(({ name, aliases, example }) => aliases.map((alias) => [alias, name, example] as const)),
)('reads %s: as %s:, and writes the full name', (alias, name, example) => {
  const short = readFilter(example.replace(`${name}:`, `${alias}:`));
  expect(short).toEqual(readFilter(example));
  expect(short.ok && filterText(short.node)).toMatch(new RegExp(`^${name}:`));
});
