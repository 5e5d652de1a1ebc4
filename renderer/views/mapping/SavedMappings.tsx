/** The mappings of this library: the files they match, the runs that use them, and buttons to edit and delete them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { FileRow, RunSummary } from '../../../shared/api/contract.ts';
import { type Mapping, mappingFormatName } from '../../../shared/format/mapping.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { mappingPath, pathOfRoute } from '../../data/route.ts';
import { distinctNames } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { counted } from '../../ui/numbers.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { MappingJson } from './MappingJson.tsx';

const NO_RUNS: readonly RunSummary[] = [];
const NO_FILES: readonly FileRow[] = [];
const NO_MAPPINGS: readonly Mapping[] = [];
/** Further runs are only counted. */
const NAMED_RUNS = 6;

interface Usage {
  readonly mapping: Mapping;
  readonly runs: readonly RunSummary[];
  readonly files: readonly FileRow[];
}

export function SavedMappings() {
  const saved = useRequest('mapping.list', {});
  const runs = useRequest('run.list', {}).data ?? NO_RUNS;
  const files = useRequest('file.list', {}).data ?? NO_FILES;
  const [edited, setEdited] = useState<Mapping>();
  const [doomed, setDoomed] = useState<Usage>();
  const { save, failure } = useSaveMapping();
  const names = distinctNames(runs);
  const { shown, more } = useFirstItems(saved.data ?? NO_MAPPINGS, 'mapping');
  if (saved.data === undefined)
    return <p className="dim">{saved.error === null ? 'Listing…' : saved.error.message}</p>;
  if (saved.data.length === 0) return <p className="dim">None yet. Map a file below to make one.</p>;
  return (
    <>
      {failure !== null && (
        <p className="is-wrong" role="alert">
          ✕ {failure.message}
        </p>
      )}
      <ul>
        {shown.map((mapping) => {
          const format = mappingFormatName(mapping.name);
          const usage = {
            mapping,
            runs: runs.filter((run) => run.format === format),
            files: files.filter((file) => file.format === format),
          };
          return (
            <li
              key={mapping.name}
              className="mapping-saved"
              aria-label={`Mapping ${plainLogText(mapping.name)}`}
            >
              <h3>{plainLogText(mapping.name)}</h3>
              <p className="muted">
                Matches records with the fields{' '}
                <span className="mono">{plainLogText(mapping.shape.join(', '))}</span>
              </p>
              <p className="muted">
                {usage.runs.length === 0
                  ? 'Used by no run'
                  : `Used by ${counted(usage.runs.length, 'run')}: `}
                {usage.runs.slice(0, NAMED_RUNS).map((run, i) => (
                  <span key={run.runKey}>
                    {i > 0 && ', '}
                    <Link className="is-link" href={pathOfRoute({ view: 'run', runKey: run.runKey })}>
                      {plainLogText(names[runs.indexOf(run)] ?? '')}
                    </Link>
                  </span>
                ))}
                {usage.runs.length > NAMED_RUNS && ` and ${usage.runs.length - NAMED_RUNS} more`}
                {usage.files.length > 0 && ` · ${counted(usage.files.length, 'file')}`}
              </p>
              <span className="mapping-saved-actions">
                <EditButton usage={usage} onJson={() => setEdited(mapping)} />
                <Button aria-label={`Delete ${plainLogText(mapping.name)}…`} onClick={() => setDoomed(usage)}>
                  Delete…
                </Button>
              </span>
            </li>
          );
        })}
      </ul>
      {more}
      {edited !== undefined && (
        <MappingJson mapping={edited} onMapping={save} onClose={() => setEdited(undefined)} />
      )}
      {doomed !== undefined && <DeleteMapping usage={doomed} onClose={() => setDoomed(undefined)} />}
    </>
  );
}

/** Opens the mapping with a file that was read with it. Without such a file, it is edited as JSON. */
function EditButton({ usage, onJson }: { readonly usage: Usage; readonly onJson: () => void }) {
  const { name } = usage.mapping;
  const [file] = usage.files;
  if (file === undefined) {
    const title = 'No file in this library is read with it, so it is edited as JSON';
    return (
      <Button aria-label={`Edit ${plainLogText(name)} as JSON…`} title={title} onClick={onJson}>
        Edit JSON…
      </Button>
    );
  }
  const href = `${mappingPath(file.path)}&mapping=${encodeURIComponent(name)}`;
  return (
    <Link
      className="button"
      aria-label={`Edit ${plainLogText(name)}`}
      href={href}
      title={`Edits it on ${plainLogText(file.path)}`}
    >
      Edit
    </Link>
  );
}

function useSaveMapping() {
  const client = useClient();
  const queryClient = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const save = useMutation({
    mutationFn: (mapping: Mapping) =>
      client.request('mapping.save', { mapping: { ...mapping, shape: [...mapping.shape] } }),
    onSuccess: (_answer, { name }) => setNotice(`Mapping ${plainLogText(name)} saved`),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['mapping.list'] }),
  });
  return { save: (mapping: Mapping) => save.mutate(mapping), failure: save.error };
}

/** Confirms the deletion of a mapping and explains what happens to runs that were read with it. */
function DeleteMapping({ usage, onClose }: { readonly usage: Usage; readonly onClose: () => void }) {
  const client = useClient();
  const queryClient = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const { name } = usage.mapping;
  const remove = useMutation({
    mutationFn: () => client.request('mapping.remove', { name }),
    onSuccess: () => {
      onClose();
      setNotice(`Mapping ${plainLogText(name)} deleted`);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['mapping.list'] }),
  });
  const rollouts = usage.files.reduce((sum, file) => sum + file.rollouts, 0);
  return (
    <Modal onClose={onClose} className="dialog remove-run">
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Delete the mapping {plainLogText(name)}?</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <p>
          {usage.files.length === 0
            ? 'No file in this library is read with it.'
            : `${counted(rollouts, 'rollout')} of ${counted(usage.runs.length, 'run')}, read with it from ${counted(usage.files.length, 'file')}, stay in the library with their labels and notes. But without the mapping, its files cannot be read again: a file that grows is listed under Issues as an unknown format.`}
        </p>
        {remove.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {remove.error.message}
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button autoFocus onClick={onClose}>
            Cancel
          </Button>
          <Button isPrimary disabled={remove.isPending} onClick={() => remove.mutate()}>
            Delete the mapping
          </Button>
        </span>
      </div>
    </Modal>
  );
}
