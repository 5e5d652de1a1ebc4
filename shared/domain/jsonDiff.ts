/** Structural differences of two JSON texts, by path. */
import { commonRuns } from './editScript.ts';
import { canonicalJson, type JsonNode, readJson } from './jsonText.ts';

/**
 * Object keys and array indices, from the outside in. Indices are those of `a`, or of `b` if only `b` has the
 * value.
 */
type JsonPath = readonly (string | number)[];

/** Values as written in the texts. */
export type JsonChange =
  | { readonly kind: 'added'; readonly path: JsonPath; readonly b: string }
  | { readonly kind: 'removed'; readonly path: JsonPath; readonly a: string }
  | { readonly kind: 'changed'; readonly path: JsonPath; readonly a: string; readonly b: string };

/**
 * In the order of `a`, each followed by values that only `b` has there. Ignores key order, white space, escapes and
 * the spelling of numbers (1.0 for 1). Integers are compared digit by digit. Array items are aligned: one
 * inserted item is one change.
 *
 * @returns undefined if either text is not JSON (or nested deeper than 200)
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
  /** Between equal items, items are paired in order. */
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
