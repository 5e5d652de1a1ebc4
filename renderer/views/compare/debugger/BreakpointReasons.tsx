import { withGlyphs } from '../../../../shared/domain/hiddenCharacters.ts';
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
      <span className="mono">{withGlyphs(breaks[hit.breakpoint]?.text ?? '')}</span>
      {hit.found !== undefined && (
        <span className="muted"> {withGlyphs(hit.found.replaceAll(/\s+/g, ' '))}</span>
      )}
    </>
  );
}
