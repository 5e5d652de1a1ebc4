/** The choice between a browser download and a path on the server's machine. */
import { useState } from 'react';
import type { ResultOf } from '../../../shared/api/contract.ts';
import { isCancelled } from '../../../shared/api/errors.ts';
import { useConnection, useLibrary } from '../../data/DataProvider.tsx';
import { useLongTask } from '../../data/useLongQuery.ts';
import { saveBlob } from '../../ui/exportText.ts';
import { PathField } from './TaskDialog.tsx';
import './pack.css';

type ExportMethod = 'pack.export' | 'run.export';

interface ExportTaskOptions<M extends ExportMethod> {
  readonly onRunning: (isRunning: boolean) => void;
  readonly onSuccess: (written: ResultOf<M>) => void;
  readonly downloadOf: (written: ResultOf<M>) => { readonly id: string | undefined; readonly name: string };
}

/** An export task. If its result says so, the file is downloaded afterwards. */
export function useExportTask<M extends ExportMethod>(
  method: M,
  { onRunning, onSuccess, downloadOf }: ExportTaskOptions<M>,
) {
  const { download } = useConnection();
  const library = useLibrary();
  /** Share of the file that has been downloaded. */
  const [received, setReceived] = useState<number>();
  const task = useLongTask(method, {
    onRunning: (isRunning) => {
      setReceived(undefined);
      onRunning(isRunning);
    },
    afterwards: async (written, signal) => {
      const { id, name } = downloadOf(written);
      if (id === undefined || download === undefined) return;
      setReceived(0);
      saveBlob(name, await download(id, { library, signal, onProgress: setReceived }));
    },
    onSuccess,
  });
  // A cancellation by the user is not an error.
  return { ...task, received, error: isCancelled(task.error) ? null : task.error };
}

/** Whether the page runs in a browser, which can download the host's files. */
export function useCanDownload(): boolean {
  return useConnection().download !== undefined;
}

interface ExportTargetProps {
  readonly isDownload: boolean;
  readonly onDownload: (isDownload: boolean) => void;
  /** Label of the path field: `The new file`. */
  readonly label: string;
  readonly hint: string;
  /** Describes the download if it is not a single file. */
  readonly downloadHint: string;
  readonly path: string;
  readonly onPath: (path: string) => void;
  readonly isDisabled: boolean;
}

export function ExportTarget(props: ExportTargetProps) {
  const { isDownload, onDownload, label, hint, downloadHint, path, onPath, isDisabled } = props;
  const canDownload = useCanDownload();
  return (
    <>
      {canDownload && (
        <fieldset className="export-target" disabled={isDisabled}>
          <legend>Destination</legend>
          <label>
            <input type="radio" name="target" checked={isDownload} onChange={() => onDownload(true)} />{' '}
            Download
          </label>
          <label>
            <input type="radio" name="target" checked={!isDownload} onChange={() => onDownload(false)} /> Save
            on the server’s machine
          </label>
        </fieldset>
      )}
      <PathField
        label={isDownload ? 'File name' : label}
        hint={isDownload ? downloadHint : hint}
        path={path}
        onPath={onPath}
        isDisabled={isDisabled}
      />
    </>
  );
}

interface ExportProgressProps {
  /** Names the items that are counted during the export. */
  readonly label: string;
  /** Share written, 0…1. */
  readonly written: number | undefined;
  /** Share downloaded by this browser, 0…1. */
  readonly received: number | undefined;
}

export function ExportProgress({ label, written, received }: ExportProgressProps) {
  return (
    <p className="waiting" role="status">
      <progress
        aria-label={received === undefined ? label : 'Bytes received'}
        value={received ?? written}
        max={1}
      />{' '}
      {received === undefined ? 'Writing…' : 'Downloading…'}
    </p>
  );
}
