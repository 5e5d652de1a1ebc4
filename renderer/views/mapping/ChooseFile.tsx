import { useState } from 'react';
import { useIngestActions } from '../../app/useIngestActions.ts';
import { mappingPath } from '../../data/place.ts';
import { goTo } from '../../data/usePlace.ts';
import { useUnmappedFiles } from '../../data/useUnmappedFiles.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';

/** Without a file in the address: the files that were not recognised, or a path by hand. */
export function ChooseFile() {
  const unmapped = useUnmappedFiles(true);
  const { canOpenDialog, openFileToMap } = useIngestActions();
  const [path, setPath] = useState('');
  return (
    <div className="mapping-choose">
      <h1>Map a file’s fields</h1>
      <p className="muted">
        A log that no format knows can still be read: say where the response, the reward and the rest stand in
        its records. Nothing is read into the library before you save.
      </p>
      <h2>Files that were not recognised</h2>
      {unmapped.data === undefined ? (
        <p className="dim">{unmapped.error === null ? 'Listing…' : unmapped.error.message}</p>
      ) : unmapped.data.length === 0 ? (
        <p className="dim">None in this library.</p>
      ) : (
        <ul>
          {unmapped.data.slice(0, 50).map((file) => (
            <li key={file.path}>
              <Link className="mono" href={mappingPath(file.path)} title={file.message}>
                {file.path}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {unmapped.data !== undefined && unmapped.data.length > 50 && (
        <p className="dim">and {unmapped.data.length - 50} more; the ingest issues list them all</p>
      )}
      <h2>Another file</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() !== '') goTo({ view: 'mapping' }, `?path=${encodeURIComponent(path.trim())}`);
        }}
      >
        <input
          className="text-field mono"
          aria-label="Path of a log file"
          placeholder="path of a log file below what was opened"
          spellCheck={false}
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
        <Button type="submit" disabled={path.trim() === ''}>
          Look at it
        </Button>
        {canOpenDialog && <Button onClick={() => openFileToMap.mutate()}>Choose…</Button>}
      </form>
    </div>
  );
}
