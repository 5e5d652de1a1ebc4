import { useEffect } from 'react';
import { useInterface } from '../state/interface.ts';

const SHOWN_MS = 2_200;

export function Notice() {
  const notice = useInterface((state) => state.notice);
  const setNotice = useInterface((state) => state.setNotice);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setNotice(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, setNotice]);
  return (
    <div className="notice" role="status">
      {notice !== undefined && <span>{notice}</span>}
    </div>
  );
}
