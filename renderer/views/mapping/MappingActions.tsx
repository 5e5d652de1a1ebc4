import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MappingPreview } from '../../../shared/api/contract.ts';
import { type Mapping, mappingFormatName } from '../../../shared/format/mapping.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { isBelow } from '../../data/follows.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useIngestActions } from '../../shell/useIngestActions.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { MappingJson } from './MappingJson.tsx';
import { mappingFault } from './mappingModel.ts';

interface MappingActionsProps {
  readonly path: string;
  readonly mapping: Mapping;
  /** The first records read with the mapping. Undefined while they are read. */
  readonly preview: MappingPreview | undefined;
  readonly saved: readonly Mapping[];
  readonly proposal: Mapping;
  readonly onMapping: (mapping: Mapping) => void;
  readonly onSaved: () => void;
}

const PROPOSAL = '';
const NO_FILES: readonly string[] = [];

/** Files that were read with this mapping and may be read again. */
function useOpenedFilesOf(name: string | undefined): readonly string[] {
  const files = useRequest('file.list', name === undefined ? undefined : {}).data;
  const granted = useRequest('host.info', {}).data?.granted;
  if (name === undefined || files === undefined || granted === undefined) return NO_FILES;
  return files
    .filter(({ format }) => format === mappingFormatName(name))
    .map(({ path }) => path)
    .filter((path) => granted.some((root) => isBelow(path, root)));
}

export function MappingActions(props: MappingActionsProps) {
  const { path, mapping, preview, saved, proposal, onMapping, onSaved } = props;
  const client = useClient();
  const queryClient = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const { startMapped } = useIngestActions();
  const isOwn = saved.includes(proposal);
  const [chosen, setChosen] = useState(isOwn ? proposal.name : PROPOSAL);
  const [isJsonOpen, setJsonOpen] = useState(false);
  const fault = mappingFault(mapping, preview);
  const name = mapping.name.trim();
  const replaces = saved.some((one) => one.name === name);
  const others = useOpenedFilesOf(replaces ? name : undefined).filter((other) => other !== path);

  const save = useMutation({
    mutationFn: async () => {
      await client.request('mapping.save', { mapping: { ...mapping, shape: [...mapping.shape], name } });
      await startMapped.mutateAsync({ paths: [path, ...others], mapping: name });
    },
    onSuccess: () => {
      onSaved();
      setNotice(`Mapping ${name} saved; reading ${counted(others.length + 1, 'file')} with it`);
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['mapping.list'] });
      void queryClient.invalidateQueries({ queryKey: ['file.inspect'] });
    },
  });
  const choose = (id: string) => {
    const next = id === PROPOSAL ? proposal : saved.find((one) => one.name === id);
    if (next === undefined) return;
    setChosen(id);
    onMapping(next);
  };
  const failure = save.error;
  const again = others.length === 0 ? 'this file' : counted(others.length + 1, 'file');
  const replacement = `Replaces the saved mapping ${name}, and reads ${again} again with it`;

  return (
    <div className="end mapping-actions">
      {fault !== undefined && <span className="mapping-fault dim">{fault}</span>}
      {failure !== null && (
        <span className="is-wrong mapping-failure" role="alert" title={failure.message}>
          ✕ {failure.message}
        </span>
      )}
      {saved.length > 0 && (
        <>
          <Link className="is-link" href="/mapping">
            All mappings
          </Link>
          <label>
            {' '}
            start with{' '}
            <select className="text-field" value={chosen} onChange={(event) => choose(event.target.value)}>
              <option value={PROPOSAL}>{isOwn ? 'the current mapping' : 'the first guess'}</option>
              {saved.map((one) => (
                <option key={one.name} value={one.name}>
                  {plainLogText(one.name)}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      <Button onClick={() => setJsonOpen(true)} title="Export or import this mapping as JSON">
        JSON…
      </Button>
      <input
        className="text-field"
        aria-label="Name of the mapping"
        placeholder="name"
        maxLength={200}
        spellCheck={false}
        value={mapping.name}
        onChange={(event) => onMapping({ ...mapping, name: event.target.value })}
      />
      <Button
        isPrimary
        disabled={fault !== undefined || save.isPending}
        title={fault ?? (replaces ? replacement : 'Save the mapping and read this file with it')}
        onClick={() => save.mutate()}
      >
        {replaces ? 'Replace & read' : 'Save & read'}
      </Button>
      {isJsonOpen && (
        <MappingJson
          mapping={mapping}
          onClose={() => setJsonOpen(false)}
          onMapping={(next) => {
            setChosen(PROPOSAL);
            onMapping(next);
          }}
        />
      )}
    </div>
  );
}
