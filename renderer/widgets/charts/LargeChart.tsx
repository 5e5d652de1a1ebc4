/** A chart that fills the window, in a dialog. */
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { Modal, ModalClose } from '../../ui/Modal.tsx';
import './largeChart.css';

interface LargeChartProps {
  readonly title: string;
  readonly onClose: () => void;
  /** @param height of the drawing in px */
  readonly children: (height: number) => ReactNode;
}

/** px of the window's height for the head, the legend and the edges of the dialog. */
const REST = 230;
const LEAST_HEIGHT = 180;

export function LargeChart({ title, onClose, children }: LargeChartProps) {
  return (
    <Modal onClose={onClose} className="dialog large-chart">
      <div className="dialog-head">
        <Dialog.Title>{title}</Dialog.Title>
        <ModalClose />
      </div>
      <div className="large-chart-body">{children(Math.max(LEAST_HEIGHT, window.innerHeight - REST))}</div>
    </Modal>
  );
}
