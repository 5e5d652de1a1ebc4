/** Exports a run as a Parquet data set, with progress. */
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { RunSummary } from '../../../shared/api/contract.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { bytes, counted } from '../../ui/numbers.ts';
import { ExportProgress, ExportTarget, useCanDownload, useExportTask } from './ExportTarget.tsx';
import { fileName, TaskDialog } from './TaskDialog.tsx';

export function ExportRun() {
  const runKey = useDialog('exportRun')?.runKey;
  const run = useRequest('run.list', {}).data?.find((one) => one.runKey === runKey);
  if (run === undefined) return null;
  return <TaskDialog name="exportRun">{(frame) => <ExportRunBody run={run} {...frame} />}</TaskDialog>;
}

interface ExportRunBodyProps {
  readonly run: RunSummary;
  readonly onDone: () => void;
  readonly onWriting: (isWriting: boolean) => void;
}

function ExportRunBody({ run, onDone, onWriting }: ExportRunBodyProps) {
  const [text, setText] = useState(() => `${fileName(run.name)}-rollouts`);
  const setNotice = useInterface((state) => state.setNotice);
  const [isDownload, setDownload] = useState(useCanDownload());
  const task = useExportTask('run.export', {
    downloadOf: ({ download, directory }) => ({ id: download, name: directory }),
    onRunning: onWriting,
    onSuccess: (written) => {
      onDone();
      const end = written.download === undefined ? '' : ' downloaded';
      setNotice(
        `${counted(written.rollouts, 'rollout')} in ${counted(written.files, 'file')}, ${bytes(written.bytes)}: ${written.directory}${end}`,
      );
    },
  });
  const path = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path !== '' && !task.isRunning) task.start({ runKeys: [run.runKey], path, isDownload });
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Export {run.name} as Parquet</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <p>
          {counted(run.rollouts, 'rollout')}, one row each, with texts, segments, tool calls, decisions and
          token data, in one file per step. DuckDB, ClickHouse, Spark, pandas and Turnwise read the directory.
        </p>
        <ExportTarget
          isDownload={isDownload}
          onDownload={setDownload}
          label="The new directory"
          hint="A bare name is saved next to the library. Existing directories are never changed."
          downloadHint="The directory arrives as one .zip."
          path={text}
          onPath={setText}
          isDisabled={task.isRunning}
        />
        {task.isRunning && (
          <ExportProgress label="Rollouts written" written={task.progress?.share} received={task.received} />
        )}
        {task.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {task.error.message}
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button onClick={task.isRunning ? task.stop : onDone}>Cancel</Button>
          <Button type="submit" isPrimary disabled={path === '' || task.isRunning}>
            {task.isRunning
              ? 'Writing…'
              : `${isDownload ? 'Download' : 'Write'} ${counted(run.rollouts, 'rollout')}`}
          </Button>
        </span>
      </div>
    </form>
  );
}
