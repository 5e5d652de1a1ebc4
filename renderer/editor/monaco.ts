/**
 * Monaco's core, two tokenizers, and its one worker as a bundled file. The full language services are left out, since
 * Turnwise shows code and does not edit it. Import this module lazily: it is most of the application's bytes.
 */
import * as monaco from 'monaco-editor/editor/editor.api';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
// This service must exist before the first language is registered. SqlEditor implements the completion itself.
import 'monaco-editor/editor/contrib/suggest/browser/suggestMemory';
import 'monaco-editor/features/codicon/register';
import 'monaco-editor/features/find/register';
import 'monaco-editor/features/unicodeHighlighter/register';
import { language as python } from 'monaco-editor/languages/definitions/python/python';

self.MonacoEnvironment = { getWorker: () => new EditorWorker() };

/** Just enough to colour the JSON of a record. Validation would need Monaco's JSON worker. */
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

/** The bundler shortens `#ffffff`, but Monaco's token colours need six digits. */
function sixDigits(color: string): string {
  return /^#[0-9a-f]{3}$/i.test(color) ? color.replace(/[0-9a-f]/gi, '$&$&') : color;
}

/** Monaco needs literal colours, so they are read from the current design tokens. */
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
      // Monaco's base themes have their own colours for SQL: red, magenta and a dim grey, on any ground.
      rule('string.sql', '--code-string'),
      rule('predefined.sql', '--code-name'),
      rule('operator.sql', '--ink2'),
    ],
    colors: {
      'editor.background': token('--raised'),
      'editor.foreground': token('--ink'),
      'editor.placeholder.foreground': token('--ink3'),
      'editorLineNumber.foreground': token('--ink3'),
      'editorWidget.background': token('--raised'),
      'editorWidget.border': token('--rule2'),
      ...Object.fromEntries(
        [1, 2, 3].map((level) => [`editorBracketHighlight.foreground${level}`, token('--ink2')]),
      ),
      'editorBracketHighlight.unexpectedBracket.foreground': token('--wrong'),
      'editorSuggestWidget.selectedBackground': token('--accent-soft'),
      'editorSuggestWidget.selectedForeground': token('--ink'),
      'editorSuggestWidget.selectedIconForeground': token('--ink'),
      'editorSuggestWidget.highlightForeground': token('--accent'),
      'editorSuggestWidget.focusHighlightForeground': token('--accent'),
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

// Monaco uses Ctrl+K as a sequence prefix, but it opens the command palette everywhere in Turnwise.
monaco.editor.addKeybindingRule({ keybinding: monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyK, command: null });

export { monaco };
