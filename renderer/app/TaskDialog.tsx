/** The frame of a dialog that has something written. While that goes on, only its own button ends it. */

import { useMutation } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { useClient } from '../data/DataProvider.tsx';
import { useRequest } from '../data/useRequest.ts';
import { type Dialog as OpenDialog, useDialog, useInterface } from '../state/interface.ts';
import { Button } from '../ui/Controls.tsx';

interface TaskDialogProps {
  readonly name: OpenDialog['kind'];
  readonly className?: string;
  readonly children: (frame: {
    readonly onDone: () => void;
    readonly onWriting: (isWriting: boolean) => void;
  }) => ReactNode;
}

export function TaskDialog({ name, className = '', children }: TaskDialogProps) {
  const isOpen = useDialog(name) !== undefined;
  const showDialog = useInterface((state) => state.showDialog);
  const isWriting = useRef(false);
  const onDone = () => showDialog(undefined);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && !isWriting.current && onDone()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className={`dialog ${className}`} aria-describedby={undefined}>
          {children({
            onDone,
            onWriting: (writing) => {
              isWriting.current = writing;
            },
          })}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface PathFieldProps {
  readonly label: string;
  /** What becomes of a bare name, and of what is there already. */
  readonly hint: string;
  readonly path: string;
  readonly onPath: (path: string) => void;
  readonly isDisabled: boolean;
}

export function PathField({ label, hint, path, onPath, isDisabled }: PathFieldProps) {
  const id = useId();
  const client = useClient();
  const isDesktop = useRequest('host.info', {}).data?.shell === 'desktop';
  const choose = async () => {
    const chosen = await client.request('shell.saveDialog', { name: path.trim() });
    if (chosen.path !== undefined) onPath(chosen.path);
  };
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span className="path-row">
        <input
          id={id}
          className="text-field mono"
          spellCheck={false}
          disabled={isDisabled}
          value={path}
          onChange={(event) => onPath(event.target.value)}
        />
        {isDesktop && (
          <Button disabled={isDisabled} onClick={() => void choose()}>
            Choose…
          </Button>
        )}
      </span>
      <p className="dim">{hint}</p>
    </>
  );
}

/** Fit for a file on any system. */
export function fileName(name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return plain === '' ? 'run' : plain;
}

interface LongTaskOptions<M extends Method> {
  /** Until it ends, only its own button ends it. */
  readonly onRunning: (isRunning: boolean) => void;
  readonly onSuccess: (result: ResultOf<M>) => void | Promise<void>;
}

/** @param method whose params take a `progressKey` */
export function useLongTask<M extends Method>(method: M, { onRunning, onSuccess }: LongTaskOptions<M>) {
  const client = useClient();
  /** 0 … 1; unknown before the first news. */
  const [share, setShare] = useState<number>();
  const [progressKey] = useState(() => `${method}-${Math.random().toString(36).slice(2)}`);
  const abort = useRef<AbortController>(undefined);
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.event === 'analysis.progress' && event.payload.progressKey === progressKey)
          setShare(event.payload.share);
      }),
    [client, progressKey],
  );
  const task = useMutation({
    mutationFn: (params: ParamsOf<M>) => {
      abort.current = new AbortController();
      onRunning(true);
      const { signal } = abort.current;
      return client.request(method, { ...params, progressKey }, { signal });
    },
    onSettled: () => {
      onRunning(false);
      setShare(undefined);
    },
    onSuccess,
  });
  return { task, share, cancel: () => abort.current?.abort() };
}
