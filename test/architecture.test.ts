/**
 * The import table as data. Project references compile the same rules; this test also checks the finer ones
 * (which folder of electron may use which) and conventions that a compiler does not check.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Folder → folders it may import from (besides itself), and packages. `types:` allows type-only imports. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'shared/domain': ['jsonc-parser'],
  'shared/format': ['shared/domain', 'zod'],
  'shared/api': [
    'shared/domain',
    'types:shared/format',
    'shared/format/mapping.ts',
    'shared/format/taxonomy.ts',
    'zod',
  ],
  'electron/storage': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'node:',
    'better-sqlite3',
    'lru-cache',
  ],
  'electron/ingest': ['shared/domain', 'shared/format', 'shared/api', 'electron/storage', 'node:'],
  // Only this folder opens containers, with the libraries for them.
  'electron/ingest/containers': [
    'shared/format',
    'electron/storage/bytesOnDisk.ts',
    'electron/storage/databaseFiles.ts',
    'electron/storage/pageTrees.ts',
    'electron/storage/plannerStatistics.ts',
    'node:',
    'better-sqlite3',
    '@uwdata/flechette',
    'hyparquet',
    'hyparquet-compressors',
    'yauzl',
  ],
  'electron/roc': ['shared/domain', 'shared/format', 'shared/api', 'electron/storage', 'node:'],
  'electron/signals': ['shared/domain', 'shared/format', 'shared/api', 'electron/storage', 'node:'],
  'electron/compare': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage',
    'types:electron/threads',
    'node:',
  ],
  'electron/columns': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage',
    'types:electron/threads',
    'electron/threads/timeLimit.ts',
    'lru-cache',
    'node:',
  ],
  'electron/threads': ['shared/api', 'node:'],
  // Runs code of others in a process with few rights, so it imports nothing of Turnwise but types.
  'electron/python': ['types:shared/domain', 'node:', 'pyodide'],
  'electron/sampling': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/threads/timeLimit.ts',
    'zod',
    'node:',
  ],
  'electron/search': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage',
    'electron/columns',
    'types:electron/threads',
    'electron/threads/timeLimit.ts',
    'node:',
  ],
  'electron/export': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage',
    'electron/threads/timeLimit.ts',
    'node:',
    'hyparquet-writer',
    'hyparquet',
  ],
  'electron/warehouse': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage',
    'electron/export',
    'electron/columns',
    'electron/threads/task.ts',
    'types:electron/threads',
    '@clickhouse/client',
    'zod',
    'node:',
  ],
  'electron/worker': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage',
    'electron/ingest',
    'electron/roc',
    'electron/signals',
    'electron/compare',
    'electron/columns',
    'electron/search',
    'electron/export',
    'electron/warehouse',
    'electron/threads',
    'electron/python',
    'node:',
  ],
  'electron/host': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage/bytesOnDisk.ts',
    'electron/storage/databaseFiles.ts',
    'electron/storage/storageFailure.ts',
    'electron/ingest/granted.ts',
    'electron/threads',
    'electron/worker/entry.ts',
    'types:electron/worker',
    'types:electron/python',
    'electron/python/messages.ts',
    'electron/sampling',
    'electron/warehouse/namedWarehouse.ts',
    'types:electron/warehouse',
    'node:',
  ],
  'electron/main': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/host',
    'electron/threads/childProcess.ts',
    'electron/warehouse/namedWarehouse.ts',
    'node:',
    'electron',
    'zod',
    'types:electron/preload',
  ],
  'electron/preload': ['shared/domain', 'shared/format', 'shared/api', 'electron/host', 'electron'],
  'electron/headless': ['shared/domain', 'shared/format', 'shared/api', 'electron/host', 'node:', 'ws'],
  'electron/cli': [
    'shared/domain',
    'shared/format',
    'shared/api',
    'electron/storage/bytesOnDisk.ts',
    'electron/storage/rescue.ts',
    'electron/host',
    'electron/headless',
    'electron/warehouse',
    'types:electron/worker',
    'node:',
  ],
  'electron/start': ['electron/headless', 'node:'],
  'renderer/ui': [
    'npm',
    'types:shared/domain',
    'shared/domain/delimited.ts',
    'shared/domain/drawingCost.ts',
    'shared/domain/hiddenCharacters.ts',
    'shared/domain/longWords.ts',
  ],
  'renderer/charts': ['npm', 'types:shared/domain', 'shared/domain/delimited.ts', 'renderer/ui'],
  'renderer/editor': ['npm', 'types:shared/domain', 'shared/domain/linearSearch.ts', 'renderer/ui'],
  'renderer/theme': ['npm'],
  'renderer/data': ['npm', 'shared/domain', 'shared/format', 'shared/api'],
  'renderer/state': ['types:shared/domain', 'zustand', 'zod'],
  'renderer/shell': ['npm', 'shared', 'renderer/ui', 'renderer/data', 'renderer/state'],
  'renderer/widgets': [
    'npm',
    'shared',
    'renderer/ui',
    'renderer/charts',
    'renderer/editor',
    'renderer/data',
    'renderer/state',
    'renderer/shell',
  ],
};

/** View → views that are tabs of it, pages that it falls back to, or whose labelling it shares. */
const VIEWS_OF_VIEW: Readonly<Record<string, readonly string[]>> = {
  run: ['overview', 'evaluation', 'recipe', 'configuration', 'sources'],
  step: ['run'],
  evaluation: ['overview'],
  recipe: ['overview'],
  compare: ['replay'],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const SKIPPED = new Set(['node_modules', 'dist', '.git']);

function filesBelow(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (SKIPPED.has(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(path);
    return /\.(ts|tsx|mjs|cjs|js)$/.test(entry.name) && !entry.name.endsWith('.config.ts') ? [path] : [];
  });
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?['"]([^'"]+)['"]\s*\)/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const resolved = (specifier: string): string =>
    specifier.startsWith('.')
      ? relative(ROOT, resolve(ROOT, dirname(file), specifier))
          .split(sep)
          .join('/')
      : specifier;
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, to]) => ({
      from: file,
      to: resolved(to ?? ''),
      isType: type !== undefined,
    })),
    ...[...text.matchAll(DYNAMIC)].map(([, to]) => ({ from: file, to: resolved(to ?? ''), isType: false })),
  ];
}

