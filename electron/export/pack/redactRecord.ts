/**
 * A record of a log with its texts replaced: its strings and numbers are read, and written anew where they change. All
 * else stays as the log has it.
 */
import { readJson } from '../../../shared/format/lenientJson.ts';

const VALUE = /"(?:[^"\\]+|\\[\s\S])*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * @returns undefined: it begins as JSON does and cannot be read, so that nobody knows what its escapes hide. What is no
 * JSON is a text
 */
export function recordWith(record: string, text: (text: string) => string): string | undefined {
  if (!/^\s*\{/.test(record)) return text(record);
  if (!readJson(record).ok) return undefined;
  return record.replace(VALUE, (written) => {
    const value = written.startsWith('"') ? (JSON.parse(written) as string) : written;
    const now = text(value);
    return now === value ? written : JSON.stringify(now);
  });
}
