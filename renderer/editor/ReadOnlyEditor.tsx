/** One Monaco editor for one text. Editor and model are created and disposed together, the model last. */
import { useEffect, useRef } from 'react';
import { applyEditorTheme, monaco } from './monaco.ts';
import './editor.css';

interface ReadOnlyEditorProps {
  readonly text: string;
  readonly language: 'record' | 'python' | 'plaintext';
  readonly label: string;
  readonly isDark: boolean;
}

export default function ReadOnlyEditor({ text, language, label, isDark }: ReadOnlyEditorProps) {
  const element = useRef<HTMLDivElement>(null);

  useEffect(() => applyEditorTheme(isDark), [isDark]);

  useEffect(() => {
    if (element.current === null) return;
    const model = monaco.editor.createModel(text, language);
    const editor = monaco.editor.create(element.current, {
      model,
      readOnly: true,
      domReadOnly: true,
      ariaLabel: label,
      automaticLayout: true,
      minimap: { enabled: false },
      wordWrap: 'on',
      wrappingIndent: 'indent',
      fontFamily: "'JetBrains Mono Variable', monospace",
      fontSize: 12.5,
      lineHeight: 20,
      fontLigatures: false,
      lineNumbersMinChars: 4,
      scrollBeyondLastLine: false,
      renderLineHighlight: 'line',
      renderControlCharacters: true,
      unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: true, nonBasicASCII: false },
      // A record's strings hold whole transcripts; a link in them must not navigate.
      links: false,
      stopRenderingLineAfter: -1,
      maxTokenizationLineLength: 200_000,
      padding: { top: 8, bottom: 8 },
    });
    return () => {
      editor.dispose();
      model.dispose();
    };
  }, [text, language, label]);

  return <div ref={element} className="editor" />;
}
