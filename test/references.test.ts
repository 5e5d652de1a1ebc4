/**
 * Every path that Markdown or a comment names must exist, and every cited heading must be there.
 *
 * A reference is a link or a word in back-ticks in Markdown, and any word in a comment, that has one of
 * these forms:
 *
 *   name.ts, folder/name.md        a file: .ts .tsx .mjs .cjs .css .md .yml
 *   shared/format/x.json           a file of any other kind, if it begins with a top-level folder or ../
 *   electron/worker, ../recorder   a folder, if it begins with a top-level folder or ../
 *   folder/PAGE.md#some-heading    a heading, by GitHub's slug; this is how comments cite a page
 *
 * A name is looked up beside the file that cites it, then in each folder above that file, then anywhere by
 * its ending, which must be unique. In Markdown, the last of these means below the folder of the page. Names with a placeholder (`*`, `<format>`, `{step}`) are no references.
 * A file of another repository is written with its owner and a colon: owner/repository:path/to/file.ts.
 * Fenced blocks and the products of a build (dist/) are not read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.out', '__pycache__']);

function filesBelow(directory: string): string[] {
  return readdirSync(posix.join(ROOT, directory), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = posix.join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const SELF = 'test/references.test.ts';
const FILES = filesBelow('.');
const PATHS = new Set(
  FILES.flatMap((file) => {
    const parts = file.split('/');
    return parts.map((_, count) => parts.slice(0, count + 1).join('/'));
  }),
);

const TOP = '(?:electron|shared|renderer|fixtures|test|\\.ci)';
const SEGMENT = '[\\w@.-]*[\\w@]';
/** Not within a longer word, an address, a placeholder, or a path of another repository. */
const BEFORE = '(?<![\\w@:/.*<>{}$…%+~-])';
const AFTER = '(?![\\w@/*<>{}$…%+~=-]|\\.[\\w*<{])';
const HEADING = '(?:#(?<heading>[\\w-]+))?';
const REFERENCE = new RegExp(
  `${BEFORE}(?<path>` +
    `(?:(?:\\.\\.?/)*(?:${SEGMENT}/)*${SEGMENT}\\.(?:tsx?|mjs|cjs|css|md|yml))` +
    `|(?:(?:\\.\\./)+|${TOP}/)(?:${SEGMENT}/)*${SEGMENT}` +
    `)/?${HEADING}${AFTER}`,
  'g',
);

interface Reference {
  readonly path: string;
  readonly heading?: string;
}

function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)].flatMap(({ groups }) => {
    const path = groups?.path;
    if (path === undefined || path.startsWith('dist/')) return [];
    return [{ path, heading: groups?.heading }];
  });
}

