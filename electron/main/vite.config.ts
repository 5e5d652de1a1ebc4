import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Bundles Electron's main process, the browser shell, the command line and their workers. Every process that
 * a user starts runs from the bundle, because a worker loads one file in a fifth of the time of its 200 sources.
 *
 * All files are in one directory, because a worker is found beside the module that starts it. All packages
 * are bundled except the addon and Pyodide, which have to be separate files (unpacked from the archive, see
 * builder.yml).
 */
export default defineConfig({
  root: here('.'),
  plugins: [
    {
      // Packaged worker threads cannot start from inside an archive, so builder.yml unpacks these files.
      name: 'workers-outside-the-archive',
      transform: (code, id) =>
        id.endsWith('/worker/entry.ts')
          ? code.replaceAll('import.meta.url', "import.meta.url.replace('/app.asar/', '/app.asar.unpacked/')")
          : undefined,
    },
  ],
  ssr: { noExternal: true },
  build: {
    outDir: here('../../dist/electron'),
    emptyOutDir: true,
    ssr: true,
    target: 'node24',
    minify: false,
    rollupOptions: {
      input: {
        main: here('main.ts'),
        cli: here('../cli/main.ts'),
        serve: here('../headless/serve.ts'),
        reader: here('../worker/reader.ts'),
        writer: here('../worker/writer.ts'),
        parser: here('../worker/parser.ts'),
        sql: here('../worker/sql.ts'),
        python: here('../worker/python.ts'),
        watchdog: here('../worker/watchdog.ts'),
        inspector: here('../worker/inspector.ts'),
        analysis: here('../worker/analysis.ts'),
        columns: here('../worker/columns.ts'),
      },
      external: ['electron', 'better-sqlite3', 'pyodide', /^node:/],
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
