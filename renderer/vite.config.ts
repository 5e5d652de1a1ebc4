import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Absolute base: deep links such as `/run/…/step/…` are served from the same index.html,
 * so relative asset paths would resolve against the link. No inline scripts and no data:
 * scripts, because the shells send `script-src 'self'`.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'chrome130',
    // Monaco's core is one lazy chunk of about 3 MB; it is loaded from disk, not over a network.
    chunkSizeWarningLimit: 4500,
    // Fonts and workers must stay files: the policy allows neither data: fonts nor blob: workers.
    assetsInlineLimit: 0,
  },
  worker: { format: 'es' },
});