const isOurs = (path: string): boolean => /^(shared|electron|renderer|fixtures|test)\//.test(path);

function isAllowed({ from, to, isType }: Import): boolean {
  const room = from.split('/').slice(0, 3).join('/');
  const folder = Object.hasOwn(MAY_IMPORT, room) ? room : from.split('/').slice(0, 2).join('/');
  if (to.startsWith(`${folder}/`) && folder !== 'renderer/views') return true;
  if (folder === 'renderer/app') return !isOurs(to) || to.startsWith('renderer/') || to.startsWith('shared/');
  if (folder === 'renderer/views') {
    const [view = '', other = ''] = [from, to].map((path) => path.split('/')[2]);
    if (!isOurs(to) || to.startsWith('shared/')) return true;
    if (to.startsWith('renderer/views/'))
      return other === view || VIEWS_OF_VIEW[view]?.includes(other) === true;
    return to.startsWith('renderer/') && !to.startsWith('renderer/app/');
  }
  const allowed = MAY_IMPORT[folder];
  if (allowed === undefined) return false;
  return allowed.some((rule) => {
    if (rule === 'npm') return !isOurs(to) && !to.startsWith('node:');
    if (rule === 'node:') return to.startsWith('node:');
    if (rule.startsWith('types:')) return isType && to.startsWith(`${rule.slice('types:'.length)}/`);
    return to === rule || to.startsWith(`${rule}/`);
  });
}

const SOURCES = ['shared', 'electron', 'renderer'].flatMap(filesBelow);

type Edge = readonly [from: string, to: string];

/** What is left after removing, again and again, the folders that import nothing. */
function circleOf(edges: readonly Edge[]): readonly Edge[] {
  const others = edges.filter(([from, to]) => from !== to);
  const importing = new Set(others.map(([from]) => from));
  const left = others.filter(([, to]) => importing.has(to));
  return left.length === others.length ? left : circleOf(left);
}

