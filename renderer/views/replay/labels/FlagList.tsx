/** Automatic flags of the rollout, each with its evidence. One key turns a flag into a label. */

import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { LABEL_OF_FLAG } from '../../../../shared/api/contract.ts';
import { FLAG_MEANINGS } from '../../../../shared/domain/flags.ts';
import { labelOf } from '../../../data/annotations.ts';
import { KeyOf } from '../../../shell/keys/Keys.tsx';
import type { Hit } from '../text/findModel.ts';
import { flagPlace, openFlags } from './labelModel.ts';
import type { Labelling } from './useLabelling.ts';

interface FlagListProps {
  readonly detail: RolloutDetail;
  readonly labelling: Labelling;
  readonly onShow: (hit: Hit) => void;
}

export function FlagList({ detail, labelling, onShow }: FlagListProps) {
  const { flags } = detail;
  if (flags.length === 0) return null;
  const [next] = openFlags(detail, labelling.annotations);
  return (
    <section>
      <h2>Flags, by rule</h2>
      <ul className="flags">
        {flags.map(({ flag, evidence }) => {
          const isConfirmed = labelling.annotations.some((one) => one.flag === flag);
          const label = LABEL_OF_FLAG[flag];
          return (
            <li key={flag} className={isConfirmed ? 'is-confirmed' : undefined}>
              <p>
                {isConfirmed ? '✓ ' : ''}
                {FLAG_MEANINGS[flag]}
              </p>
              <p className="flag-actions">
                {evidence.map((where, i) => {
                  const place = flagPlace(where, detail);
                  return (
                    place !== undefined && (
                      <button
                        // biome-ignore lint/suspicious/noArrayIndexKey: evidence never reorders
                        key={i}
                        type="button"
                        className="is-link"
                        onClick={() => onShow(place)}
                      >
                        turn {place.turn}
                      </button>
                    )
                  );
                })}
                {label !== undefined && !isConfirmed && (
                  <button
                    type="button"
                    className="is-link"
                    title={`Label it ${labelOf(labelling.taxonomy, label).name}, here`}
                    onClick={() => void labelling.confirmFlag(flag)}
                  >
                    label {next?.flag === flag && <KeyOf command="flag.confirm" />}
                  </button>
                )}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
