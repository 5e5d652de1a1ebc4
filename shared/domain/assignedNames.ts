/**
 * Names that Python code assigns, found by scanning its text without running it. Strings and comments are
 * blanked first, so that their content is not taken for code. Skips names local to a function or class,
 * because they are gone after the cell has run. Skips text in brackets: keyword arguments and comprehensions.
 */

export interface AssignedName {
  readonly name: string;
  /**
   * The assigned expression as written, on one line. Absent for imports, loops, and function and class
   * definitions.
   */
  readonly source?: string;
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*';
/**
 * On one line, and each run of blanks ends at a sign of its own. Two runs side by side would take quadratic time, three
 * cubic, as would targets that go on over lines.
 */
const TARGETS = `(?:\\([ \\t]*)?\\*?${NAME}(?:[ \\t]*,[ \\t]*\\*?${NAME})*(?:[ \\t]*,)?(?:[ \\t]*\\))?`;
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

/** In text order. A name assigned twice is listed once, with the last source. */
export function assignedNames(code: string): readonly AssignedName[] {
  const blanked = withoutStrings(code);
  const isOutside = moduleLevel(blanked);
  const found: { readonly at: number; readonly name: string; readonly source?: string }[] = [];
  for (const [kind, pattern] of Object.entries(PATTERNS)) {
    for (const match of blanked.matchAll(pattern)) {
      const targets = match[1] ?? '';
      const names = kind === 'imported' ? importedNames(targets) : namesIn(targets);
      const from = match.index + match[0].length;
      const source = kind === 'assignment' ? sourceFrom(code, blanked, from) : undefined;
      for (const name of names.filter((each) => isOutside(match.index, each)))
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

interface Scope {
  /** Column of its `def` or `class`. */
  readonly indent: number;
  /** Names declared `global` in it, which belong to the module. */
  readonly globals: Set<string>;
}

/**
 * Returns a test for names that a line assigns at module level. Lines may be queried in any order.
 *
 * @param blanked code without strings and comments
 */
function moduleLevel(blanked: string): (lineStart: number, name: string) => boolean {
  /** Scope of each statement by its start offset. Absent for lines within brackets. */
  const scopes = new Map<number, Scope | undefined>();
  const open: Scope[] = [];
  let depth = 0;
  let isContinued = false;
  let start = 0;
  // Splits at everything that ends a line for the patterns above.
  for (const line of blanked.split(/[\n\r\u2028\u2029]/)) {
    const statement = line.replace(/#.*$/, '').trimEnd();
    if (statement.trim() !== '' && depth === 0 && !isContinued) {
      const indent = /^[ \t]*/.exec(statement)?.[0].replaceAll('\t', ' '.repeat(8)).length ?? 0;
      while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
      scopes.set(start, open.at(-1));
      const global = /^\s*global\s+(.+)/.exec(statement)?.[1];
      if (global !== undefined) for (const name of namesIn(global)) open.at(-1)?.globals.add(name);
      if (/^\s*(?:async\s+)?(?:def|class)\b/.test(statement)) open.push({ indent, globals: new Set() });
    }
    for (const c of statement) {
      if ('([{'.includes(c)) depth++;
      else if (')]}'.includes(c)) depth = Math.max(0, depth - 1);
    }
    isContinued = statement.endsWith('\\');
    start += line.length + 1;
  }
  return (lineStart, name) => {
    if (!scopes.has(lineStart)) return false;
    const scope = scopes.get(lineStart);
    return scope === undefined || scope.globals.has(name);
  };
}

const namesIn = (targets: string): readonly string[] => targets.match(new RegExp(NAME, 'gu')) ?? [];

/** `numpy as np, os.path` gives `np` and `os`. */
function importedNames(list: string): readonly string[] {
  return list
    .replace(/[()]/g, '')
    .replace(/\s+/g, ' ')
    .split(',')
    .flatMap((part) => {
      const [module, alias] = part.trim().split(' as ');
      const name = (alias ?? module?.split('.')[0] ?? '').trim();
      return new RegExp(`^${NAME}$`, 'u').test(name) ? [name] : [];
    });
}

/** Up to the end of the line, or of the brackets that are open there. */
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

/** A string may end with the text, also behind a lone backslash: its rest would be searched for other beginnings. */
const STRING_OR_COMMENT =
  /#[^\n]*|"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*(?:"""|\\?$)|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*(?:'''|\\?$)|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*(?:"|(?=\n)|\\?$)|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*(?:'|(?=\n)|\\?$)/g;

/** Same length. Strings become blanks, including line ends in them; of a comment, only the `#` remains. */
export function withoutStrings(code: string): string {
  return code.replace(STRING_OR_COMMENT, (matched) =>
    matched.startsWith('#') ? `#${' '.repeat(matched.length - 1)}` : ' '.repeat(matched.length),
  );
}
