import { plainLogText } from '../../../ui/LogText.tsx';
import type { Lane } from '../lanes/laneModel.ts';
import type { Break, Stop } from './breakModel.ts';

/** `● B turn 3: error — exception`. */
export function BreakpointReasons({
  stop,
  lanes,
  breaks,
}: {
  readonly stop: Stop;
  readonly lanes: readonly Lane[];
  readonly breaks: readonly Break[];
}) {
  const { hit, lane } = stop;
  return (
    <>
      <b>{lanes[lane]?.letter}</b> turn {hit.turn}{' '}
      <span className="mono">{plainLogText(breaks[hit.breakpoint]?.text ?? '')}</span>
      {hit.found !== undefined && (
        <span className="muted"> {plainLogText(hit.found.replaceAll(/\s+/g, ' '))}</span>
      )}
    </>
  );
}
