/** The panel beside the rows. The URL holds whether it is open and its tab, so that shared links show the same. */
import { useEffect } from 'react';
import { useUrlQuery } from '../../../data/useRoute.ts';
import { useInterface } from '../../../state/interface.ts';

export interface SidePanel {
  readonly isOpen: boolean;
  /** From the URL. Undefined: the first tab. */
  readonly tab: string | undefined;
  readonly flip: () => void;
  readonly choose: (tab: string) => void;
}

export function useSide(): SidePanel {
  const [query, setQuery] = useUrlQuery();
  // The user's last choice, used if the URL does not say.
  const isWanted = useInterface((state) => state.isCompareSideOpen);
  const lastTab = useInterface((state) => state.compareSideTab);
  const tab = query.get('side') ?? undefined;
  const isOpen = tab !== undefined || isWanted;
  useEffect(() => {
    if (isWanted && tab === undefined) setQuery({ side: lastTab });
  }, [isWanted, tab, lastTab, setQuery]);
  const want = (wanted: boolean) => {
    if (useInterface.getState().isCompareSideOpen !== wanted)
      useInterface.getState().flip('isCompareSideOpen');
  };
  const choose = (chosen: string) => {
    want(true);
    useInterface.getState().setCompareSideTab(chosen);
    setQuery({ side: chosen });
  };
  const flip = () => {
    if (!isOpen) return choose(lastTab);
    want(false);
    setQuery({ side: undefined });
  };
  return { isOpen, tab, flip, choose };
}
