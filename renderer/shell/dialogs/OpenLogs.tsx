/** Opens logs from a browser: by a path on the machine that serves the page, or by uploading files. */
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { PathEntry } from '../../../shared/api/contract.ts';
import { isCancelled } from '../../../shared/api/errors.ts';
import { MAX_UPLOAD_BYTES } from '../../../shared/api/upload.ts';
import { useConnection, useLibrary } from '../../data/DataProvider.tsx';
import { ApiError } from '../../data/failures.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useDialog } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { bytes, counted } from '../../ui/numbers.ts';
import { useIngestActions } from '../useIngestActions.ts';
import { useLibraryActions } from '../useLibraryActions.ts';
import { completedPath, shownPath } from './pathCompletion.ts';
import { TaskDialog } from './TaskDialog.tsx';
import './openLogs.css';

const ALLOW = 'npm start -- --browser --allow DIRECTORY';
const NO_ENTRIES: readonly PathEntry[] = [];

export function OpenLogs() {
  return (
    <TaskDialog name="openLogs" className="open-logs">
      {(frame) => <OpenLogsBody {...frame} />}
    </TaskDialog>
  );
}

interface BodyProps {
  readonly onDone: () => void;
  readonly onWriting: (isWriting: boolean) => void;
}

function OpenLogsBody({ onDone, onWriting }: BodyProps) {
  const dropped = useDialog('openLogs')?.files;
  const { open } = useIngestActions();
  const { openLibraries } = useLibraryActions();
  const readOnly = useRequest('host.info', {}).data?.readOnly;
  const [path, setPath] = useState('');
  const read = async (paths: readonly string[]) => {
    const logs = await openLibraries(paths);
    if (logs.length === 0) onDone();
    else open.mutate(logs, { onSuccess: onDone });
  };
  const upload = useUpload(onWriting, (paths) => void read(paths));
  const isBlocked = upload.sending !== undefined || open.isPending || readOnly !== undefined;
  const taken = useRef<readonly File[]>(undefined);
  useEffect(() => {
    if (dropped === undefined || dropped === taken.current) return;
    taken.current = dropped;
    if (!isBlocked) void upload.start(dropped);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== '' && !isBlocked) void read([path.trim()]);
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Open logs</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        {readOnly !== undefined && (
          <p className="is-wrong" role="alert">
            ✕ No logs can be opened here: {readOnly}.
          </p>
        )}
        <PathBox
          path={path}
          isDisabled={isBlocked}
          onPath={(next) => {
            setPath(next);
            // An error is about the former path.
            open.reset();
          }}
          onOpen={(chosen) => void read([chosen])}
        />
        {open.error !== null && <OpenFailure error={open.error} />}
        <Uploads upload={upload} isDisabled={isBlocked} />
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          {upload.sending === undefined && <Button onClick={onDone}>Close</Button>}
          <Button type="submit" isPrimary disabled={path.trim() === '' || isBlocked}>
            {open.isPending ? 'Opening…' : 'Open'}
          </Button>
        </span>
      </div>
    </form>
  );
}

function OpenFailure({ error }: { readonly error: Error }) {
  const isNotGranted = error instanceof ApiError && error.code === 'not_granted';
  return (
    <p className="is-wrong" role="alert">
      ✕ {error.message}.
      {isNotGranted && (
        <>
          {' '}
          To allow its directory, start Turnwise with <code className="open-logs-command">{ALLOW}</code>
        </>
      )}
    </p>
  );
}

interface PathBoxProps {
  readonly path: string;
  readonly isDisabled: boolean;
  readonly onPath: (path: string) => void;
  readonly onOpen: (path: string) => void;
}

