/** Imports annotations from a pack. Shows which were added, which existed already, and which conflict. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { MergeReport } from '../../../shared/api/contract.ts';
import { annotationsChanged } from '../../data/annotations.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { labelsPath } from '../../data/labelsLink.ts';
import { navigateTo } from '../../data/useRoute.ts';
import { Button } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import { PathField, TaskDialog } from './TaskDialog.tsx';
import './pack.css';

export function ImportPack() {
  return (
    <TaskDialog name="importPack" className="pack-dialog">
      {({ onDone }) => <ImportPackBody onDone={onDone} />}
    </TaskDialog>
  );
}

function ImportPackBody({ onDone }: { readonly onDone: () => void }) {
  const [path, setPath] = useState('');
  const client = useClient();
  const queryClient = useQueryClient();
  const task = useMutation({
    mutationFn: (file: string) => client.request('annotation.import', { path: file }),
    onSuccess: () => annotationsChanged(queryClient),
  });
  const report = task.data;
  const go = (tab: 'conflicts' | 'annotations', state?: string) => {
    onDone();
    navigateTo(labelsPath({ tab }) + (state === undefined ? '' : `&state=${state}`));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== '' && !task.isPending) task.mutate(path.trim());
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Import annotations</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <p>
          From a failure pack or a file of annotations. Annotations are matched to rollouts by content, not by
          file path. Existing annotations are never overwritten: conflicts wait for your decision. To read the
          rollouts of a pack, open it as a log.
        </p>
        <PathField
          label="The pack"
          hint="A JSONL pack in an allowed folder."
          path={path}
          onPath={setPath}
          isDisabled={task.isPending}
        />
        {task.isPending && (
          <p className="waiting" role="status">
            <progress aria-label="Reading" /> Reading…
          </p>
        )}
        {task.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {task.error.message}
          </p>
        )}
        {report !== undefined && <Outcome report={report} onGo={go} />}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button onClick={onDone}>Close</Button>
          <Button type="submit" isPrimary disabled={path.trim() === '' || task.isPending}>
            Import
          </Button>
        </span>
      </div>
    </form>
  );
}

interface OutcomeProps {
  readonly report: MergeReport;
  readonly onGo: (tab: 'conflicts' | 'annotations', state?: string) => void;
}

function Outcome({ report, onGo }: OutcomeProps) {
  const { added, present, conflicts, unattached, labelsAdded, labelsDiffering, issues } = report;
  return (
    <div role="status" className="import-outcome">
      <p>
        <b>{counted(added, 'annotation')}</b> added, {present} already in this library.
      </p>
      {conflicts > 0 && (
        <p>
          <button type="button" className="is-link" onClick={() => onGo('conflicts')}>
            {counted(conflicts, 'conflict')}
          </button>{' '}
          wait for your decision.
        </p>
      )}
      {unattached > 0 && (
        <p>
          <button type="button" className="is-link" onClick={() => onGo('annotations', 'unattached')}>
            {counted(unattached, 'annotation')}
          </button>{' '}
          refer to rollouts that are not in this library. They are attached when those rollouts are read.
        </p>
      )}
      {labelsAdded.length > 0 && <p>New labels: {labelsAdded.join(', ')}.</p>}
      {labelsDiffering.length > 0 && (
        <p>
          Labels with another description in the pack (the one of this library is kept):{' '}
          {labelsDiffering.join(', ')}.
        </p>
      )}
      {issues.length > 0 && (
        <ul className="is-wrong">
          {issues.map(({ path, line, message }) => (
            <li key={`${path} ${line} ${message}`}>
              {path}
              {line === undefined ? '' : `:${line}`}: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
