/** The type of the error that a tool reports, such as NameError, from its response. */

/** UTF-16 units of the response's end that are read. A traceback names the error on its last line. */
const READ_CHARS = 4096;
/** Begins a line, or follows `stderr:`. A response that is JSON has `\n` for a line feed. */
const NAMED =
  /(?:^|\n|\\n|stderr:)[ \t]*(?:[A-Za-z_]\w{0,60}\.){0,8}([A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit))\b(?=:|\s|\\n|"|$)/g;

/** @returns the last error type that begins a line or the errors, without its module; undefined if none does */
export function errorType(response: string): string | undefined {
  return [...response.slice(-READ_CHARS).matchAll(NAMED)].at(-1)?.[1];
}
