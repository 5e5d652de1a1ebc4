import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { type CSSOptions, defineConfig, type Plugin } from 'vite';

/**
 * Writes a gzip file beside each script and style sheet, which the loopback host sends as it is. This speeds up the
 * start.
 */
function compressed(): Plugin {
  return {
    name: 'turnwise:compressed',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const part of Object.values(bundle)) {
          if (!/\.(?:js|css)$/.test(part.fileName)) continue;
          const source = part.type === 'chunk' ? part.code : part.source;
          this.emitFile({ type: 'asset', fileName: `${part.fileName}.gz`, source: gzipSync(source) });
        }
      },
    },
  };
}

/**
 * Later layers take precedence. Rules without a layer override all of them, such as the styles that Monaco adds at run
 * time.
 */
const LAYERS = ['packages', 'theme', 'ui', 'charts', 'editor', 'widgets', 'shell', 'app', 'views'] as const;

type PostcssPlugins = Exclude<NonNullable<CSSOptions['postcss']>, string>['plugins'];

/**
 * Puts the rules of each folder into a cascade layer of its name. A page's styles are loaded with the page, so without
 * layers the order of visits would determine precedence between folders.
 */
const layers: NonNullable<PostcssPlugins>[number] = {
  postcssPlugin: 'turnwise:layers',
  Once(root, { AtRule }) {
    const folder = /\/renderer\/(\w+)\/[^?]*$/.exec(root.source?.input.file ?? '')?.[1];
    const layer = new AtRule({ name: 'layer', params: LAYERS.find((name) => name === folder) ?? 'packages' });
    layer.append(root.nodes);
    root.append(new AtRule({ name: 'layer', params: LAYERS.join(', ') }), layer);
  },
};

/**
 * Absolute base: deep links such as `/run/…/step/…` are served from the same index.html,
 * so relative asset paths would resolve against the link. No inline scripts and no data:
 * scripts, because the shells send `script-src 'self'`.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react(), compressed()],
  css: { postcss: { plugins: [layers] } },
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'chrome130',
    // Monaco's core is one lazy chunk of about 3 MB; it is loaded from disk, not over a network.
    chunkSizeWarningLimit: 4500,
    // Fonts and workers must stay files: the policy allows neither data: fonts nor blob: workers.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // One file instead of forty for everything the first list needs, since each file is a request before the first
        // paint.
        codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] },
      },
    },
  },
  worker: { format: 'es' },
});
