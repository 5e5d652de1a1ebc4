/**
 * What a piece of Python gives names to, read off its text: nothing is run. Strings and comments are blanked
 * first, so that what stands in them is no code.
 */

export interface AssignedName {
  readonly name: string;
  /** What is assigned, as written, on one line; absent for imports, loops and definitions of functions and classes. */
  readonly source?: string;
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*';
const TARGETS = `\\(?\\s*\\*?${NAME}(?:\\s*,\\s*\\*?${NAME})*\\s*,?\\s*\\)?`;
const LINE = 'gmu';
const PATTERNS = {
  assignment: new RegExp(`^[ \\t]*(${TARGETS})[ \\t]*(?::[^=\\n]+)?=(?!=)`, LINE),
  augmented: new RegExp(`^[ \\t]*(${NAME})[ \\t]*(?:[-+*/%@&|^]|//|\\*\\*|<<|>>)=`, LINE),
  loop: new RegExp(`^[ \\t]*(?:async[ \\t]+)?for[ \\t]+(${TARGETS})[ \\t]+in\\b`, LINE),
  definition: new RegExp(`^[ \\t]*(?:async[ \\t]+)?(?:def|class)[ \\t]+(${NAME})`, LINE),
  imported: /^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+([^\n]+)/gm,
  opened: new RegExp(`^[ \\t]*with[ \\t].*?\\bas[ \\t]+(${NAME})`, LINE),
} as const;
const LONGEST_SOURCE = 200;

/** In the order of the text; a name assigned twice stands once, with the last source. */
export function assignedNames(code: string): readonly AssignedName[] {
  const blanked = withoutStrings(code);
  const found: { readonly at: number; readonly name: string; readonly source?: string }[] = [];
  for (const [kind, pattern] of Object.entries(PATTERNS)) {
    for (const match of blanked.matchAll(pattern)) {
      const targets = match[1] ?? '';
      const from = match.index + match[0].length;
      const source = kind === 'assignment' ? sourceFrom(code, blanked, from) : undefined;
      for (const name of kind === 'imported' ? importedNames(targets) : namesIn(targets))
        found.push({ at: match.index, name, ...(source === undefined ? {} : { source }) });
    }
  }
  found.sort((a, b) => a.at - b.at);
  const byName = new Map<string, AssignedName>();
  for (const { name, source } of found) {
    byName.delete(name);
    byName.set(name, { name, ...(source === undefined ? {} : { source }) });
  }
  return [...byName.values()];
}

const namesIn = (targets: string): readonly string[] => targets.match(new RegExp(NAME, 'gu')) ?? [];

/** `numpy as np, os.path` gives `np` and `os`. */
function importedNames(list: string): readonly string[] {
  return list
    .replace(/[()]/g, '')
    .split(',')
    .flatMap((part) => {
      const [module, alias] = part.trim().split(/\s+as\s+/);
      const name = (alias ?? module?.split('.')[0] ?? '').trim();
      return new RegExp(`^${NAME}$`, 'u').test(name) ? [name] : [];
    });
}

/** To the end of the line, or of the brackets that are open there. */
function sourceFrom(code: string, blanked: string, from: number): string {
  let depth = 0;
  let end = from;
  for (; end < blanked.length && end - from < LONGEST_SOURCE * 2; end++) {
    const c = blanked.charAt(end);
    if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === '\n' && depth <= 0) break;
    else if (c === '#' || (c === ';' && depth <= 0)) break;
  }
  const source = code.slice(from, end).trim().replace(/\s+/g, ' ');
  return source.length > LONGEST_SOURCE ? `${source.slice(0, LONGEST_SOURCE - 1)}\u2026` : source;
}

const STRING_OR_COMMENT =
  /#[^\n]*|("""|''')(?:[^\\]|\\[\s\S])*?(?:\1|$)|"(?:[^"\\\n]|\\[\s\S])*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\[\s\S])*(?:'|(?=\n)|$)/g;

/** Same length; strings are blank, also the ends of lines in them, and of comments the `#` is left. */
function withoutStrings(code: string): string {
  return code.replace(STRING_OR_COMMENT, (matched) =>
    matched.startsWith('#') ? `#${' '.repeat(matched.length - 1)}` : ' '.repeat(matched.length),
  );
}
