import { useInterface } from '../../state/interface.ts';
import { useIsNarrow } from '../../ui/useIsNarrow.ts';

export interface Panes {
  readonly isOutlineOpen: boolean;
  readonly isInspectorOpen: boolean;
  readonly flipOutline: () => void;
}

/** What stands beside the text: in a narrow window one pane, and what was asked for last is it. */
export function usePanes(): Panes {
  const isFocused = useInterface((state) => state.isFocused);
  const isInspectorOpen = useInterface((state) => state.isInspectorOpen) && !isFocused;
  const isInTheWay = useIsNarrow() && isInspectorOpen;
  const isOutlineOpen = useInterface((state) => state.isOutlineOpen) && !isFocused && !isInTheWay;
  const flipOutline = () => {
    const { flip } = useInterface.getState();
    if (isInTheWay) flip('isInspectorOpen');
    if (!isInTheWay || !useInterface.getState().isOutlineOpen) flip('isOutlineOpen');
  };
  return { isOutlineOpen, isInspectorOpen, flipOutline };
}