/** A path with completion as in a shell: Tab completes, the arrow keys choose, Enter opens. */
function PathBox({ path, isDisabled, onPath, onOpen }: PathBoxProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosenPath, setChosenPath] = useState<string>();
  const listing = useRequest('path.list', { prefix: path }, { keepPrevious: true, isFresh: true });
  const roots = useRequest('path.list', { prefix: '' }, { isFresh: true }).data;
  const separator = useRequest('host.info', {}).data?.platform === 'win32' ? '\\' : '/';
  // Show the previous response while the next one is loading.
  const entries = (listing.data?.entries ?? NO_ENTRIES).filter((entry) => entry.path.startsWith(path));
  const chosen = entries.findIndex((entry) => entry.path === chosenPath);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  /** Tab was pressed before the paths for the typed text had arrived. */
  const isTabbed = useRef(false);
  const take = (next: string) => {
    isTabbed.current = false;
    onPath(next);
    setChosenPath(undefined);
  };
  useEffect(() => {
    if (isTabbed.current && !listing.isPlaceholderData) take(completedPath(path, entries, separator));
  });
  const withSeparator = ({ path: entry, kind }: PathEntry) =>
    kind === 'directory' && !entry.endsWith(separator) ? entry + separator : entry;
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey } = event;
    const choice = entries[chosen];
    if ((key === 'ArrowDown' || key === 'ArrowUp') && entries.length > 0) {
      event.preventDefault();
      const next = key === 'ArrowDown' ? Math.min(entries.length - 1, chosen + 1) : chosen - 1;
      setChosenPath(entries[next]?.path);
    } else if (key === 'Tab' && !shiftKey && choice === undefined && listing.isPlaceholderData) {
      event.preventDefault();
      isTabbed.current = true;
    } else if (key === 'Tab' && !shiftKey) {
      const next = choice === undefined ? completedPath(path, entries, separator) : withSeparator(choice);
      // If nothing can be completed, Tab moves to the next control.
      if (next === path) return;
      event.preventDefault();
      take(next);
    } else if (key === 'Enter' && choice !== undefined) {
      event.preventDefault();
      onOpen(choice.path);
    }
  };
  if (roots !== undefined && roots.entries.length === 0)
    return (
      <p className="dim">
        Paths cannot be opened here: no folder is allowed. Restart Turnwise with{' '}
        <code className="open-logs-command">{ALLOW}</code>
      </p>
    );
  return (
    <div className="path-box">
      <label htmlFor={id}>Path of a file or directory on the machine that serves this page</label>
      <input
        id={id}
        className="text-field mono"
        role="combobox"
        spellCheck={false}
        autoComplete="off"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        aria-describedby={`${id}-keys`}
        disabled={isDisabled}
        value={path}
        onChange={(event) => take(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {/* The box keeps the focus and names the option by aria-activedescendant. */}
      <div
        className="path-list"
        role="listbox"
        id={`${id}-list`}
        ref={list}
        aria-label="Paths"
        aria-busy={listing.isPlaceholderData}
      >
        {entries.map((entry, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <div
            key={entry.path}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            className={i === chosen ? 'path-option is-chosen' : 'path-option'}
            onMouseDown={(event) => {
              event.preventDefault();
              if (!isDisabled) take(withSeparator(entry));
            }}
          >
            <span className="mono">{shownPath(path, withSeparator(entry), separator)}</span>
            {entry.bytes !== undefined && <small>{bytes(entry.bytes)}</small>}
          </div>
        ))}
      </div>
      <p className="dim" id={`${id}-keys`}>
        <kbd>Tab</kbd> completes, <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens.
        {listing.data?.isWhole === false && ' More paths begin like this: type more of the name.'}
        {path !== '' &&
          entries.length === 0 &&
          !listing.isFetching &&
          ' No path that may be opened begins like this.'}
      </p>
    </div>
  );
}

interface Sending {
  readonly files: readonly File[];
  /** Bytes of all files. */
  readonly bytesSent: number;
}

interface UploadTask {
  readonly sending: Sending | undefined;
  readonly problem: string | undefined;
  start(files: readonly File[]): Promise<void>;
  cancel(): void;
}

/**
 * Uploads files one after the other.
 * @param onSent called with their paths on the host's machine
 */
function useUpload(
  onWriting: (isWriting: boolean) => void,
  onSent: (paths: readonly string[]) => void,
): UploadTask {
  const { upload } = useConnection();
  const library = useLibrary();
  const [sending, setSending] = useState<Sending>();
  const [problem, setProblem] = useState<string>();
  const abort = useRef<AbortController>(undefined);
  const cancel = useCallback(() => abort.current?.abort(), []);
  // Leaving the dialog, for another library for example, cancels the upload.
  useEffect(() => cancel, [cancel]);
  const start = async (files: readonly File[]) => {
    if (upload === undefined || files.length === 0) return;
    const large = files.find(({ size }) => size > MAX_UPLOAD_BYTES);
    if (large !== undefined) {
      setProblem(`${large.name} is larger than ${bytes(MAX_UPLOAD_BYTES)}. Open it by its path.`);
      return;
    }
    abort.current = new AbortController();
    const { signal } = abort.current;
    const paths: string[] = [];
    let folder: string | undefined;
    let before = 0;
    const progressed = (sent: number) => setSending({ files, bytesSent: before + sent });
    onWriting(true);
    setProblem(undefined);
    progressed(0);
    try {
      for (const file of files) {
        const stored = await upload(file, { library, folder, signal, onProgress: progressed });
        ({ folder } = stored);
        paths.push(stored.path);
        before += file.size;
      }
      onSent(paths);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const left = paths.length === 0 ? '' : ` Sent before, and left there: ${paths.join(', ')}`;
      setProblem(`${isCancelled(error) ? 'Cancelled' : reason}. Nothing was read.${left}`);
    } finally {
      onWriting(false);
      setSending(undefined);
    }
  };
  return { sending, problem, start, cancel };
}

function Uploads({ upload, isDisabled }: { readonly upload: UploadTask; readonly isDisabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const uploads = useRequest('host.info', {}).data?.uploads;
  const { sending, problem } = upload;
  return (
    <div className="uploads">
      <p>
        Files from this computer, up to {bytes(MAX_UPLOAD_BYTES)} each: drop them here, or choose them. They
        are copied to <span className="mono">{uploads}</span>.
      </p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          const files = Array.from(event.target.files ?? []);
          // Reset the input, so that the same file can be chosen again.
          event.target.value = '';
          void upload.start(files);
        }}
      />
      {sending === undefined ? (
        <Button disabled={isDisabled} onClick={() => input.current?.click()}>
          Choose files…
        </Button>
      ) : (
        <Progress sending={sending} onCancel={upload.cancel} />
      )}
      {problem !== undefined && (
        <p className="is-wrong" role="alert">
          ✕ {problem}
        </p>
      )}
    </div>
  );
}

function Progress({ sending, onCancel }: { readonly sending: Sending; readonly onCancel: () => void }) {
  const { files, bytesSent } = sending;
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <div className="upload-progress" role="status">
      <progress aria-label="Sending" value={bytesSent} max={Math.max(1, total)} />
      <span>
        Sending {files.length === 1 ? files[0]?.name : counted(files.length, 'file')}: {bytes(bytesSent)} of{' '}
        {bytes(total)}
      </span>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  );
}
