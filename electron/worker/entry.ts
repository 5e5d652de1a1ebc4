/**
 * The code of a worker: a JavaScript file beside the bundle. Benchmarks and generators run from the sources, so they
 * use a TypeScript file beside this one.
 */
export type WorkerEntry =
  | 'reader'
  | 'writer'
  | 'parser'
  | 'sql'
  | 'python'
  | 'watchdog'
  | 'inspector'
  | 'analysis'
  | 'columns';

export function entryOf(name: WorkerEntry): URL {
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? `./${name}.ts` : `./${name}.js`, import.meta.url);
}
