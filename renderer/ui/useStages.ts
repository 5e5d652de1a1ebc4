import { useEffect, useState } from 'react';

/**
 * Number of parts to render now: one at first, then one more per frame, so that a long text does not block the page.
 * Starts over once there is only one part again.
 */
export function useStages(parts: number): number {
  const [stage, setStage] = useState(1);
  useEffect(() => {
    if (parts <= 1) {
      setStage(1);
      return;
    }
    if (stage >= parts) return;
    const frame = requestAnimationFrame(() => setStage(stage + 1));
    return () => cancelAnimationFrame(frame);
  }, [stage, parts]);
  return Math.min(stage, parts);
}
