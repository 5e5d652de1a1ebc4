/** The type of the error that a tool reports, such as NameError, from its response. */

/** UTF-16 units of the response's end that are read. A traceback names the error on its last line. */
const READ_CHARS = 4096;
/** Colour codes end in a letter that would be read as part of the name. */
const COLOURS = /\u001b\[[0-9;]*m/g;
/** Begins a line, or follows `stderr:`. A response that is JSON has `\n` for a line feed. */
const NAMED =
  /(?:^|\n|\\n|stderr:)[ \t]*(?:[A-Za-z_]\w{0,60}\.){0,8}([A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit))\b(?=:|\s|\\n|"|$)/g;

const ANYWHERE = /\b([A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit))\b/;

/** @returns the last error type that begins a line or the errors, without its module, else the first in the text */
export function errorType(response: string): string | undefined {
  const end = response.slice(-READ_CHARS).replaceAll(COLOURS, '');
  return ([...end.matchAll(NAMED)].at(-1) ?? ANYWHERE.exec(end))?.[1];
}
