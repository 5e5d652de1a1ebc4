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
  const said = runs.map((run) => {
    const kinds = new Set(runs.filter(({ name }) => name === run.name).map(({ kind }) => kind));
    return [
      ...(kinds.size > 1 ? [RUN_KIND_NAMES[run.kind]] : []),
      ...(run.libraryName === undefined ? [] : [run.libraryName]),
    ];
  });
  const keyOf = (at: number): string => JSON.stringify([runs[at]?.name, said[at]]);
  const shown = isKindSaid
    ? runs.map(({ libraryName }) => (libraryName === undefined ? [] : [libraryName]))
    : said;
  return runs.map((_run, at) => {
    const alike = runs.flatMap((_, other) => (keyOf(other) === keyOf(at) ? [other] : []));
    const own = alike.indexOf(at);
    const same = alike.flatMap((other) => runs[other] ?? []);
    const part = same.length < 2 ? undefined : differing(same)[own];
    const parts = [...(shown[at] ?? []), ...(part === undefined ? [] : [part])];
    return parts.length === 0 ? undefined : parts.join(' · ');
  });
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
  const ways = [
    differingParts(
      runs.map(({ directory }) => directory.split(/[\\/]+/)),
      '/',
    ),
    runs.map(({ runKey }) => (runKey.length <= PART_CHARS ? runKey : shortKey(runKey, runs))),
    runs.map(({ runKey }) => runKey),
  ];
  const found = ways.find((parts) => new Set(parts).size === runs.length && !parts.includes(''));
  return found ?? runs.map((_, at) => `${at + 1} of ${runs.length}`);
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

/** The part of a key from its first difference on. */
function shortKey(key: string, runs: readonly NamedRun[]): string {
  const [part = ''] = differingParts(
    [key, ...runs.map(({ runKey }) => runKey)].map((each) => [...each]),
    '',
  );
  return `…${part.slice(0, PART_CHARS)}`;
}
