/** Content that is no text at all, or a stand-in for one: said to be what it is. */
const MAGIC: readonly (readonly [string, readonly number[], string])[] = [
  [
    'pickle',
    [0x80, 0x04, 0x95],
    'a Python pickle; it is never loaded, because loading one runs code. Export it where the run lives: ' +
      'turnwise recorder slime prints the exporter',
  ],
  ['pickle', [0x80, 0x02], 'a Python pickle; it is never loaded, because loading one runs code'],
  ['utf16', [0xff, 0xfe], 'UTF-16 text; convert it to UTF-8'],
  ['utf16', [0xfe, 0xff], 'UTF-16 text; convert it to UTF-8'],
];

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** How the library tokenizers begins every file it writes. */
const TOKENIZER = /^\s*\{\s*"version":\s*"[^"]*",\s*"truncation":[\s\S]{1,400}?"padding":/;

export function foreignContent(first: Buffer): { code: string; message: string } | undefined {
  const text = first.toString('latin1');
  if (text.startsWith(LFS_POINTER)) {
    const size = /^size (\d+)$/m.exec(text)?.[1];
    const bytes = size === undefined ? '' : ` of ${Number(size).toLocaleString('en')} bytes`;
    return {
      code: 'git_lfs_pointer',
      message: `a Git LFS pointer; the log itself${bytes} was not fetched (git lfs pull)`,
    };
  }
  if (TOKENIZER.test(text)) {
    return {
      code: 'tokenizer',
      message: 'a tokenizer, no log; it is given to a run in its sources, or with turnwise tokenizer',
    };
  }
  for (const [code, magic, message] of MAGIC) {
    if (magic.every((byte, i) => first[i] === byte)) return { code, message };
  }
  const nul = first.indexOf(0);
  if (nul >= 0) return { code: 'binary', message: `not text: byte 0 at position ${nul}` };
  return undefined;
}
