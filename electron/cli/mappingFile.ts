import { readFileSync } from 'node:fs';
import { readMapping } from '../../shared/format/mapped.ts';
import type { Mapping } from '../../shared/format/mapping.ts';
import { ExpectedError } from './command.ts';

/** @throws ExpectedError when the file is not there or holds no mapping */
export function readMappingFile(path: string): Mapping {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ExpectedError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const reading = readMapping(value);
  if (!('mapping' in reading)) throw new ExpectedError(`${path}: ${reading.message}`);
  return reading.mapping;
}
