/** Two texts in Monaco's diff editor. The editor and both models are made and disposed together, the models last. */
import { useEffect, useRef } from 'react';
import { applyEditorTheme, monaco } from './monaco.ts';
import 'monaco-editor/features/diffEditor/register';
import './editor.css';

interface DiffEditorProps {
  readonly before: string;
  readonly after: string;
  readonly language: 'python' | 'plaintext';
  readonly label: string;
  readonly isSideBySide: boolean;
  /** Prose is read to the end of its lines; code keeps the lines it has. */
  readonly isWrapped: boolean;
  readonly isDark: boolean;
}

export default function DiffEditor(props: DiffEditorProps) {
  const { before, after, language, label, isSideBySide, isWrapped, isDark } = props;
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
      // Room between the sign of a line and its text.
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
    editor.current = made;
    made.focus();
    return () => {
      editor.current = undefined;
      made.dispose();
      original.dispose();
      modified.dispose();
    };
  }, [before, after, language, label, isWrapped]);

  useEffect(() => editor.current?.updateOptions({ renderSideBySide: isSideBySide }), [isSideBySide]);

  return <div ref={element} className="editor" />;
}
