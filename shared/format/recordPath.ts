/**
 * Paths into a record: `meta.step`, `turns[0].text`, `samples[-1]`, `["a.b"].c`. The empty path is the record
 * itself.
 */
import { isObject } from './fields.ts';

export type PathStep = string | number;

/** @returns the steps; undefined for an invalid path */
export function parsePath(path: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  const pattern = /\.?([^.[\]"]+)|\[(-?\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) return undefined;
    const [, key, index, quoted] = match;
    if (key !== undefined) steps.push(key);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(unquote(quoted));
  }
  return steps;
}

function unquote(quoted: string): string {
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === 'string' ? text : quoted;
  } catch {
    // Not a valid JSON escape, so the key is the raw text between the quotes.
    return quoted.slice(1, -1);
  }
}

export function writePath(steps: readonly PathStep[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (/^[^.[\]"]+$/.test(step)) path += path === '' ? step : `.${step}`;
    else path += `[${JSON.stringify(step)}]`;
  }
  return path;
}

/**
 * Negative indices count from the end.
 * @returns undefined if nothing is at the path
 */
export function valueAt(record: unknown, steps: readonly PathStep[]): unknown {
  let value = record;
  for (const step of steps) {
    if (typeof step === 'number') value = Array.isArray(value) ? value.at(step) : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}
