/** Reads a tokenizer.json that the user names. */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readTokenizer, type Tokenizer } from '../../shared/format/tokenizer.ts';
import { reasonOf } from './discover.ts';

/** The largest known vocabularies take a tenth of this. */
const MOST_BYTES = 256 << 20;

export type TokenizerFile =
  | { readonly ok: true; readonly tokenizer: Tokenizer; readonly name: string }
  | { readonly ok: false; readonly message: string };

/** The directory's name distinguishes tokenizers, since all files are called tokenizer.json. */
export function readTokenizerFile(path: string): TokenizerFile {
  try {
    const { size } = statSync(path);
    if (size > MOST_BYTES)
      return { ok: false, message: `${path} has ${size} bytes; a tokenizer.json has at most ${MOST_BYTES}` };
    const reading = readTokenizer(JSON.parse(readFileSync(path, 'utf8')));
    if (!reading.ok) return { ok: false, message: `${path}: ${reading.message}` };
    const file = basename(path);
    const name = file === 'tokenizer.json' ? basename(dirname(path)) : file.replace(/\.json$/, '');
    return { ok: true, tokenizer: reading.tokenizer, name: name === '' ? file : name };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, message: `${path}: not JSON: ${error.message}` };
    return { ok: false, message: `${path}: ${reasonOf(error).message}` };
  }
}
