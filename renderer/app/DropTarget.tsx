/** Files and folders may be dropped anywhere. Only the desktop shell learns their paths; a browser says so. */
import { useEffect, useRef, useState } from 'react';
import { useIngestActions } from './useIngestActions.ts';
import { useLibraryActions } from './useLibraryActions.ts';

export function DropTarget() {
  const { pathOf, start } = useIngestActions();
  const { openLibraries } = useLibraryActions();
  const [isOver, setOver] = useState(false);
  const drop = useRef<(files: readonly File[]) => void>(() => undefined);
  useEffect(() => {
    drop.current = (files) => {
      if (pathOf === undefined) return;
      const paths = files.map(pathOf).filter((path) => path !== '');
      void openLibraries(paths).then((logs) => logs.length > 0 && start.mutate([...logs]));
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
      drop.current(Array.from(event.dataTransfer?.files ?? []));
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
      <h1>
        {pathOf === undefined ? 'A browser does not tell where a file lies' : 'Drop to read these logs'}
      </h1>
      <p className="muted">
        {pathOf === undefined ? (
          <>
            Start Turnwise with the path instead: <span className="mono">npm start -- PATH</span>
          </>
        ) : (
          'Files or folders, any number of them. Logs are opened read-only; a library is opened beside this one.'
        )}
      </p>
    </div>
  );
}
