import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** A sandboxed preload must be one CommonJS file. ESM or a second chunk fails as "module not found". */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  build: {
    outDir: fileURLToPath(new URL('../../dist/electron', import.meta.url)),
    emptyOutDir: false,
    ssr: true,
    target: 'chrome140',
    minify: false,
    rollupOptions: {
      input: fileURLToPath(new URL('preload.ts', import.meta.url)),
      external: ['electron'],
      output: { format: 'cjs', entryFileNames: 'preload.cjs', codeSplitting: false },
    },
  },
});
