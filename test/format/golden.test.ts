/**
 * Every case in fixtures/<format>/<case>/: its readable dump equals the golden one, however the
 * bytes arrive. New case: put the input there and run with UPDATE_GOLDEN=1, then read the diff.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../shared/format/index.ts';
import { dumpLog, linesOf } from '../support/logDump.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const LINE_FEED = 0x0a;

const cases = FORMATS.flatMap((format) =>
  readdirSync(join(FIXTURES, format.name)).map((name) => ({
    format: format.name,
    name,
    directory: join(FIXTURES, format.name, name),
  })),
);

describe.each(cases)('$format/$name', ({ format, directory }) => {
  const input = readdirSync(directory).find((name) => name.endsWith('.jsonl')) ?? 'input.jsonl';
  const bytes = readFileSync(join(directory, input));
  const dump = dumpLog(bytes, input);

  it('reads as the golden dump says', () => {
    const golden = join(directory, 'expected.json');
    if (process.env['UPDATE_GOLDEN'] === '1' || !existsSync(golden)) {
      if (process.env['CI'] !== undefined) throw new Error(`${golden} is missing`);
      writeFileSync(golden, `${JSON.stringify(dump, undefined, 1)}\n`);
    }
    expect(dump).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
    expect(dump.format).toBe(format);
  });

  it('is recognised by content, whatever the file is called', () => {
    expect(dumpLog(bytes, 'unknown').format).toBe(format);
  });

  it.each([1, 7, 65536])('is the same in chunks of %i bytes', (size) => {
    expect(dumpLog(bytes, input, size)).toEqual(dump);
  });

  it('is the same with CRLF line ends and with a byte order mark', () => {
    const crlf = Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    expect(dumpLog(crlf, input)).toEqual(dump);
    expect(dumpLog(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]), input)).toEqual(dump);
  });

  it('loses only the last line when it is cut, and has it again when completed', () => {
    const withoutEnd = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED, bytes.byteLength - 2) + 1);
    const lines = linesOf(bytes, 4096);
    expect(linesOf(withoutEnd, 4096)).toEqual(lines.slice(0, -1));
    expect(linesOf(Buffer.concat([withoutEnd, bytes.subarray(withoutEnd.byteLength)]), 4096)).toEqual(lines);
  });
});
