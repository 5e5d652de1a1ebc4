import { Dialog } from 'radix-ui';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useIsDark } from '../../theme/theme.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { Modal, ModalClose } from '../../ui/Modal.tsx';
import { WaitingState } from '../../ui/States.tsx';
import { editorDiff, KIND_LABELS } from './blockModel.ts';
import { pairIn, viewIn } from './Cell.tsx';
import type { Compared } from './lanes/laneModel.ts';

const DiffEditor = lazy(() => import('../../editor/DiffEditor.tsx'));

interface DiffDialogProps {
  readonly compared: Compared;
  /** Index into `compared.lanes`: the lane that is compared with the baseline. */
  readonly on: number;
  readonly row: number;
  readonly block: number;
  readonly onClose: () => void;
}

const WAYS = [
  { id: 'sides', label: 'side by side' },
  { id: 'inline', label: 'inline' },
] as const;

/** One block of the baseline and of one lane in the diff editor. */
export function DiffDialog({ compared, on, row, block, onClose }: DiffDialogProps) {
  const [way, setWay] = useState<(typeof WAYS)[number]['id']>('sides');
  const isDark = useIsDark();
  const { lanes, base, comparison } = compared;
  const found = comparison.rows[row]?.blocks[block];
  const pair = useMemo(
    () => (found === undefined ? undefined : pairIn(compared, found, on)),
    [compared, found, on],
  );
  const view = found === undefined ? undefined : viewIn(compared, found, on);
  const beside = found === undefined ? undefined : viewIn(compared, found, base);
  const diff = useMemo(
    () => (view === undefined ? undefined : editorDiff(beside, view, pair)),
    [beside, view, pair],
  );
  const [a, b] = [lanes[base], lanes[on]];
  if (diff === undefined || view === undefined || a === undefined || b === undefined) return null;
  const what = KIND_LABELS[view.segment.kind];
  const label = `${what} of ${a.letter} and ${b.letter}`;
  return (
    <Modal
      onClose={onClose}
      className="dialog cmp-diff" // Monaco would consume Escape. Here it closes the dialog wherever the focus is.
      onKeyDownCapture={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>
            {label[0]?.toUpperCase()}
            {label.slice(1)}
          </h1>
        </Dialog.Title>
        <span className="muted">
          − {a.letter}, turn {comparison.rows[row]?.turns[base] ?? ''} &nbsp; + {b.letter}, turn{' '}
          {comparison.rows[row]?.turns[on] ?? ''}
        </span>
        <span className="cmp-diff-ways">
          <Segmented label="How" chosen={way} onChoose={setWay} choices={WAYS} />
        </span>
        <ModalClose />
      </div>
      <div className="cmp-diff-body">
        <Suspense fallback={<WaitingState title="Loading the diff editor…" />}>
          <DiffEditor
            before={diff.before}
            after={diff.after}
            numbers={diff.numbers}
            language={pair?.form === 'code' ? 'python' : 'plaintext'}
            label={label}
            isWrapped={pair?.form !== 'code'}
            isSideBySide={way === 'sides'}
            isDark={isDark}
          />
        </Suspense>
      </div>
    </Modal>
  );
}
