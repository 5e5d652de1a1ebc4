/** Reads a tokenizer.json that the user names, or one in the directory of a log. */
import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readJson } from '../../shared/format/lenientJson.ts';
import { readTokenizer, type Tokenizer } from '../../shared/format/tokenizer.ts';
import { readWhole } from './containers/openFile.ts';
import { reasonOf, TOKENIZER_FILE } from './discover.ts';

/** The largest known vocabularies take less than half of this. */
const MOST_BYTES = 64 << 20;

export type TokenizerFile =
  | { readonly ok: true; readonly tokenizer: Tokenizer; readonly name: string }
  | { readonly ok: false; readonly message: string };

/**
 * The directory's name distinguishes tokenizers, since all files are called tokenizer.json.
 *
 * @param realPath the file to which links in `path` lead, if the caller has checked it
 */
export function readTokenizerFile(path: string, realPath?: string): TokenizerFile {
  try {
    const found = readWhole(realPath ?? realpathSync.native(path), MOST_BYTES);
    if (typeof found === 'number')
      return { ok: false, message: `${path} has ${found} bytes; a tokenizer.json has at most ${MOST_BYTES}` };
    const json = readJson(found.toString('utf8'));
    if (!json.ok) return { ok: false, message: `${path}: not JSON: ${json.message}` };
    const reading = readTokenizer(json.value);
    if (!reading.ok) return { ok: false, message: `${path}: ${reading.message}` };
    const file = basename(path);
    const name = file === TOKENIZER_FILE ? basename(dirname(path)) : file.replace(/\.json$/, '');
    return { ok: true, tokenizer: reading.tokenizer, name: name === '' ? file : name };
  } catch (error) {
    return { ok: false, message: `${path}: ${reasonOf(error).message}` };
  }
}
