/** How two JSON texts differ by structure: what stands under which path in one and not in the other. */
import { commonRuns } from './editScript.ts';
import { canonicalJson, type JsonNode, readJson } from './jsonText.ts';

/** Keys of objects and indices of arrays, from the outside in; indices of `a`, of `b` where only `b` has the value. */
type JsonPath = readonly (string | number)[];

/** Values as they stand in the texts. */
export type JsonChange =
  | { readonly kind: 'added'; readonly path: JsonPath; readonly b: string }
  | { readonly kind: 'removed'; readonly path: JsonPath; readonly a: string }
  | { readonly kind: 'changed'; readonly path: JsonPath; readonly a: string; readonly b: string };

/**
 * In the order of `a`, what only `b` has after it. Order of keys, white space, escapes and the spelling of a
 * number (1.0 for 1) are no difference; integers are compared digit by digit, however large. Items of arrays
 * are aligned: one inserted in front is one change.
 *
 * @returns undefined when either text is no JSON (or nested deeper than 200)
 */
export function jsonDiff(a: string, b: string): readonly JsonChange[] | undefined {
  const [inA, inB] = [readJson(a), readJson(b)];
  if (inA === undefined || inB === undefined) return undefined;
  const changes: JsonChange[] = [];
  compare(inA, inB, [], changes);
  return changes;
}

function compare(a: JsonNode, b: JsonNode, path: JsonPath, changes: JsonChange[]): void {
  if (a.kind === 'object' && b.kind === 'object') {
    for (const [key, value] of a.entries) {
      const other = b.entries.get(key);
      if (other === undefined) changes.push({ kind: 'removed', path: [...path, key], a: value.source });
      else compare(value, other, [...path, key], changes);
    }
    for (const [key, value] of b.entries) {
      if (!a.entries.has(key)) changes.push({ kind: 'added', path: [...path, key], b: value.source });
    }
  } else if (a.kind === 'array' && b.kind === 'array') compareItems(a.items, b.items, path, changes);
  else if (canonicalJson(a) !== canonicalJson(b))
    changes.push({ kind: 'changed', path, a: a.source, b: b.source });
}

function compareItems(
  a: readonly JsonNode[],
  b: readonly JsonNode[],
  path: JsonPath,
  changes: JsonChange[],
): void {
  const known = new Map<string, number>();
  const ids = (items: readonly JsonNode[]): Int32Array =>
    Int32Array.from(items, (item) => {
      const text = canonicalJson(item);
      const id = known.get(text) ?? known.size;
      known.set(text, id);
      return id;
    });
  const runs = commonRuns(ids(a), ids(b), () => {});
  let [atA, atB] = [0, 0];
  /** Between equal items, the first is taken for a version of the first, and so on. */
  const between = (toA: number, toB: number): void => {
    for (; atA < toA || atB < toB; atA++, atB++) {
      const [inA, inB] = [atA < toA ? a[atA] : undefined, atB < toB ? b[atB] : undefined];
      if (inA !== undefined && inB !== undefined) compare(inA, inB, [...path, atA], changes);
      else if (inA !== undefined) changes.push({ kind: 'removed', path: [...path, atA], a: inA.source });
      else if (inB !== undefined) changes.push({ kind: 'added', path: [...path, atB], b: inB.source });
    }
  };
  for (let i = 0; i < runs.length; i += 3) {
    const [x = 0, y = 0, length = 0] = runs.subarray(i, i + 3);
    between(x, y);
    [atA, atB] = [x + length, y + length];
  }
  between(a.length, b.length);
}
