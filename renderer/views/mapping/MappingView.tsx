/** Where the fields of a rollout stand in the records of a log no format knows: loads the file, then edits a mapping of it. */

import { MAPPING_VERSION, type Mapping, mappingFormatName } from '../../../shared/format/mapping.ts';
import { ApiError } from '../../data/failures.ts';
import { useUrlQuery } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { ChooseFile } from './ChooseFile.tsx';
import { MappingEditor } from './MappingEditor.tsx';
import './mapping.css';

export default function MappingView() {
  const [query] = useUrlQuery();
  const path = query.get('path') ?? '';
  return path === '' ? <ChooseFile /> : <MappingOf key={path} path={path} />;
}

function MappingOf({ path }: { readonly path: string }) {
  const file = useRequest('file.inspect', { path });
  const saved = useRequest('mapping.list', {});

  const error = file.error ?? saved.error;
  if (error !== null) {
    const isRefused = error instanceof ApiError && error.code === 'not_granted';
    return (
      <FailedState
        title={isRefused ? 'This file has not been opened' : 'This file could not be looked at'}
        error={error}
        onRetry={() => void (file.error === null ? saved.refetch() : file.refetch())}
      >
        {isRefused && (
          <p>Turnwise reads only what you opened: open the file or its directory, then come back.</p>
        )}
      </FailedState>
    );
  }
  if (file.data === undefined || saved.data === undefined)
    return <WaitingState title="Looking at the file…" />;

  const { format, issue, proposal } = file.data;
  const own = saved.data.find(({ name }) => mappingFormatName(name) === format);
  if (proposal === undefined && own === undefined && format === undefined) {
    return (
      <EmptyState title="There are no records to map in this file">
        <p className="state-facts">{path}</p>
        {issue !== undefined && <p className="state-facts">{issue.message}</p>}
      </EmptyState>
    );
  }
  const empty: Mapping = { version: MAPPING_VERSION, name: 'mapping', shape: file.data.keys, fields: {} };
  return <MappingEditor file={file.data} saved={saved.data} proposal={proposal ?? own ?? empty} />;
}
