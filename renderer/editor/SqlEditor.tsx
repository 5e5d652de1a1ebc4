/**
 * An SQL statement in Monaco, with completion. The editor and its model live as long as the component, the model last.
 */
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { applyEditorTheme, monaco } from './monaco.ts';
import 'monaco-editor/features/bracketMatching/register';
import 'monaco-editor/features/caretOperations/register';
import 'monaco-editor/features/clipboard/register';
import 'monaco-editor/features/comment/register';
import 'monaco-editor/features/cursorUndo/register';
import 'monaco-editor/features/hover/register';
import 'monaco-editor/features/indentation/register';
import 'monaco-editor/features/linesOperations/register';
import 'monaco-editor/features/placeholderText/register';
import 'monaco-editor/features/snippet/register';
import 'monaco-editor/editor/contrib/suggest/browser/suggestController';
import 'monaco-editor/features/wordOperations/register';
import { conf, language } from 'monaco-editor/languages/definitions/sql/sql';
import { type Completion, type CompletionSource, completionsAt } from './sqlCompletion.ts';
import './editor.css';

monaco.languages.register({ id: 'sql' });
monaco.languages.setMonarchTokensProvider('sql', language);
monaco.languages.setLanguageConfiguration('sql', conf);

export interface SqlEditorHandle {
  focus(): void;
  /** The current text. Other components get it only after a delay, but a key may be pressed before. */
  text(): string | undefined;
  /** Replaces the selection and puts the cursor after it. */
  insert(text: string): void;
  /** The selected text and its offset. Undefined if nothing is selected. */
  selection(): { readonly text: string; readonly start: number } | undefined;
  goTo(offset: number): void;
}

interface StatementMark {
  readonly message: string;
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
}

interface SqlEditorProps {
  readonly text: string;
  /** A new number replaces the editor's text. While the user types, the editor is ahead of the prop. */
  readonly revision: number;
  readonly onChange: (text: string) => void;
  readonly label: string;
  readonly placeholder: string;
  readonly sources: readonly CompletionSource[];
  readonly mark: StatementMark | undefined;
  readonly isDark: boolean;
  /** Ctrl+Enter, or Cmd+Enter. */
  readonly onRun: () => void;
  /** Ctrl+Shift+Enter, or Cmd+Shift+Enter. */
  readonly onExplain: () => void;
  readonly onEscape: () => void;
  readonly handle: Ref<SqlEditorHandle>;
}

