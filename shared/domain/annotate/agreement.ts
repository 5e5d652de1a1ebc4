/**
 * Agreement of two reviewers beyond chance: Cohen's κ = (pₒ − pₑ) / (1 − pₑ), J. Cohen, "A coefficient of
 * agreement for nominal scales", Educational and Psychological Measurement 20 (1960).
 */

/** Labels that two reviewers gave one rollout. */
export interface LabelPair {
  readonly first: ReadonlySet<string>;
  readonly second: ReadonlySet<string>;
}

/** Why κ is undefined. */
export type NoKappa = 'no rollout reviewed by both' | 'both gave the same label throughout';

export interface Kappa {
  readonly n: number;
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
  /** Absent if undefined; `why` gives the reason. */
  readonly kappa?: number;
  readonly why?: NoKappa;
}

/** κ of the yes/no decision of two reviewers about one label. */
export function kappaOfLabel(rollouts: readonly LabelPair[], label: string): Kappa {
  let both = 0;
  let onlyFirst = 0;
  let onlySecond = 0;
  for (const { first, second } of rollouts) {
    const isFirst = first.has(label);
    const isSecond = second.has(label);
    if (isFirst && isSecond) both++;
    else if (isFirst) onlyFirst++;
    else if (isSecond) onlySecond++;
  }
  const n = rollouts.length;
  const neither = n - both - onlyFirst - onlySecond;
  const table = [
    [both, onlyFirst],
    [onlySecond, neither],
  ];
  return { n, both, onlyFirst, onlySecond, neither, ...kappaOrWhy(table, n) };
}

/**
 * @param table counts of the first reviewer's category (row) and the second's (column); square
 * @returns undefined if nothing was read, or if both gave one and the same category throughout, so that
 *   chance agreement is 1
 */
export function kappaOf(table: readonly (readonly number[])[]): number | undefined {
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0));
  const columns = table.map((_, at) => table.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const n = rows.reduce((sum, count) => sum + count, 0);
  if (n === 0) return undefined;
  const agreed = table.reduce((sum, row, at) => sum + (row[at] ?? 0), 0);
  // Uses integers until the division, because equal margins must not differ by rounding.
  const byChance = rows.reduce((sum, count, at) => sum + count * (columns[at] ?? 0), 0);
  const room = n * n - byChance;
  return room === 0 ? undefined : (n * agreed - byChance) / room;
}

/** @param read number of rollouts both have read */
function kappaOrWhy(
  table: readonly (readonly number[])[],
  read: number,
): { readonly kappa: number } | { readonly why: NoKappa } {
  const kappa = kappaOf(table);
  if (kappa !== undefined) return { kappa };
  return { why: read === 0 ? 'no rollout reviewed by both' : 'both gave the same label throughout' };
}

export interface OverallKappa {
  readonly of: 'categories' | 'decisions';
  readonly n: number;
  readonly agreed: number;
  readonly kappa?: number;
  readonly why?: NoKappa;
}

/**
 * One category per rollout: its label, or none. If somebody gave two labels, the combination is a category.
 */
export function kappaOfCategories(rollouts: readonly LabelPair[]): OverallKappa {
  const names = new Map<string, number>();
  const codeOf = (labels: ReadonlySet<string>): number => {
    const name = JSON.stringify([...labels].sort());
    const code = names.get(name) ?? names.size;
    names.set(name, code);
    return code;
  };
  const pairs = rollouts.map(({ first, second }) => [codeOf(first), codeOf(second)] as const);
  const table = Array.from({ length: names.size }, () => new Array<number>(names.size).fill(0));
  for (const [first, second] of pairs) {
    const row = table[first];
    if (row !== undefined) row[second] = (row[second] ?? 0) + 1;
  }
  return overall('categories', table, rollouts.length);
}

/** Every pair of a label and a rollout is a yes/no decision. */
export function kappaOfDecisions(rollouts: readonly LabelPair[], labels: readonly string[]): OverallKappa {
  const sums = labels.map((label) => kappaOfLabel(rollouts, label));
  const sum = (of: (each: Kappa) => number): number => sums.reduce((total, each) => total + of(each), 0);
  const table = [
    [sum(({ both }) => both), sum(({ onlyFirst }) => onlyFirst)],
    [sum(({ onlySecond }) => onlySecond), sum(({ neither }) => neither)],
  ];
  return overall('decisions', table, rollouts.length);
}

function overall(of: OverallKappa['of'], table: readonly (readonly number[])[], read: number): OverallKappa {
  return {
    of,
    n: table.flat().reduce((sum, count) => sum + count, 0),
    agreed: table.reduce((sum, row, at) => sum + (row[at] ?? 0), 0),
    ...kappaOrWhy(table, read),
  };
}

/** Labels that only one of two reviewers gave. */
export function differences({ first, second }: LabelPair): {
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
} {
  return {
    onlyFirst: [...first].filter((label) => !second.has(label)).sort(),
    onlySecond: [...second].filter((label) => !first.has(label)).sort(),
  };
}