/** The parts of a file that can hold references: one string per comment, code span or link. */
function citingTexts(file: string, text: string): string[] {
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([match]) => match);
  if (file.endsWith('.md')) {
    const prose = text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, '');
    const spans = [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, span = '']) => span);
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const local = links.filter((target) => !/^[a-z]+:/.test(target));
    return [...spans, ...local.map((target) => (target.startsWith('#') ? `${file}${target}` : target))];
  }
  const blocks = /(?<=^|[\s{(,;])\/\*[\s\S]*?\*\//gm;
  const lines = /(?<=^|\s)\/\/\s.*$/gm;
  if (/\.(ts|tsx|mjs|cjs)$/.test(file)) return [...all(blocks), ...all(lines)];
  if (file.endsWith('.css')) return all(blocks);
  if (file.endsWith('.py')) return [...all(/(?<=^|\s)#\s.*$/gm), ...all(/"""[\s\S]*?"""/g)];
  return file.endsWith('.yml') ? all(/(?<=^|\s)#\s.*$/gm) : [];
}

function candidates(file: string, path: string): string[] {
  const beside = posix.join(posix.dirname(file), path);
  if (PATHS.has(beside)) return [beside];
  if (path.startsWith('.')) return [];
  for (let folder = posix.dirname(posix.dirname(file)); ; folder = posix.dirname(folder)) {
    const above = posix.join(folder, path);
    if (PATHS.has(above)) return [above];
    if (folder === '.') break;
  }
  const found = FILES.filter((known) => known.endsWith(`/${path}`));
  if (!file.endsWith('.md') || !file.includes('/')) return found;
  // A folder's page speaks of its own files: elsewhere another file may happen to have the name.
  return found.filter((known) => known.startsWith(`${posix.dirname(file)}/`));
}

/** GitHub's: lower case, punctuation dropped, blanks as hyphens. */
const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const read = (file: string): string => readFileSync(posix.join(ROOT, file), 'utf8');

function headingsOf(file: string): ReadonlySet<string> {
  const prose = read(file).replace(/^```[\s\S]*?^```/gm, '');
  return new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading)));
}

/** @returns what is wrong with each reference of this text, as `file: reference (reason)` */
function deadReferences(file: string, text: string): string[] {
  return citingTexts(file, text)
    .flatMap(referencesIn)
    .flatMap(({ path, heading }) => {
      const found = candidates(file, path);
      const [target] = found;
      if (target === undefined) return [`${file}: ${path} (no such path)`];
      if (found.length > 1) return [`${file}: ${path} (ambiguous: ${found.join(', ')})`];
      if (heading === undefined || (target.endsWith('.md') && headingsOf(target).has(heading))) return [];
      return [`${file}: ${path}#${heading} (no such heading)`];
    });
}

describe('references', () => {
  it('resolve in Markdown and in comments', () => {
    // This file is full of examples, dead ones among them.
    const dead = FILES.filter(
      (file) => file !== SELF && /\.(md|ts|tsx|mjs|cjs|css|py|yml)$/.test(file),
    ).flatMap((file) => deadReferences(file, read(file)));
    expect(dead).toEqual([]);
  });

  it.each([
    ['// See `browseModel.ts`.', 'browseModel.ts (no such path)'],
    ['/** In domain.md §1. */', 'domain.md (no such path)'],
    ['// electron/nowhere runs this.', 'electron/nowhere (no such path)'],
    ['// shared/README.md#no-such-heading', 'shared/README.md#no-such-heading (no such heading)'],
    ['{/* ../ui/Missing.tsx */}', '../ui/Missing.tsx (no such path)'],
    ['// As README.md2 or main.ts says.', 'main.ts (ambiguous'],
  ])('detects dead ones: %s', (comment, problem) => {
    const dead = deadReferences('renderer/app/made.tsx', comment);
    expect(dead).toHaveLength(1);
    expect(dead[0]).toContain(`renderer/app/made.tsx: ${problem}`);
  });

  it('detects dead ones in Markdown, linked or in back-ticks', () => {
    const text =
      '`gone.ts` and [a page](GONE.md), [here](#gone); a bare gone.ts is prose.\n```\n`in/a/fence.ts`\n```';
    expect(deadReferences('shared/README.md', text)).toEqual([
      'shared/README.md: gone.ts (no such path)',
      'shared/README.md: GONE.md (no such path)',
      'shared/README.md: shared/README.md#gone (no such heading)',
    ]);
  });

  it.each([
    '// owner/repository:src/some/where.ts, <format>.ts, {step}.md, fixtures/<format>/<case>, *.test.ts',
    '// dist/electron/preload.cjs is built; tokenizer.json and ray_trainer.py are files of others.',
    "const path = 'no/comment.ts'; const url = 'https://example.org/a.md';",
    '// https://example.org/a.md',
    '// electron/host, ../data and shared/api/contract.ts are there.',
  ])('accepts live ones and non-references: %s', (text) => {
    expect(deadReferences('renderer/app/made.tsx', text)).toEqual([]);
  });
});

describe('READMEs of folders', () => {
  it('have at most 40 lines', () => {
    const long = FILES.filter((file) => /^(electron|shared|renderer|test)\/.+\/README\.md$/.test(file))
      .map((file) => ({ file, lines: read(file).trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > 40);
    expect(long).toEqual([]);
  });
});
