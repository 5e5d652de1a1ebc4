/** Moves a run to its own library, with progress. The log files are not moved. */
import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { useRef, useState } from 'react';
import { LIBRARY_EXTENSIONS, type RunSummary } from '../../../shared/api/contract.ts';
import { hrefInLibrary } from '../../data/libraryLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useLongTask } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, navigateTo, useRoute } from '../../data/useRoute.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { bytes, counted } from '../../ui/numbers.ts';
import { fileName, PathField } from './TaskDialog.tsx';

export function MoveRun() {
  const runKey = useDialog('moveRun')?.runKey;
  const showDialog = useInterface((state) => state.showDialog);
  const run = useRequest('run.list', {}).data?.find((one) => one.runKey === runKey);
  const isMoving = useRef(false);
  if (run === undefined) return null;
  return (
    <Modal onClose={() => !isMoving.current && showDialog(undefined)}>
      <MoveRunBody
        run={run}
        onDone={() => showDialog(undefined)}
        onMoving={(moving) => {
          isMoving.current = moving;
        }}
      />
    </Modal>
  );
}

interface MoveRunBodyProps {
  readonly run: RunSummary;
  readonly onDone: () => void;
  /** While a run is being moved, only the dialog's own button cancels it. */
  readonly onMoving: (isMoving: boolean) => void;
}

function MoveRunBody({ run, onDone, onMoving }: MoveRunBodyProps) {
  const [text, setText] = useState(() => `${fileName(run.name)}.${LIBRARY_EXTENSIONS[0]}`);
  const move = useMove(run, onDone, onMoving);
  const share = move.progress?.share;
  const path = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path !== '' && !move.isRunning) move.start({ runKey: run.runKey, path });
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Move {run.name} to a new library?</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <p>
          {counted(run.rollouts, 'rollout')} in {counted(run.groups, 'group')} are copied to a new library
          file, verified, and then removed here. Log files are not moved. Saved filters and queries stay in
          this library.
        </p>
        <PathField
          label="The new library’s file"
          hint="A bare file name is saved next to the library. Existing files are never changed."
          path={text}
          onPath={setText}
          isDisabled={move.isRunning}
        />
        {move.isRunning && (
          <p className="waiting" role="status">
            <progress aria-label="Rollouts moved" value={share} max={1} />{' '}
            {share === 1 ? 'Copy verified. Removing the run here…' : 'Copying and verifying…'}
          </p>
        )}
        {move.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {move.error.message}
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button disabled={move.isRunning && share === 1} onClick={move.isRunning ? move.stop : onDone}>
            Cancel
          </Button>
          <Button type="submit" isPrimary disabled={path === '' || move.isRunning}>
            {move.isRunning ? 'Moving…' : `Move ${counted(run.rollouts, 'rollout')}`}
          </Button>
        </span>
      </div>
    </form>
  );
}

function useMove(run: RunSummary, onDone: () => void, onMoving: (isMoving: boolean) => void) {
  const queryClient = useQueryClient();
  const route = useRoute();
  const setNotice = useInterface((state) => state.setNotice);
  return useLongTask('run.move', {
    onRunning: onMoving,
    onSuccess: async (moved) => {
      onDone();
      setNotice(
        `${run.name} moved to a new library: ${counted(moved.rollouts, 'rollout')}, ${bytes(moved.bytes)}; ${bytes(moved.freed)} freed here`,
      );
      // Leave the run's page first, since it would fail without the run.
      if ('runKey' in route && route.runKey === run.runKey) {
        if (moved.library === undefined) goTo({ view: 'library' });
        else navigateTo(hrefInLibrary(moved.library, pathOfRoute(route)));
      }
      await queryClient.invalidateQueries();
    },
  });
}
