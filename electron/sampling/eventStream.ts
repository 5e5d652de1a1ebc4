/** Server-sent events: the data of each event, from chunks that may end anywhere. */
import { refused } from '../../shared/api/errors.ts';

/** UTF-16 units of a line. The alternatives of one token take about 1 kB. */
const LONGEST_LINE = 4_000_000;

/** @throws ApiError `refused` when the stream is longer than `mostBytes`, or one of its lines too long */
export async function* eventData(body: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  // Joined when the line ends, because a line of a million chunks would be copied a million times.
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw refused('the endpoint sent far more than was asked for');
    const pieces = decoder.decode(chunk, { stream: true }).split('\n');
    for (const piece of pieces.slice(0, -1)) {
      parts.push(piece);
      const data = dataOf(parts.join(''));
      parts = [];
      length = 0;
      if (data !== undefined) yield data;
    }
    const rest = pieces.at(-1) ?? '';
    parts.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) throw refused('the endpoint sent a line without an end');
  }
  const data = dataOf(parts.join('') + decoder.decode());
  if (data !== undefined) yield data;
}

/** Comments, names and ids of events are skipped. */
function dataOf(line: string): string | undefined {
  if (!line.startsWith('data:')) return undefined;
  const data = line.slice('data:'.length).trim();
  return data === '' ? undefined : data;
}
