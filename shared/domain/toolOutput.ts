/** A tool's output without its wrapping: the status line of the release, the JSON of NeMo-Gym. */

const STATUS = /^\s*tool call (?:success|fail)/i;
const STDOUT = /^stdout:[ \t]?/m;
/** Lines that may follow the output in the release's response. */
const AFTER = /^(?:stderr:|execution time: )/m;

/**
 * @returns the printed output; the whole response for tools without wrapping; undefined if the response
 *   states that nothing was printed
 */
export function printedBy(response: string): string | undefined {
  if (STATUS.test(response)) {
    const found = STDOUT.exec(response);
    if (found === null) return undefined;
    const printed = response.slice(found.index + found[0].length);
    const end = AFTER.exec(printed)?.index ?? printed.length;
    return nothingAsUndefined(printed.slice(0, end));
  }
  return nothingAsUndefined(stdoutOfJson(response) ?? response);
}

const nothingAsUndefined = (text: string): string | undefined => {
  const trimmed = text.trimEnd();
  return trimmed === '' ? undefined : trimmed;
};

function stdoutOfJson(response: string): string | undefined {
  const body = response.trimStart();
  if (!body.startsWith('{') || !body.includes('"stdout"')) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('stdout' in parsed)) return undefined;
    if (typeof parsed.stdout !== 'string') return undefined;
    const result = 'result' in parsed && typeof parsed.result === 'string' ? parsed.result : '';
    return [parsed.stdout, result].filter((part) => part !== '').join('\n');
  } catch {
    // Not JSON: a tool may print anything that begins like it.
    return undefined;
  }
}
