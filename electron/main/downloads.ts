/**
 * Files the page hands over: a notebook, a script, a report. The page makes them itself, so a download is a blob of
 * ours; any other is refused, as whatever it would fetch is not on this machine. Where it goes is said by the user's
 * hand in a dialog of the system, and the page never learns where that was.
 */
import { extname, join } from 'node:path';
import type { DownloadItem, FileFilter, Session } from 'electron';
import { isOurUrl } from './security.ts';

/** `notebook (.ipynb)` reads better than a bare ending. */
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

/** @param directory where the dialog begins; asked when there is something to save */
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

/** `blob:app://bundle/<id>`: made by our page, in its memory. */
export function isOurBlob(url: string): boolean {
  return url.startsWith('blob:') && isOurUrl(url.slice('blob:'.length));
}

function filtersOf(name: string): FileFilter[] {
  const extension = extname(name).slice(1);
  const all = { name: 'All files', extensions: ['*'] };
  if (extension === '') return [all];
  return [{ name: KINDS[extension] ?? extension.toUpperCase(), extensions: [extension] }, all];
}
