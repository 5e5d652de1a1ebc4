import { useTokenView } from '../../../state/tokenView.ts';
import { GAP_SHARE } from './gapModel.ts';
import type { Heat } from './tokenHeat.ts';

/** Marks that lie beside heat, each with a cue of its own. */
export function Overlays({ heat }: { readonly heat: Heat | undefined }) {
  const isMaskShown = useTokenView((state) => state.isMaskShown);
  const isGapShown = useTokenView((state) => state.isGapShown);
  const flip = useTokenView((state) => state.flipOverlay);
  if (heat?.ends === undefined) return null;
  return (
    <section>
      <h2>Overlays</h2>
      <label className="token-check">
        <input
          type="checkbox"
          checked={isMaskShown}
          disabled={heat.mask === undefined}
          onChange={() => flip('isMaskShown')}
        />
        <span>
          loss mask: what the environment wrote is dimmed
          {heat.mask === undefined && <span className="dim"> (no mask was logged)</span>}
        </span>
      </label>
      <label className="token-check">
        <input
          type="checkbox"
          checked={isGapShown}
          disabled={!heat.hasGap}
          onChange={() => flip('isGapShown')}
        />
        <span>
          policy gap: a line above the {GAP_SHARE * 100} % of policy tokens whose trainer and rollout
          log-probabilities differ most
          {!heat.hasGap && <span className="dim"> (only one of the two was logged)</span>}
        </span>
      </label>
    </section>
  );
}
