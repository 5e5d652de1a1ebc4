/**
 * Stores lists of objects as columns. Copying these to another thread takes an eighth of the time, because
 * otherwise V8 copies the keys of every object.
 */

export type PackedList =
  | { readonly kind: 'values'; readonly values: readonly unknown[] }
  /** Objects with the same keys, in the same order. */
  | {
      readonly kind: 'objects';
      readonly count: number;
      readonly columns: readonly (readonly [key: string, column: PackedList])[];
    }
  /** Lists, one after another. */
  | { readonly kind: 'lists'; readonly lengths: readonly number[]; readonly items: PackedList }
  /** Parts of the list, each with its own keys. */
  | { readonly kind: 'parts'; readonly parts: readonly PackedList[] };

type PlainObject = Readonly<Record<string, unknown>>;

/** Below this average length, separate columns for each part are not worth their overhead. */
const SHORTEST_PART = 8;

/** @param list values that can be cloned */
export function packList(list: readonly unknown[]): PackedList {
  if (list.length > 0 && list.every(Array.isArray)) {
    const lists = list as readonly (readonly unknown[])[];
    return { kind: 'lists', lengths: lists.map(({ length }) => length), items: packList(lists.flat()) };
  }
  const parts: PackedList[] = [];
  for (let from = 0; from < list.length; ) {
    const to = endOfAlike(list, from);
    if (to === from || (parts.length + 1) * SHORTEST_PART > list.length) {
      if (parts.length > 0 || to < list.length) return { kind: 'values', values: list };
    }
    parts.push(packObjects(list.slice(from, to) as PlainObject[]));
    from = to;
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'parts', parts };
}

/** @returns a list equal to the one that was packed */
export function unpackList(packed: PackedList): unknown[] {
  return Array.from({ length: lengthOf(packed) }, readerOf(packed));
}

/**
 * Yields the values of the list. Creates each object on demand, so that a long list needs no memory
 * for all of them.
 */
export function* unpackEach(packed: PackedList): Generator<unknown> {
  const next = readerOf(packed);
  for (let left = lengthOf(packed); left > 0; left--) yield next();
}

function lengthOf(packed: PackedList): number {
  switch (packed.kind) {
    case 'values':
      return packed.values.length;
    case 'objects':
      return packed.count;
    case 'lists':
      return packed.lengths.length;
    case 'parts':
      return packed.parts.reduce((sum, part) => sum + lengthOf(part), 0);
  }
}

/** @returns a function that returns the next value of the list at each call */
function readerOf(packed: PackedList): () => unknown {
  let at = 0;
  switch (packed.kind) {
    case 'values':
      return () => packed.values[at++];
    case 'objects': {
      const columns = packed.columns.map(([key, column]) => [key, readerOf(column)] as const);
      // Assigning to the keys of a copy is faster than adding keys.
      const first: Record<string, unknown> = {};
      for (const [key] of columns) first[key] = undefined;
      return () => {
        const object = { ...first };
        for (const [key, next] of columns) object[key] = next();
        return object;
      };
    }
    case 'lists': {
      const next = readerOf(packed.items);
      return () => Array.from({ length: packed.lengths[at++] ?? 0 }, next);
    }
    case 'parts': {
      const values = valuesOf(packed.parts);
      return () => values.next().value;
    }
  }
}

function* valuesOf(parts: readonly PackedList[]): Generator<unknown> {
  for (const part of parts) yield* unpackEach(part);
}

function packObjects(objects: readonly PlainObject[]): PackedList {
  const columns = Object.keys(objects[0] ?? {}).map((key) => [key, [] as unknown[]] as const);
  for (const object of objects) {
    const values = Object.values(object);
    for (let at = 0; at < values.length; at++) columns[at]?.[1].push(values[at]);
  }
  return {
    kind: 'objects',
    count: objects.length,
    columns: columns.map(([key, column]) => [key, packList(column)] as const),
  };
}

/** End of the sequence of objects with equal keys that begins at `from`. Equals `from` if none begins there. */
function endOfAlike(list: readonly unknown[], from: number): number {
  const first = list[from];
  if (!isPlain(first)) return from;
  const keys = Object.keys(first);
  // Assigning this key would set the prototype.
  if (keys.includes('__proto__')) return from;
  let to = from + 1;
  while (to < list.length && hasKeys(list[to], keys)) to++;
  return to;
}

function hasKeys(value: unknown, keys: readonly string[]): boolean {
  if (!isPlain(value)) return false;
  let count = 0;
  for (const key in value) if (key !== keys[count++]) return false;
  return count === keys.length;
}

function isPlain(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
