import { useEffect } from 'react';
import { useInterface } from '../state/interface.ts';

/** Long enough to read: a moment, and some for each character. */
const shownMs = (notice: string) => 1_600 + 45 * notice.length;

export function Notice() {
  const notice = useInterface((state) => state.notice);
  const setNotice = useInterface((state) => state.setNotice);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setNotice(undefined), shownMs(notice));
    return () => clearTimeout(timer);
  }, [notice, setNotice]);
  return (
    <div className="notice" role="status">
      {notice !== undefined && <span>{notice}</span>}
    </div>
  );
}
