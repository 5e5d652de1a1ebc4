import { ChevronDown, ChevronUp, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CommandId } from '../shell/keys/keymap.ts';
import { keyOf } from '../shell/keys/keysInForce.ts';
import { IconButton } from '../ui/Controls.tsx';
import './listBar.css';

interface ListBarProps {
  readonly label: string;
  readonly buttons: ReactNode;
  readonly children: ReactNode;
}

/** A bar above a page that was opened from a list: the position in the list, and buttons. */
export function ListBar({ label, buttons, children }: ListBarProps) {
  return (
    <section className="list-bar" aria-label={label}>
      <span className="list-bar-at">{children}</span>
      <span className="list-bar-buttons">{buttons}</span>
    </section>
  );
}

interface ListStepsProps {
  /** Name of an entry of the list: `position`. */
  readonly entry: string;
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly previous: CommandId;
  readonly next: CommandId;
  readonly onStep: (by: 1 | -1) => void;
  readonly onLeave: () => void;
  /** Title of the button that leaves. Default: `Leave the list of positions`. */
  readonly leaveLabel?: string;
}

/** Buttons to the previous and next entry, and to leave the list. */
export function ListSteps({
  entry,
  index,
  count,
  previous,
  next,
  onStep,
  onLeave,
  leaveLabel = `Leave the list of ${entry}s`,
}: ListStepsProps) {
  return (
    <>
      <IconButton
        label={`Previous ${entry}`}
        keys={keyOf(previous)}
        disabled={index === 0 || count === 0}
        onClick={() => onStep(-1)}
      >
        <ChevronUp size={15} />
      </IconButton>
      <IconButton
        label={`Next ${entry}`}
        keys={keyOf(next)}
        disabled={index + 1 >= count}
        onClick={() => onStep(1)}
      >
        <ChevronDown size={15} />
      </IconButton>
      <IconButton label={leaveLabel} onClick={onLeave}>
        <X size={15} />
      </IconButton>
    </>
  );
}
