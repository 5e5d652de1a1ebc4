/**
 * Where the code of a worker lies: beside this file as TypeScript (Node strips the types),
 * or beside the bundle as JavaScript when packed.
 */
export type WorkerEntry = 'reader' | 'writer' | 'parser' | 'sql' | 'inspector' | 'analysis' | 'columns';

export function entryOf(name: WorkerEntry): URL {
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? `./${name}.ts` : `./${name}.js`, import.meta.url);
}
