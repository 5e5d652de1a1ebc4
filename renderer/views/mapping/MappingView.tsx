/** The mappings of this library. If the URL names a file: its records, and the mapping editor. */

import { useState } from 'react';
import { MAPPING_VERSION, type Mapping, mappingFormatName } from '../../../shared/format/mapping.ts';
import { ApiError } from '../../data/failures.ts';
import { mappingPath } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useUnmappedFiles } from '../../data/useUnmappedFiles.ts';
import { useIngestActions } from '../../shell/useIngestActions.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText, plainPath } from '../../ui/LogText.tsx';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { MappingEditor } from './MappingEditor.tsx';
import { SavedMappings } from './SavedMappings.tsx';
import './mapping.css';

export default function MappingView() {
  const [query] = useUrlQuery();
  const path = query.get('path') ?? '';
  const name = query.get('mapping') ?? undefined;
  return path === '' ? <Mappings /> : <MappingOf key={`${name} ${path}`} path={path} name={name} />;
}

interface MappingOfProps {
  readonly path: string;
  /** The saved mapping to edit. */
  readonly name: string | undefined;
}

function MappingOf({ path, name: wanted }: MappingOfProps) {
  const file = useRequest('file.inspect', { path });
  const saved = useRequest('mapping.list', {});

  const error = file.error ?? saved.error;
  if (error !== null) {
    const isRefused = error instanceof ApiError && error.code === 'not_granted';
    return (
      <FailedState
        isPage
        title={isRefused ? 'This file has not been opened' : 'This file could not be read'}
        error={error}
        onRetry={() => void (file.error === null ? saved.refetch() : file.refetch())}
      >
        {isRefused && <p>Turnwise reads only files that you opened. Open the file or its directory first.</p>}
      </FailedState>
    );
  }
  if (file.data === undefined || saved.data === undefined) return <WaitingState title="Reading the file…" />;

  const { format, issue, proposal } = file.data;
  const named = saved.data.find(({ name }) => name === wanted);
  const own = named ?? saved.data.find(({ name }) => mappingFormatName(name) === format);
  if (proposal === undefined && own === undefined && format === undefined) {
    return (
      <EmptyState title="There are no records to map in this file" isPage>
        <p className="state-facts">{path}</p>
        {issue !== undefined && <p className="state-facts">{issue.message}</p>}
      </EmptyState>
    );
  }
  const empty: Mapping = { version: MAPPING_VERSION, name: 'mapping', shape: file.data.keys, fields: {} };
  return <MappingEditor file={file.data} saved={saved.data} proposal={named ?? proposal ?? own ?? empty} />;
}

/** Shown if the URL names no file: the saved mappings, and files that need one. */
function Mappings() {
  const unmapped = useUnmappedFiles(true);
  const { canOpenDialog, openFileToMap } = useIngestActions();
  const [path, setPath] = useState('');
  return (
    <div className="mapping-choose">
      <h1>Mappings</h1>
      <p className="muted">
        A mapping reads logs in an unknown format: it names where their records have the response, the reward
        and other fields. It is used for every further file with the same fields.
      </p>
      <h2>Saved mappings</h2>
      <SavedMappings />
      <h2>Files that were not recognised</h2>
      {unmapped.data === undefined ? (
        <p className="dim">{unmapped.error === null ? 'Listing…' : unmapped.error.message}</p>
      ) : unmapped.data.length === 0 ? (
        <p className="dim">None in this library.</p>
      ) : (
        <ul className="mapping-unread">
          {unmapped.data.slice(0, 50).map((file) => (
            <li key={file.path}>
              <Link className="mono" href={mappingPath(file.path)} title={plainLogText(file.message)}>
                {plainPath(file.path)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {unmapped.data !== undefined && unmapped.data.length > 50 && (
        <p className="dim">and {unmapped.data.length - 50} more, listed under Issues</p>
      )}
      <h2>Map another file</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() !== '') goTo({ view: 'mapping' }, `?path=${encodeURIComponent(path.trim())}`);
        }}
      >
        <input
          className="text-field mono"
          aria-label="Path of a log file"
          placeholder="path of a log file in an allowed folder"
          spellCheck={false}
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
        <Button type="submit" disabled={path.trim() === ''}>
          {' '}
          Open{' '}
        </Button>
        {canOpenDialog && <Button onClick={() => openFileToMap.mutate()}>Choose…</Button>}
      </form>
    </div>
  );
}
