/** The command of `--adapter`: its words as the user's shell would split them, and a hash that detects changes. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Adapter } from '../host/host.ts';
import { ExpectedError, resolvePath, UsageError } from './command.ts';

/** @throws UsageError when the text is not a command or needs a shell; ExpectedError when the command does not exist */
export async function readAdapter(text: string): Promise<Adapter> {
  const [program, ...args] = wordsOf(text);
  if (program === undefined) throw new UsageError('--adapter: the command is empty');
  const directory = resolvePath('.');
  // A program with a path is resolved against the caller's directory, as in a shell.
  const words: Adapter['words'] = [program.includes('/') ? resolve(directory, program) : program, ...args];
  if (!isFound(words[0])) throw new ExpectedError(`--adapter: there is no command ${words[0]}`);
  return { words, directory, hash: await hashOf(words, directory) };
}

/** Checked once, for one message instead of one per file. Skipped on Windows, which has further lookup rules. */
function isFound(program: string): boolean {
  if (process.platform === 'win32') return true;
  const paths = program.includes('/')
    ? [program]
    : (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, program));
  return paths.some((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

const NEEDS_SHELL = /[|&;<>$`()]/;

/** Splits at white space outside quotes. A backslash escapes white space, a quote or a backslash. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  const parts = /\s+|'([^']*)'|"((?:\\["\\]|[^"])*)"|\\([\s'"\\])|([^\s'"])/gy;
  let word: string | undefined;
  let at = 0;
  for (const part of text.matchAll(parts)) {
    const [whole, single, double, escaped, plain] = part;
    at += whole.length;
    const piece = single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain;
    if (plain !== undefined && NEEDS_SHELL.test(plain))
      throw new UsageError(
        `--adapter: ${plain} needs a shell, and none is started; write --adapter "sh -c '…'", or put it in a script`,
      );
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (at < text.length) throw new UsageError('--adapter: a quote is not closed');
  return word === undefined ? words : [...words, word];
}

/** Includes the contents of files named in the command, such as the script. Its imports are not included. */
async function hashOf(words: readonly string[], directory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const word of words) {
    hash.update(`${word}\0`);
    const path = resolve(directory, word);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) continue;
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  }
  return hash.digest('hex').slice(0, 32);
}
