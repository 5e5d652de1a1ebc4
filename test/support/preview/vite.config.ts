/**
 * The renderer over generated data, for viewing states that real logs rarely show. Not part of the product.
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  cacheDir: '../../../node_modules/.cache/vite-preview',
  plugins: [react()],
  server: { port: 5199, strictPort: true, host: '127.0.0.1', fs: { allow: ['../../..'] } },
  worker: { format: 'es' },
});
