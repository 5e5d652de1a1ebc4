/** Distinguishes runs of the same name wherever several runs are listed. */

import type { RunSummary } from '../../shared/api/contract.ts';
import { RUN_KIND_NAMES } from '../../shared/domain/words.ts';

export type NamedRun = Pick<RunSummary, 'name' | 'runKey' | 'directory' | 'kind'> & {
  /** Present if the run is not in the current library. */
  readonly libraryName?: string | undefined;
};

/** Characters shown of a run key, which may be any text. */
const PART_CHARS = 24;

/** `isKindSaid`: a mark beside the name already shows whether the run is an evaluation. */
interface Said {
  readonly isKindSaid?: boolean;
}

/**
 * Suffixes that distinguish runs of the same name: kind, library, the differing part of the directory, else of the
 * key. The results are unique among runs of the same name.
 * @returns undefined for a run whose name is unique
 */
export function partsApart(
  runs: readonly NamedRun[],
  { isKindSaid = false }: Said = {},
): readonly (string | undefined)[] {
  const kindsOf = new Map<string, Set<NamedRun['kind']>>();
  for (const { name, kind } of runs) kindsOf.set(name, (kindsOf.get(name) ?? new Set()).add(kind));
  const kindOf = ({ name, kind }: NamedRun): readonly string[] =>
    (kindsOf.get(name)?.size ?? 0) > 1 ? [RUN_KIND_NAMES[kind]] : [];
  const libraryOf = ({ libraryName }: NamedRun): readonly string[] =>
    libraryName === undefined ? [] : [libraryName];
  const parts = runs.map((run) => [...(isKindSaid ? [] : kindOf(run)), ...libraryOf(run)]);
  const alike = Map.groupBy(runs.entries(), ([, run]) =>
    JSON.stringify([run.name, kindOf(run), libraryOf(run)]),
  );
  for (const same of alike.values()) {
    if (same.length < 2) continue;
    const apart = differing(same.map(([, run]) => run));
    for (const [i, [at]] of same.entries()) parts[at]?.push(apart[i] ?? '');
  }
  return parts.map((own) => (own.length === 0 ? undefined : own.join(' · ')));
}

/** Names that are unique among the given runs: `grpo`, `grpo · seed1`. */
export function distinctNames(runs: readonly NamedRun[], said: Said = {}): readonly string[] {
  const parts = partsApart(runs, said);
  return runs.map(({ name }, at) => (parts[at] === undefined ? name : `${name} · ${parts[at]}`));
}

/** `grpo · google/gemini-2.5-pro`: unique names, each with its model if the log has one and the name does not. */
export function namesWithModels(runs: readonly (NamedRun & Pick<RunSummary, 'model'>)[]): readonly string[] {
  const names = distinctNames(runs);
  return runs.map(({ model }, at) => {
    const name = names[at] ?? '';
    return model === undefined || name.includes(model) ? name : `${name} · ${model}`;
  });
}

function differing(runs: readonly NamedRun[]): readonly string[] {
  const keys = runs.map(({ runKey }) => runKey);
  const ways = [
    () =>
      differingParts(
        runs.map(({ directory }) => directory.split(/[\\/]+/)),
        '/',
      ),
    () => shortKeys(keys),
    () => keys,
  ];
  for (const way of ways) {
    const parts = way();
    if (new Set(parts).size === runs.length && !parts.includes('')) return parts;
  }
  return runs.map((_, at) => `${at + 1} of ${runs.length}`);
}

/** The parts without the prefix and the suffix that all lists share. */
function differingParts(lists: readonly (readonly string[])[], between: string): readonly string[] {
  const least = Math.min(...lists.map(({ length }) => length));
  const [first = []] = lists;
  let from = 0;
  while (from < least && lists.every((list) => list[from] === first[from])) from++;
  let behind = 0;
  while (behind < least - from && lists.every((list) => list.at(-1 - behind) === first.at(-1 - behind)))
    behind++;
  return lists.map((list) => {
    const own = list.slice(from, list.length - behind);
    return own.length === 0 ? (list.at(-1) ?? '') : own.join(between);
  });
}

/** Long keys from their first difference on. */
function shortKeys(keys: readonly string[]): readonly string[] {
  const parts = differingParts(
    keys.map((key) => [...key]),
    '',
  );
  return keys.map((key, i) => (key.length <= PART_CHARS ? key : `…${parts[i]?.slice(0, PART_CHARS)}`));
}
