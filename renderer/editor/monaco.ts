/**
 * Monaco's core, the two tokenizers we need, and its one worker as a bundled file. The full
 * language services stay out: Turnwise shows code, it does not edit it. Import this module
 * lazily only; it is most of the application's bytes.
 */
import * as monaco from 'monaco-editor/editor/editor.api';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
// A service, which has to be there before the first language is registered; completion itself is SqlEditor's.
import 'monaco-editor/editor/contrib/suggest/browser/suggestMemory';
import 'monaco-editor/features/codicon/register';
import 'monaco-editor/features/find/register';
import 'monaco-editor/features/unicodeHighlighter/register';
import { language as python } from 'monaco-editor/languages/definitions/python/python';

self.MonacoEnvironment = { getWorker: () => new EditorWorker() };

/** Enough JSON to colour a record; validation would need Monaco's JSON worker. */
const JSON_TOKENS: monaco.languages.IMonarchLanguage = {
  tokenizer: {
    root: [
      [/"(?:[^"\\]|\\.)*"(?=\s*:)/, 'key'],
      [/"(?:[^"\\]|\\.)*"?/, 'string'],
      [/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, 'number'],
      [/\b(?:true|false|null|NaN|Infinity)\b/, 'keyword'],
    ],
  },
};

monaco.languages.register({ id: 'python' });
monaco.languages.setMonarchTokensProvider('python', python);
monaco.languages.register({ id: 'record' });
monaco.languages.setMonarchTokensProvider('record', JSON_TOKENS);

/** The bundler shortens `#ffffff`; Monaco's token colours must be written out. */
function sixDigits(color: string): string {
  return /^#[0-9a-f]{3}$/i.test(color) ? color.replace(/[0-9a-f]/gi, '$&$&') : color;
}

/** Monaco wants literal colours; they are read from the design tokens in force. */
export function applyEditorTheme(isDark: boolean): void {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => sixDigits(style.getPropertyValue(name).trim());
  const rule = (scope: string, name: string) => ({ token: scope, foreground: token(name).replace('#', '') });
  monaco.editor.defineTheme('turnwise', {
    base: isDark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      rule('key', '--code-name'),
      rule('string', '--code-string'),
      rule('number', '--code-number'),
      rule('keyword', '--code-keyword'),
      rule('comment', '--code-comment'),
    ],
    colors: {
      'editor.background': token('--raised'),
      'editor.foreground': token('--ink'),
      'editor.placeholder.foreground': token('--ink3'),
      'editorLineNumber.foreground': token('--ink3'),
      'editorWidget.background': token('--raised'),
      'editorWidget.border': token('--rule2'),
      'editor.lineHighlightBackground': token('--hover'),
      'diffEditor.removedLineBackground': token('--diff-removed-soft'),
      'diffEditor.insertedLineBackground': token('--diff-added-soft'),
      'diffEditor.removedTextBackground': token('--diff-removed-mark'),
      'diffEditor.insertedTextBackground': token('--diff-added-mark'),
      'diffEditor.diagonalFill': token('--rule'),
      'diffEditor.unchangedRegionBackground': token('--sunk'),
    },
  });
  monaco.editor.setTheme('turnwise');
}

// Monaco begins sequences of keys with Ctrl+K, which opens the command palette everywhere.
monaco.editor.addKeybindingRule({ keybinding: monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyK, command: null });

export { monaco };
