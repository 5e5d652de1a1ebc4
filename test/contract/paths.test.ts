/** Paths in parameters: one rule for all methods. */
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { CONTRACT, METHODS, type Method } from '../../shared/api/contract.ts';

const NAMES = ['path', 'paths', 'directory', 'prefix'];
/** Prefixes of values. */
const NO_PATHS: readonly string[] = ['filter.values prefix'];

/** Names of the parameters that are paths. */
function pathsOf(method: Method): readonly string[] {
  const params: z.ZodType = CONTRACT[method].params;
  const schema = params.toJSONSchema({ unrepresentable: 'any' });
  const names = (schema.anyOf ?? [schema]).flatMap((each) =>
    typeof each === 'boolean' ? [] : Object.keys(each.properties ?? {}),
  );
  return NAMES.filter((name) => names.includes(name) && !NO_PATHS.includes(`${method} ${name}`));
}

const PATHS = METHODS.flatMap((method) => pathsOf(method).map((name) => [method, name] as const));

it.each(PATHS)('%s refuses a NUL character in %s', (method, name) => {
  const path = '/logs/a\0.jsonl';
  const { error } = CONTRACT[method].params.safeParse({ [name]: name === 'paths' ? [path] : path });
  expect(error?.issues.map(({ message }) => message)).toContain('a path cannot contain a NUL character');
});

it('knows the paths of the contract', () => {
  expect(PATHS.length).toBeGreaterThan(10);
});
