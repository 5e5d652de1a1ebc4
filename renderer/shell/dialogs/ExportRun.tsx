/** A run as a data set in Parquet: where, how far, and who reads it. */
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { RunSummary } from '../../../shared/api/contract.ts';
import { useLongTask } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { bytes, counted } from '../../ui/numbers.ts';
import { fileName, PathField, TaskDialog } from './TaskDialog.tsx';

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
  const task = useLongTask('run.export', {
    onRunning: onWriting,
    onSuccess: (written) => {
      onDone();
      setNotice(
        `${counted(written.rollouts, 'rollout')} in ${counted(written.files, 'file')}, ${bytes(written.bytes)}: ${written.directory}`,
      );
    },
  });
  const path = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path !== '' && !task.isRunning) task.start({ runKeys: [run.runKey], path });
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
        <PathField
          label="The new directory"
          hint="A bare name is saved next to the library. Existing directories are never changed."
          path={text}
          onPath={setText}
          isDisabled={task.isRunning}
        />
        {task.isRunning && (
          <p className="waiting" role="status">
            <progress aria-label="Rollouts written" value={task.progress?.share} max={1} /> Writing…
          </p>
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
            {task.isRunning ? 'Writing…' : `Write ${counted(run.rollouts, 'rollout')}`}
          </Button>
        </span>
      </div>
    </form>
  );
}
