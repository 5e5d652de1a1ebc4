/**
 * Accepts dropped files and folders anywhere in the window. The desktop app gets their paths; a browser uploads the
 * files.
 */
import { useEffect, useRef, useState } from 'react';
import { useInterface } from '../state/interface.ts';
import { useIngestActions } from './useIngestActions.ts';
import { useLibraryActions } from './useLibraryActions.ts';

export function DropTarget() {
  const { pathOf, open } = useIngestActions();
  const { openLibraries } = useLibraryActions();
  const [isOver, setOver] = useState(false);
  const drop = useRef<(files: readonly File[], hasFolder: boolean) => void>(() => undefined);
  useEffect(() => {
    drop.current = (files, hasFolder) => {
      const { showDialog, setNotice } = useInterface.getState();
      if (pathOf === undefined) {
        if (hasFolder) setNotice('A folder cannot be uploaded. Open it by its path, or drop its files.');
        else showDialog({ kind: 'openLogs', files });
        return;
      }
      const paths = files.map(pathOf).filter((path) => path !== '');
      void openLibraries(paths).then((logs) => logs.length > 0 && open.mutate(logs));
    };
  });

  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const { files = [], items = [] } = event.dataTransfer ?? {};
      const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory === true;
      drop.current(Array.from(files), Array.from(items).some(isFolder));
    };
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('dragleave', onDragLeave);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('dragleave', onDragLeave);
      window.removeEventListener('drop', onDrop);
    };
  }, []);

  if (!isOver) return null;
  return (
    <div className="drop">
      <h1>Drop to read these logs</h1>
      <p className="muted">
        {pathOf === undefined
          ? 'Any number of files. They are copied to the machine that serves this page. Open folders by their path.'
          : 'Files or folders, any number of them. Logs are opened read-only; a library is opened beside this one.'}
      </p>
    </div>
  );
}
