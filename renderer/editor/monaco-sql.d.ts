declare module 'monaco-editor/languages/definitions/sql/sql' {
  import type { languages } from 'monaco-editor/editor/editor.api';
  export const language: languages.IMonarchLanguage;
  export const conf: languages.LanguageConfiguration;
}
