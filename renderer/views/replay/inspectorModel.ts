/**
 * Extra fields as name and text. An object opens up one level (`timing.worker`), which is as deep
 * as trainers nest what one wants to read at a glance; anything deeper stays JSON.
 */
export function flatFields(
  fields: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [[name, textOf(value)] as const];
    return Object.entries(value).map(([inner, part]) => [`${name}.${inner}`, textOf(part)] as const);
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `line 12`, `row 3`, `member 1`: what is counted depends on the file. */
export function recordText(unit: string, line: number): string {
  return `${unit} ${new Intl.NumberFormat('en').format(line)}`;
}
