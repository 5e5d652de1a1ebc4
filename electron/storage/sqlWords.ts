/** A statement cut into words, as far as the statement rule and the places of errors need it. */

export interface SqlWord {
  /** `text` is a string, `quoted` a name in quotes. */
  readonly kind: 'word' | 'number' | 'text' | 'quoted' | 'sign';
  readonly text: string;
  readonly start: number;
}

/** Sticky: each match begins where the last one ended. A string or comment without an end goes to the end. */
const PIECE =
  /(\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$))|([\p{L}_$][\p{L}\p{N}_$]*)|(\d[\w.]*)|([\s\S])/uy;

export function* sqlWords(sql: string): Generator<SqlWord> {
  PIECE.lastIndex = 0;
  let at = 0;
  while (at < sql.length) {
    PIECE.lastIndex = at;
    const match = PIECE.exec(sql);
    if (match === null) return;
    const [text, blank, string, quoted, word, number] = match;
    const start = at;
    at += text.length;
    if (blank !== undefined) continue;
    const kind =
      string !== undefined
        ? 'text'
        : quoted !== undefined
          ? 'quoted'
          : word !== undefined
            ? 'word'
            : number !== undefined
              ? 'number'
              : 'sign';
    yield { kind, text, start };
  }
}