export default function SqlEditor(props: SqlEditorProps) {
  const { revision, label, placeholder, sources, mark, isDark } = props;
  const element = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(undefined);
  const current = useRef(props);
  current.current = props;

  useEffect(() => applyEditorTheme(isDark), [isDark]);

  useEffect(() => {
    if (element.current === null) return;
    const model = monaco.editor.createModel(current.current.text, 'sql');
    const made = monaco.editor.create(element.current, {
      ...OPTIONS,
      model,
      ariaLabel: label,
      placeholder,
    });
    const changes = model.onDidChangeContent(() => current.current.onChange(model.getValue()));
    // A list of completions would lie over the statement while one reads its result.
    const closeCompletions = () => made.trigger('statement', 'hideSuggestWidget', {});
    // Actions, because Monaco never releases `addCommand` handlers, and with them the editor.
    const enter = monaco.KeyMod.CtrlCmd | monaco.KeyCode.Enter;
    const actions = [
      made.addAction({
        id: 'statement.leave',
        label: 'Leave the editor',
        keybindings: [monaco.KeyCode.Escape],
        // Not while the key would close a widget over the text.
        keybindingContext:
          'editorTextFocus && !suggestWidgetVisible && !findWidgetVisible && !editorHoverVisible',
        run: () => current.current.onEscape(),
      }),
      // Monaco's own actions for these keys, a new line below or above, would otherwise run first.
      made.addAction({
        id: 'statement.run',
        label: 'Run the statement',
        keybindings: [enter],
        run: () => {
          closeCompletions();
          current.current.onRun();
        },
      }),
      made.addAction({
        id: 'statement.explain',
        label: 'Explain the statement',
        keybindings: [enter | monaco.KeyMod.Shift],
        run: () => {
          closeCompletions();
          current.current.onExplain();
        },
      }),
    ];
    editor.current = made;
    // A dialog that was opened while the editor was loading keeps the focus.
    if (document.querySelector('[role="dialog"]') === null) made.focus();
    return () => {
      editor.current = undefined;
      changes.dispose();
      for (const action of actions) action.dispose();
      made.dispose();
      model.dispose();
    };
  }, [label, placeholder]);

  useEffect(() => {
    const model = editor.current?.getModel();
    const { text } = current.current;
    if (revision > 0 && model && model.getValue() !== text) {
      model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
    }
  }, [revision]);

  useEffect(() => {
    const model = editor.current?.getModel();
    if (!model) return;
    const markers = mark === undefined ? [] : [markerOf(model, mark)];
    monaco.editor.setModelMarkers(model, 'statement', markers);
  }, [mark]);

  useEffect(() => {
    const provider = monaco.languages.registerCompletionItemProvider('sql', {
      triggerCharacters: ['.'],
      provideCompletionItems: (model, position) => {
        const word = model.getWordUntilPosition(position);
        const range = {
          startLineNumber: position.lineNumber,
          endLineNumber: position.lineNumber,
          startColumn: word.startColumn,
          endColumn: word.endColumn,
        };
        const found = completionsAt(model.getValue(), model.getOffsetAt(position), sources);
        return { suggestions: found.map((one, i) => suggestionOf(one, i, range)) };
      },
    });
    return () => provider.dispose();
  }, [sources]);

  useImperativeHandle(props.handle, () => ({
    focus: () => editor.current?.focus(),
    text: () => editor.current?.getValue(),
    insert: (inserted) => {
      const made = editor.current;
      const range = made?.getSelection();
      if (made === undefined || !range) return;
      made.executeEdits('schema', [{ range, text: inserted, forceMoveMarkers: true }]);
      made.focus();
    },
    selection: () => {
      const range = editor.current?.getSelection();
      const model = editor.current?.getModel();
      if (!range || !model || range.isEmpty()) return undefined;
      return { text: model.getValueInRange(range), start: model.getOffsetAt(range.getStartPosition()) };
    },
    goTo: (offset) => {
      const position = editor.current?.getModel()?.getPositionAt(offset);
      if (position === undefined) return;
      editor.current?.setPosition(position);
      editor.current?.revealPositionInCenterIfOutsideViewport(position);
      editor.current?.focus();
    },
  }));

  return <div ref={element} className="editor" />;
}

const OPTIONS: monaco.editor.IStandaloneEditorConstructionOptions = {
  automaticLayout: true,
  minimap: { enabled: false },
  wordWrap: 'on',
  fontFamily: "'JetBrains Mono Variable', monospace",
  fontSize: 13,
  lineHeight: 21,
  fontLigatures: false,
  lineNumbersMinChars: 3,
  folding: false,
  glyphMargin: false,
  scrollBeyondLastLine: false,
  renderLineHighlight: 'none',
  renderControlCharacters: true,
  unicodeHighlight: { ambiguousCharacters: true, invisibleCharacters: true, nonBasicASCII: false },
  links: false,
  tabSize: 2,
  // Tab moves the focus, as everywhere else. In the list of completions it accepts one.
  tabFocusMode: true,
  fixedOverflowWidgets: true,
  wordBasedSuggestions: 'off',
  suggest: { showStatusBar: false, preview: false },
  padding: { top: 8, bottom: 8 },
  overviewRulerLanes: 0,
};

/** Underlines at least one character. */
function markerOf(model: monaco.editor.ITextModel, mark: StatementMark): monaco.editor.IMarkerData {
  const start = model.getPositionAt(mark.start);
  const end = model.getPositionAt(Math.max(mark.end, mark.start + 1));
  return {
    severity: monaco.MarkerSeverity.Error,
    message: mark.message,
    startLineNumber: start.lineNumber,
    startColumn: start.column,
    endLineNumber: end.lineNumber,
    endColumn: end.column,
  };
}

const KINDS: Readonly<Record<Completion['kind'], keyof typeof monaco.languages.CompletionItemKind>> = {
  column: 'Field',
  view: 'Struct',
  table: 'Interface',
  function: 'Function',
  keyword: 'Keyword',
};

function suggestionOf(
  { label, insert, kind, about, of }: Completion,
  rank: number,
  range: monaco.IRange,
): monaco.languages.CompletionItem {
  return {
    label: of === undefined ? label : { label, description: of },
    kind: monaco.languages.CompletionItemKind[KINDS[kind]],
    insertText: insert,
    detail: about,
    filterText: insert,
    sortText: String(rank).padStart(5, '0'),
    range,
  };
}
