import { fileURLToPath } from 'node:url';

export interface BundlePaths {
  readonly renderer: string;
  readonly preload: string;
  /** Absent when running from the sources, where the host finds it itself. */
  readonly demo?: string;
}

/**
 * Where everything lies, seen from main: `electron/main/main.ts` in the sources,
 * `dist/electron/main.js` built, the same inside `app.asar` packaged.
 */
export function bundlePaths(mainUrl: string): BundlePaths {
  const isSource = mainUrl.endsWith('.ts');
  const dist = new URL(isSource ? '../../dist/' : '../', mainUrl);
  const renderer = fileURLToPath(new URL('renderer', dist));
  const preload = fileURLToPath(new URL('electron/preload.cjs', dist));
  if (isSource) return { renderer, preload };
  // Worker threads read the demo run, and they know nothing of archives: packed, it lies beside.
  const demo = new URL('../fixtures/demo/demo.jsonl', dist).href.replace('/app.asar/', '/app.asar.unpacked/');
  return { renderer, preload, demo: fileURLToPath(demo) };
}