describe('imports', () => {
  it('imports follow the table', () => {
    const broken = SOURCES.flatMap(importsOf).filter((each) => !isAllowed(each));
    expect(broken.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('the checker finds forbidden imports', () => {
    const forbidden: Import[] = [
      { from: 'shared/domain/a.ts', to: 'shared/format/b.ts', isType: true },
      { from: 'shared/domain/a.ts', to: 'node:fs', isType: false },
      { from: 'electron/host/a.ts', to: 'electron/storage/b.ts', isType: false },
      { from: 'electron/cli/a.ts', to: 'electron', isType: false },
      { from: 'renderer/ui/a.tsx', to: 'renderer/state/b.ts', isType: false },
      { from: 'renderer/views/a/x.tsx', to: 'renderer/views/b/y.tsx', isType: false },
      { from: 'renderer/views/overview/x.tsx', to: 'renderer/views/run/y.tsx', isType: false },
      { from: 'renderer/views/a/x.tsx', to: 'renderer/app/y.tsx', isType: false },
      { from: 'renderer/shell/x.tsx', to: 'renderer/widgets/y.tsx', isType: true },
      { from: 'renderer/widgets/x.tsx', to: 'renderer/views/run/y.tsx', isType: true },
      { from: 'renderer/data/a.ts', to: 'electron/host/b.ts', isType: true },
    ];
    expect(forbidden.filter(isAllowed)).toEqual([]);
  });

  it('the READMEs name what the table allows', () => {
    const missing = ['electron', 'shared', 'renderer'].flatMap((top) => {
      const readme = readFileSync(join(ROOT, top, 'README.md'), 'utf8');
      const rows = new Map(
        [...readme.matchAll(/^\| (`[^|]+) \|(.*)\|$/gm)].flatMap(([, folders = '', text = '']) =>
          [...folders.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => [folder, text] as const),
        ),
      );
      return Object.entries(MAY_IMPORT)
        .filter(([folder]) => folder.startsWith(`${top}/`))
        .flatMap(([folder, rules]) =>
          rules
            // Every folder of electron may import shared.
            .filter((rule) => rule !== 'npm' && !(top === 'electron' && rule.startsWith('shared/')))
            .map((rule) => rule.replace('types:', '').replace(/^electron\//, ''))
            .filter((rule) => rows.get(folder)?.includes(rule) !== true)
            .map((rule) => `${top}/README.md: ${folder} may import ${rule}`),
        );
    });
    expect(missing).toEqual([]);
  });

  it('folders of the renderer never import in a circle', () => {
    const edges = filesBelow('renderer')
      .flatMap(importsOf)
      .filter(({ to }) => /^renderer\/.*\.tsx?$/.test(to))
      .map(({ from, to }): Edge => [dirname(from), dirname(to)]);
    expect(circleOf(edges)).toEqual([]);
    expect(circleOf([...edges, ['renderer/ui', 'renderer/views/run']])).not.toEqual([]);
  });
});

/** Classes with a rule of their own in a style sheet. Modifiers (`is-…`) belong to what they modify. */
function ownClasses(file: string): readonly string[] {
  return [...codeOf(file).matchAll(/(?<=^|[{}])\s*\.([\w-]+)\s*\{/g)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('is-'));
}

/** Without comments: a comment may name what the code must not do. */
function codeOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

describe('conventions', () => {
  it('a class has rules of its own in one style sheet', () => {
    const sheets = new Map<string, Set<string>>();
    const files = readdirSync(join(ROOT, 'renderer'), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((path) => path.endsWith('.css')).map((path) => `renderer/${path}`))
      for (const name of ownClasses(file)) sheets.set(name, (sheets.get(name) ?? new Set()).add(file));
    expect(sheets.size).toBeGreaterThan(500);
    const several = [...sheets].filter(([, files]) => files.size > 1);
    expect(several.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
  });
  it('every folder has a README', () => {
    const rooms = ['electron', 'shared', 'renderer', 'test'].flatMap((top) =>
      readdirSync(join(ROOT, top), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
        .map((entry) => `${top}/${entry.name}`),
    );
    const without = rooms.filter((room) => !readdirSync(join(ROOT, room)).includes('README.md'));
    expect(without).toEqual([]);
  });

  it('keeps the top level', () => {
    const allowed = new Set([
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'biome.json',
      'README.md',
      'CHANGELOG.md',
      '.gitignore',
      '.ci',
      'electron',
      'renderer',
      'shared',
      'fixtures',
      'test',
      'node_modules',
      'dist',
      '.git',
    ]);
    expect(readdirSync(ROOT).filter((name) => !allowed.has(name))).toEqual([]);
  });

  it('SQL is in storage and warehouse only', () => {
    const sql = /\b(SELECT\s[^'"`]+\sFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\b/;
    const found = SOURCES.filter(
      (file) =>
        !file.startsWith('electron/storage/') &&
        !file.startsWith('electron/warehouse/') &&
        // Another program's database, read as a log.
        file !== 'electron/ingest/containers/sqlite.ts' &&
        sql.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(found).toEqual([]);
  });

  it('never hands log text to an HTML parser, and never silences the type checker', () => {
    const forbidden =
      /innerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|@ts-(ignore|nocheck|expect-error)|\bas any\b|: any\b/;
    const found = SOURCES.filter((file) => /\.tsx?$/.test(file) && forbidden.test(codeOf(file)));
    expect(found).toEqual([]);
  });

  it('prints problems with escapes only', () => {
    const folders = ['electron/host/', 'electron/headless/', 'electron/main/'];
    const found = SOURCES.filter(
      (file) => folders.some((folder) => file.startsWith(folder)) && codeOf(file).includes('console.error'),
    );
    expect(found).toEqual(['electron/host/printProblem.ts']);
  });

  it('names no machine and no registry', () => {
    const texts = [
      ...SOURCES,
      ...['package.json', 'README.md', 'CHANGELOG.md'].filter((name) =>
        statSync(join(ROOT, name), { throwIfNoEntry: false }),
      ),
    ];
    // Concatenated, so that this file does not contain what it forbids.
    const host = ['registry', 'npmjs', 'org'].join('.');
    const found = texts.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(host));
    expect(found).toEqual([]);
  });
});
