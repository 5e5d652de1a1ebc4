/** Longer texts are counted before they are parsed. */
const UNCOUNTED_CHARS = 1 << 20;
/**
 * Objects, lists and fields of a value. A rollout with 350,000 tool calls has 7 million. A value takes up to 100
 * bytes of memory, and V8 ends the whole process when it runs out.
 */
const MOST_VALUES = 8 << 20;
/** An entry that is a number has eight bytes. V8 ends the process at a list of more than 2^26 entries, too. */
const MOST_COMMAS = 16 << 20;

/** `JSON.parse` for texts of any length. @throws SyntaxError also for a text of more values than fit in memory */
export function parseJson(text: string): unknown {
  const excess = text.length > UNCOUNTED_CHARS ? excessOf(text) : undefined;
  if (excess !== undefined) throw new SyntaxError(`it has more than ${excess}`);
  return JSON.parse(text);
}

/** @returns undefined for a text that `parseJson` refuses */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function excessOf(text: string): string | undefined {
  const { values, commas } = countValues(text);
  if (values > MOST_VALUES) return `${MOST_VALUES} objects, lists and fields`;
  return commas > MOST_COMMAS ? `${MOST_COMMAS} entries` : undefined;
}

/** @returns `values`: number of objects, lists and fields; `commas`: number of commas. Both outside of strings */
export function countValues(json: string): { readonly values: number; readonly commas: number } {
  let values = 0;
  let commas = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(json, at) - 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
      case 0x3a: // :
        values++;
        break;
      case 0x2c: // ,
        commas++;
    }
  }
  return { values, commas };
}

/** Position after the closing quote, or the end of the text if none exists. */
export function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
