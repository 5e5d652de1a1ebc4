/** Disk usage of a library by run: a bar for the whole file, and a row for each run. */

import { Dialog } from 'radix-ui';
import type { LibraryRow, SizePart, LibrarySizes as Sizes } from '../../../shared/api/contract.ts';
import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { useLibraries } from '../../data/otherLibraries.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { useDialog, useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Modal, ModalClose } from '../../ui/Modal.tsx';
import { bytes, count, percent } from '../../ui/numbers.ts';
import { useLibraryActions } from '../useLibraryActions.ts';
import './librarySizes.css';

export function LibrarySizes() {
  const dialog = useDialog('librarySizes');
  const showDialog = useInterface((state) => state.showDialog);
  const library = useLibraries()?.find(({ id }) => id === dialog?.library);
  if (library === undefined) return null;
  return (
    <Modal
      isOpen={dialog !== undefined}
      onClose={() => showDialog(undefined)}
      className="dialog library-sizes"
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Disk space of {library.isHome ? 'this library' : library.name}</h1>
        </Dialog.Title>
        <ModalClose />
      </div>
      <SizesBody library={library} />
    </Modal>
  );
}

const PARAMS = {} as const;

function SizesBody({ library }: { readonly library: LibraryRow }) {
  const sizes = useLongQuery('library.sizes', PARAMS, true, library.id);
  const { compact } = useLibraryActions();
  const { data: answer, progress } = sizes;
  return (
    <>
      <div className="dialog-body">
        <p className="mono dim path-tail" title={library.path}>
          <bdi>{library.path}</bdi>
        </p>
        {sizes.isRunning && (
          <p className="waiting" role="status">
            <progress aria-label="Pages counted" value={progress?.share} max={1} /> Counting the pages of the
            file… <Button onClick={sizes.stop}>Cancel</Button>
          </p>
        )}
        {sizes.isStopped && (
          <p>
            Stopped. <Button onClick={() => void sizes.restart()}>Count</Button>
          </p>
        )}
        {sizes.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {sizes.error.message}
          </p>
        )}
        {answer !== undefined && <SizesTable sizes={answer} />}
        {compact.isPending && (
          <p className="waiting" role="status">
            <progress aria-label="Compacting" /> Rewriting the file without free pages… The library can still
            be read.
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="dialog-buttons">
          <Button disabled={sizes.isRunning} onClick={() => void sizes.restart()}>
            Count again
          </Button>
          <Button
            isPrimary
            disabled={compact.isPending || sizes.isRunning}
            title="Rewrites the file without free pages. Needs disk space for a copy"
            onClick={() => compact.mutate(library, { onSuccess: () => void sizes.restart() })}
          >
            {compact.isPending ? 'Compacting…' : 'Compact'}
          </Button>
        </span>
      </div>
    </>
  );
}

function SizesTable({ sizes }: { readonly sizes: Sizes }) {
  const { file } = sizes;
  const parts = partsOfFile(sizes);
  return (
    <>
      <div
        className="size-bar"
        role="img"
        aria-label={parts.map(({ name, of }) => `${name} ${bytes(of)}`).join(', ')}
      >
        {parts.map((part) => (
          <i
            key={part.id}
            className={`size-${part.id}`}
            style={{ flexGrow: part.of }}
            title={`${part.name}: ${bytes(part.of)}, ${percent(part.of / Math.max(1, file))} % of the file`}
          />
        ))}
      </div>
      <ul className="size-legend">
        {parts.map((part) => (
          <li key={part.id} title={part.describe}>
            <i className={`size-${part.id}`} /> {part.name} <b>{bytes(part.of)}</b>
          </li>
        ))}
      </ul>
      <div className="size-scroll">
        <table className="size-table">
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">rollouts</th>
              {PART_NAMES.map(({ id, name, describe }) => (
                <th scope="col" key={id} title={describe}>
                  {name}
                </th>
              ))}
              <th scope="col">all</th>
              <th scope="col">of the file, %</th>
            </tr>
          </thead>
          <tbody>
            {sizes.runs.map((run) => (
              <tr key={run.runKey}>
                <th scope="row">
                  <bdi>{run.name}</bdi>
                  {run.kind !== 'train' && <span className="dim"> {RUN_KIND_NAMES[run.kind]}</span>}
                </th>
                <td>{count(run.rollouts)}</td>
                {PART_NAMES.map(({ id }) => (
                  <td key={id}>{bytes(run.parts[id])}</td>
                ))}
                <td>{bytes(run.bytes)}</td>
                <td>{percent(run.bytes / Math.max(1, file))}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <Sum name="shared by runs" of={sizes.shared} file={file} />
            <Sum name="free pages" of={sizes.free} file={file} />
            <Sum name="the file" of={file} file={file} />
            <tr>
              <th scope="row" colSpan={PART_NAMES.length + 2}>
                write-ahead log
              </th>
              <td>{bytes(sizes.wal)}</td>
              <td />
            </tr>
            <tr>
              <th scope="row" colSpan={PART_NAMES.length + 2}>
                on the disk
              </th>
              <td>{bytes(file + sizes.wal)}</td>
              <td />
            </tr>
          </tfoot>
        </table>
      </div>
      <p className="dim">
        {sizes.method === 'pages'
          ? 'Pages of every table and index, divided among runs by rows and bytes. Shares of runs are estimates; sums are exact.'
          : 'Only lengths of texts, tokens and columns were counted. Everything else is listed as shared by runs.'}
      </p>
    </>
  );
}

function Sum({ name, of, file }: { readonly name: string; readonly of: number; readonly file: number }) {
  return (
    <tr>
      <th scope="row" colSpan={PART_NAMES.length + 2}>
        {name}
      </th>
      <td>{bytes(of)}</td>
      <td>{percent(of / Math.max(1, file))}</td>
    </tr>
  );
}

/** Parts of a run's size, in the order shown. */
const PART_NAMES: readonly {
  readonly id: SizePart;
  readonly name: string;
  readonly describe: string;
}[] = [
  { id: 'texts', name: 'texts', describe: 'Responses and tool outputs, compressed' },
  { id: 'tokens', name: 'tokens', describe: 'Signals of single tokens, and vocabularies' },
  { id: 'search', name: 'search', describe: 'The full-text index' },
  {
    id: 'rows',
    name: 'rows',
    describe: 'Rollouts, groups, turns, segments and tool calls, with their indexes',
  },
  {
    id: 'columns',
    name: 'columns',
    describe: 'Cache for lists, filters and charts. Rebuilt when missing.',
  },
];

interface FilePart {
  readonly id: SizePart | 'shared' | 'free';
  readonly name: string;
  readonly describe: string;
  /** Bytes. */
  readonly of: number;
}

/** The whole file by use, over all runs. Leaves out uses without a byte. */
function partsOfFile({ runs, shared, free }: Sizes): readonly FilePart[] {
  const all: FilePart[] = [
    ...PART_NAMES.map((part) => ({ ...part, of: runs.reduce((sum, run) => sum + run.parts[part.id], 0) })),
    {
      id: 'shared',
      name: 'shared by runs',
      describe: 'Prompts, problems, files, issues, saved items and unused space in pages',
      of: shared,
    },
    { id: 'free', name: 'free', describe: 'Empty pages. Compacting frees them', of: free },
  ];
  return all.filter(({ of }) => of > 0);
}
