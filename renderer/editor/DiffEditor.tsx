/**
 * Two texts in Monaco's diff editor. The editor and both models are created and disposed together, the models last.
 *
 * Monaco marks single characters: for 105 and 125 only the middle digit. Differing numbers therefore also get a box
 * around the whole number.
 */
import { useEffect, useRef } from 'react';
import type { TextRange } from '../../shared/domain/model.ts';
import { applyEditorTheme, monaco } from './monaco.ts';
import 'monaco-editor/features/diffEditor/register';
import './editor.css';

interface DiffEditorProps {
  readonly before: string;
  readonly after: string;
  readonly language: 'python' | 'plaintext';
  readonly label: string;
  readonly isSideBySide: boolean;
  /** Wraps prose. Code keeps its lines. */
  readonly isWrapped: boolean;
  readonly isDark: boolean;
  /** Numbers that differ, on both sides. */
  readonly numbers: { readonly before: readonly TextRange[]; readonly after: readonly TextRange[] };
}

export default function DiffEditor(props: DiffEditorProps) {
  const { before, after, language, label, isSideBySide, isWrapped, isDark, numbers } = props;
  const element = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneDiffEditor>(undefined);

  useEffect(() => applyEditorTheme(isDark), [isDark]);

  useEffect(() => {
    if (element.current === null) return;
    const original = monaco.editor.createModel(before, language);
    const modified = monaco.editor.createModel(after, language);
    const made = monaco.editor.createDiffEditor(element.current, {
      readOnly: true,
      domReadOnly: true,
      originalEditable: false,
      renderSideBySide: true,
      useInlineViewWhenSpaceIsLimited: false,
      originalAriaLabel: `${label}: before`,
      modifiedAriaLabel: `${label}: after`,
      automaticLayout: true,
      minimap: { enabled: false },
      wordWrap: isWrapped ? 'on' : 'off',
      diffWordWrap: isWrapped ? 'on' : 'off',
      fontFamily: "'JetBrains Mono Variable', monospace",
      fontSize: 12.5,
      lineHeight: 20,
      fontLigatures: false,
      lineNumbersMinChars: 3,
      // Space between a line's sign and its text.
      lineDecorationsWidth: 22,
      scrollBeyondLastLine: false,
      renderMarginRevertIcon: false,
      renderIndicators: true,
      renderOverviewRuler: false,
      hideUnchangedRegions: { enabled: true },
      renderControlCharacters: true,
      unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: true, nonBasicASCII: false },
      links: false,
      stopRenderingLineAfter: -1,
      padding: { top: 8, bottom: 8 },
    });
    made.setModel({ original, modified });
    box(made.getOriginalEditor(), before, numbers.before);
    box(made.getModifiedEditor(), after, numbers.after);
    editor.current = made;
    made.focus();
    return () => {
      editor.current = undefined;
      made.dispose();
      original.dispose();
      modified.dispose();
    };
  }, [before, after, language, label, isWrapped, numbers]);

  useEffect(() => editor.current?.updateOptions({ renderSideBySide: isSideBySide }), [isSideBySide]);

  return <div ref={element} className="editor" />;
}

function box(editor: monaco.editor.ICodeEditor, text: string, numbers: readonly TextRange[]): void {
  const lineStarts = [0];
  // Cuts lines as Monaco does. Monaco's own offsets count every line end as one character, which may differ from the
  // log.
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) lineStarts.push(index + end.length);
  const lineOf = (offset: number): number => {
    let [low, high] = [0, lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  };
  editor.createDecorationsCollection(
    numbers.map(({ start, end }) => {
      const line = lineOf(start);
      const from = start - (lineStarts[line] ?? 0) + 1;
      // A number never spans lines.
      const range = new monaco.Range(line + 1, from, line + 1, from + end - start);
      return { range, options: { inlineClassName: 'diff-number' } };
    }),
  );
}
