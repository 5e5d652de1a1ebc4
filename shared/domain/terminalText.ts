const escaped = (text: string): string => `\\u{${text.codePointAt(0)?.toString(16)}}`;

/**
 * Escapes invisible characters, which would move the cursor, reverse the text or hide in it. Line breaks stay.
 */
export function terminalText(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** Also escapes line breaks, which a path may contain: a report has one line. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll('\n', escaped);
}

/** Lines of a report. A line break in an id or a name is escaped, so that it cannot look like a line of its own. */
export function terminalLines(lines: readonly string[]): string {
  return `${lines.map(terminalLine).join('\n')}\n`;
}

/**
 * JSON with escapes in place of invisible characters, since JSON Lines are printed on terminals, too. JSON readers
 * return the same value. Line breaks of the indentation stay.
 */
export function terminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (characters) =>
      Array.from(
        { length: characters.length },
        (_, i) => `\\u${characters.charCodeAt(i).toString(16).padStart(4, '0')}`,
      ).join(''),
  );
}
