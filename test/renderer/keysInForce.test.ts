/** No title, placeholder or sentence of the interface hard-codes a key that may have been rebound. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { COMMANDS } from '../../renderer/shell/keys/keymap.ts';
import { keyed, keyOf, keyWord, strokeLabel } from '../../renderer/shell/keys/keysInForce.ts';
import { useKeyBindings } from '../../renderer/state/keyBindings.ts';

// The store is created on import and reads the browser's storage.
vi.hoisted(() => {
  const kept = new Map<string, string>();
  Object.defineProperty(globalThis, 'localStorage', {
    value: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    },
  });
});

afterEach(() => useKeyBindings.getState().unbindAll());

describe('keys in texts', () => {
  it('are those of the table, the first of several', () => {
    expect(keyed('Problems', 'place.problems')).toBe('Problems (g p)');
    expect(keyOf('place.up')).toBe('Esc');
    expect(keyOf('sql.explain')).toBe('Ctrl+Shift+Enter');
    expect(keyOf('aligned.next')).toBe('j');
    expect(strokeLabel('Mod+k')).toBe('Ctrl K');
  });

  it('follow rebinding, and are empty for a command without keys', () => {
    const { bind } = useKeyBindings.getState();
    bind('place.problems', ['Mod+p']);
    bind('compare.add', []);
    expect(keyed('Problems', 'place.problems')).toBe('Problems (Ctrl+P)');
    expect(keyed('Add', 'compare.add')).toBe('Add');
    expect(keyWord('compare.add')).toBe('“Add to or remove from comparison”');
    expect(keyed('Close it', 'library.close')).toBe('Close it');
  });
});

const ROOT = resolve(import.meta.dirname, '../../renderer');

/**
 * Built-in keys of a widget, which have no command and cannot be rebound: file → the texts that name them.
 */
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  // The canvas handles arrows, + − 0 n and Enter while it has the focus.
  'views/schedule/ScheduleTotals.tsx': ['(Enter)'],
  // The list under a text field; the field keeps its keys.
  'shell/dialogs/OpenLogs.tsx': ['<kbd>Tab</kbd>', '<kbd>↑</kbd>', '<kbd>↓</kbd>', '<kbd>Enter</kbd>'],
  'widgets/filter/CompletionList.tsx': ['<kbd>↑</kbd>', '<kbd>↓</kbd>', '<kbd>Tab</kbd>', '<kbd>Enter</kbd>'],
  'widgets/filter/FilterBox.tsx': ['<kbd>Tab</kbd>', '<kbd>Enter</kbd>'],
  // Alt with arrows, within the menu.
  'ui/ColumnPicker.tsx': ['<kbd>Alt</kbd>', '<kbd>↑</kbd>', '<kbd>↓</kbd>', '<kbd>←</kbd>', '<kbd>→</kbd>'],
  // Escape always closes a dialog, because the dialog receives all keys.
  'ui/Modal.tsx': ['keys="Esc"'],
  'views/replay/RawRecord.tsx': ['keys="Esc"'],
  // The form always saves with it while the user types.
  'views/replay/labels/NoteEditor.tsx': ['(Ctrl+Enter)'],
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const SPELLINGS = [
  ...new Set(
    COMMANDS.flatMap(({ keys }) =>
      keys.flatMap((each) => [
        each,
        each.split(' ').map(strokeLabel).join(' '),
        each.replace('Mod+', 'Ctrl+'),
        each.replace('Escape', 'Esc').replace('Delete', 'Del'),
      ]),
    ),
  ),
];
const ONE = `(?:${SPELLINGS.map(escaped).join('|')})`;
const LITERALS = [
  // In parentheses after words, or before more of them: `(g p)`, `(c adds one)`, `(u)'`.
  new RegExp(String.raw`(?<=[\w.,…’}] )\(${ONE}(?: [a-z]+ [^()]*)?\)(?! ?=>)(?=["'\x60.;,<])`, 'g'),
  /\bkeys="[^"]*"/g,
  /<kbd>[^<{]*<\/kbd>/g,
  // After the words of a field.
  /(?<=placeholder=(?:"[^"]*|\{`[^`]*) {2,})\/(?=["`])/g,
];

function literalsIn(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return LITERALS.flatMap((pattern) => [...code.matchAll(pattern)].map(([found]) => found));
}

const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path));

describe('sources of the interface', () => {
  it('name no key of the table literally', () => {
    const found = FILES.flatMap((path) => {
      const own = OWN_KEYS[path] ?? [];
      return literalsIn(readFileSync(join(ROOT, path), 'utf8'))
        .filter((literal) => !own.includes(literal))
        .map((literal) => `${path}: ${literal}`);
    });
    expect(found).toEqual([]);
  });

  it('every exception is used', () => {
    const gone = Object.entries(OWN_KEYS).flatMap(([path, own]) => {
      const found = literalsIn(readFileSync(join(ROOT, path), 'utf8'));
      return own.filter((literal) => !found.includes(literal)).map((literal) => `${path}: ${literal}`);
    });
    expect(gone).toEqual([]);
  });

  it('the check finds planted keys', () => {
    expect(literalsIn('title="Statistics of the tokens of this run (g t)"')).toEqual(['(g t)']);
    expect(literalsIn("split: 'one column per lane (u)',")).toEqual(['(u)']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    expect(literalsIn('title={`Stop following ${path} (w)`}')).toEqual(['(w)']);
    expect(literalsIn('title="Compare: no rollouts chosen yet (c adds one)"')).toEqual(['(c adds one)']);
    expect(literalsIn('<Button>Cancel (Esc)</Button>')).toEqual(['(Esc)']);
    expect(literalsIn('<IconButton label="Next" keys="n">')).toEqual(['keys="n"']);
    expect(literalsIn('placeholder="Filter runs  /"')).toEqual(['/']);
    expect(literalsIn('onClick={(e) => run(e)} x={keyed("a", "play.flip")}')).toEqual([]);
  });
});
