/** A run gets a library of its own: where, how far, and that the logs stay where they are. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { useEffect, useId, useRef, useState } from 'react';
import type { RunSummary } from '../../shared/api/contract.ts';
import { useClient } from '../data/DataProvider.tsx';
import { hrefInLibrary } from '../data/libraryLink.ts';
import { pathOfPlace } from '../data/place.ts';
import { goTo, navigateTo, usePlace } from '../data/usePlace.ts';
import { useRequest } from '../data/useRequest.ts';
import { useInterface } from '../state/interface.ts';
import { Button } from '../ui/Controls.tsx';
import { bytes, counted } from '../ui/numbers.ts';

export function MoveRun() {
  const isOpen = useInterface((state) => state.dialog === 'moveRun');
  const runKey = useInterface((state) => state.runToMove);
  const showDialog = useInterface((state) => state.showDialog);
  const run = useRequest('run.list', {}).data?.find((one) => one.runKey === runKey);
  const isMoving = useRef(false);
  if (run === undefined) return null;
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && !isMoving.current && showDialog(undefined)}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <MoveRunBody
            run={run}
            onDone={() => showDialog(undefined)}
            onMoving={(moving) => {
              isMoving.current = moving;
            }}
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface MoveRunBodyProps {
  readonly run: RunSummary;
  readonly onDone: () => void;
  /** Until it ends, only its own button ends it. */
  readonly onMoving: (isMoving: boolean) => void;
}

function MoveRunBody({ run, onDone, onMoving }: MoveRunBodyProps) {
  const id = useId();
  const [text, setText] = useState(() => `${fileName(run.name)}.sqlite`);
  const { move, cancel, share } = useMove(run, onDone, onMoving);
  const client = useClient();
  const isDesktop = useRequest('host.info', {}).data?.shell === 'desktop';
  const path = text.trim();
  const choose = async () => {
    const chosen = await client.request('shell.saveDialog', { name: path });
    if (chosen.path !== undefined) setText(chosen.path);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path !== '' && !move.isPending) move.mutate(path);
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Move {run.name} to a library of its own?</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        <p>
          {counted(run.rollouts, 'rollout')} in {counted(run.groups, 'group')}, with everything read for them,
          are copied into a new file, compared with it, and only then removed here. The logs stay where they
          are. Saved filters and queries stay here, too.
        </p>
        <label htmlFor={id}>The new library’s file</label>
        <span className="path-row">
          <input
            id={id}
            className="text-field mono"
            spellCheck={false}
            disabled={move.isPending}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {isDesktop && (
            <Button disabled={move.isPending} onClick={() => void choose()}>
              Choose…
            </Button>
          )}
        </span>
        <p className="dim">
          A name alone lies beside this library. A file that is there already is never touched.
        </p>
        {move.isPending && (
          <p className="waiting" role="status">
            <progress aria-label="Rollouts moved" value={share} max={1} />{' '}
            {share === 1 ? 'The copy is whole; removing the run here…' : 'Copying, then comparing…'}
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
          <Button disabled={move.isPending && share === 1} onClick={move.isPending ? cancel : onDone}>
            Cancel
          </Button>
          <Button type="submit" isPrimary disabled={path === '' || move.isPending}>
            {move.isPending ? 'Moving…' : `Move ${counted(run.rollouts, 'rollout')}`}
          </Button>
        </span>
      </div>
    </form>
  );
}

function useMove(run: RunSummary, onDone: () => void, onMoving: (isMoving: boolean) => void) {
  const client = useClient();
  const queryClient = useQueryClient();
  const place = usePlace();
  const setNotice = useInterface((state) => state.setNotice);
  const [share, setShare] = useState<number>();
  const [progressKey] = useState(() => `move-${Math.random().toString(36).slice(2)}`);
  const abort = useRef<AbortController>(undefined);
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.event === 'analysis.progress' && event.payload.progressKey === progressKey)
          setShare(event.payload.share);
      }),
    [client, progressKey],
  );
  const move = useMutation({
    mutationFn: (path: string) => {
      abort.current = new AbortController();
      onMoving(true);
      const { signal } = abort.current;
      return client.request('run.move', { runKey: run.runKey, path, progressKey }, { signal });
    },
    onSettled: () => {
      onMoving(false);
      setShare(undefined);
    },
    onSuccess: async (moved) => {
      onDone();
      setNotice(
        `${run.name} has a library of its own: ${counted(moved.rollouts, 'rollout')}, ${bytes(moved.bytes)}; ${bytes(moved.freed)} freed here`,
      );
      // A view of a run that is no longer here could only fail.
      if ('runKey' in place && place.runKey === run.runKey) {
        if (moved.library === undefined) goTo({ view: 'library' });
        else navigateTo(hrefInLibrary(moved.library, pathOfPlace(place)));
      }
      await queryClient.invalidateQueries();
    },
  });
  return { move, share, cancel: () => abort.current?.abort() };
}

/** Fit for a file on any system. */
function fileName(name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return plain === '' ? 'run' : plain;
}
