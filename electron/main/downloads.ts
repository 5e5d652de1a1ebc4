/**
 * Saves files that the page creates: a notebook, a script, a report. Such a download is a blob of our page;
 * all others are refused. The user chooses the target in a system dialog, and the page never learns the
 * path.
 */
import { extname, join } from 'node:path';
import type { DownloadItem, FileFilter, Session } from 'electron';
import { isOurUrl } from './security.ts';

/** Type names for the dialog, such as `notebook (.ipynb)`. */
const KINDS: Readonly<Record<string, string>> = {
  csv: 'Table',
  html: 'Web page',
  ipynb: 'Notebook',
  json: 'JSON',
  jsonl: 'JSON lines',
  md: 'Markdown',
  py: 'Python',
  svg: 'Drawing',
  txt: 'Text',
};

/** @param directory returns the dialog's initial directory */
export function saveDownloads(session: Pick<Session, 'on'>, directory: () => string): void {
  session.on(
    'will-download',
    (event, item: Pick<DownloadItem, 'getURL' | 'getFilename' | 'setSaveDialogOptions'>) => {
      if (!isOurBlob(item.getURL())) {
        event.preventDefault();
        return;
      }
      const name = item.getFilename();
      item.setSaveDialogOptions({
        title: 'Save as',
        defaultPath: join(directory(), name),
        filters: filtersOf(name),
        properties: ['createDirectory', 'showOverwriteConfirmation'],
      });
    },
  );
}

/** `blob:app://bundle/<id>`: created by our page. */
export function isOurBlob(url: string): boolean {
  return url.startsWith('blob:') && isOurUrl(url.slice('blob:'.length));
}

function filtersOf(name: string): FileFilter[] {
  const extension = extname(name).slice(1);
  const all = { name: 'All files', extensions: ['*'] };
  if (extension === '') return [all];
  return [{ name: KINDS[extension] ?? extension.toUpperCase(), extensions: [extension] }, all];
}
