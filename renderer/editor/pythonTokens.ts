import { monaco } from './monaco.ts';

export interface CodeToken {
  readonly text: string;
  /** A class of `pythonCode.css`. Undefined: plain. */
  readonly role?: 'keyword' | 'string' | 'number' | 'comment' | 'name';
}

function roleOf(type: string): CodeToken['role'] {
  if (type.startsWith('keyword')) return 'keyword';
  if (type.startsWith('string')) return 'string';
  if (type.startsWith('number')) return 'number';
  if (type.startsWith('comment')) return 'comment';
  if (type.startsWith('tag')) return 'name';
  return undefined;
}

/** Tokens by line. Adjacent tokens of the same role are joined, to have fewer elements. */
export function pythonTokens(code: string): readonly (readonly CodeToken[])[] {
  const lines = code.split(/\r\n|\r|\n/);
  return monaco.editor.tokenize(code, 'python').map((tokens, row) => {
    const line = lines[row] ?? '';
    const joined: CodeToken[] = [];
    tokens.forEach((token, i) => {
      const text = line.slice(token.offset, tokens[i + 1]?.offset ?? line.length);
      const role = roleOf(token.type);
      const last = joined.at(-1);
      if (last !== undefined && last.role === role)
        joined[joined.length - 1] = { text: last.text + text, role };
      else joined.push({ text, role });
    });
    return joined;
  });
}
