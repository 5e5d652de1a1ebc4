/** A run's logged configuration as rows, beside that of another run. */
import type { RunDetail } from '../../../shared/api/contract.ts';

type Config = RunDetail['config'];

export interface ConfigurationRow {
  /** Keys from the outside in, joined by dots. A key that contains a dot is in quotes. */
  readonly name: string;
  /** JSON of the value, without the quotes of a text. Absent: not in this configuration. */
  readonly value?: string;
  /** The same of the other run. */
  readonly other?: string;
  /** Absent unless there is another run. */
  readonly isDifferent?: boolean;
}

/**
 * Objects are opened, lists are one value. An empty object is a value, too, so that nothing logged is missing.
 *
 * @returns in the order of the log; then settings that only the other run has, in its order
 */
export function configurationRows(config: Config, other?: Config): readonly ConfigurationRow[] {
  const own = new Map(settingsOf(config));
  if (other === undefined) return [...own].map(([name, value]) => ({ name, value: textOf(value) }));
  const others = new Map(settingsOf(other));
  return [...new Set([...own.keys(), ...others.keys()])].map((name) => {
    const [a, b] = [own.get(name), others.get(name)];
    return {
      name,
      ...(own.has(name) ? { value: textOf(a) } : {}),
      ...(others.has(name) ? { other: textOf(b) } : {}),
      isDifferent: own.has(name) !== others.has(name) || jsonOf(a) !== jsonOf(b),
    };
  });
}

function* settingsOf(value: unknown, name = ''): Generator<[name: string, value: unknown]> {
  const isOpened = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isOpened ? Object.entries(value) : [];
  if (entries.length === 0) {
    if (name !== '') yield [name, value];
    return;
  }
  for (const [key, inner] of entries) {
    const own = key === '' || key.includes('.') ? JSON.stringify(key) : key;
    yield* settingsOf(inner, name === '' ? own : `${name}.${own}`);
  }
}

/** With sorted keys, because their order means nothing. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Rows whose name or value contains every word of a text, whatever its case. */
export function matchingRows(rows: readonly ConfigurationRow[], text: string): readonly ConfigurationRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ name, value = '', other = '' }) => {
    const all = `${name}\n${value}\n${other}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
