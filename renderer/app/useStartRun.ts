import { useEffect, useRef, useState } from 'react';
import { goTo } from '../data/usePlace.ts';
import { useRequest } from '../data/useRequest.ts';

/** A start without a place opens one run (from argv, or the demo), once; coming to the library later stays there. */
export function useStartRun(): void {
  const [startsAtLibrary] = useState(() => window.location.pathname === '/');
  const hasOpened = useRef(false);
  const openRunKey = useRequest('host.info', {}).data?.openRunKey;
  useEffect(() => {
    if (!startsAtLibrary || openRunKey === undefined || hasOpened.current) return;
    hasOpened.current = true;
    if (window.location.pathname === '/') goTo({ view: 'run', runKey: openRunKey });
  }, [startsAtLibrary, openRunKey]);
}
