/** Automatic flags and findings of the rollout, each with its span. One key turns a flag into a label. */

import { useEffect, useRef } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { LABEL_OF_FLAG } from '../../../../shared/api/contract.ts';
import { DETECTORS } from '../../../../shared/domain/detectors/detectors.ts';
import { FLAG_MEANINGS } from '../../../../shared/domain/flags.ts';
import { labelOf } from '../../../data/annotations.ts';
import { isLinkedFinding } from '../../../data/findingLink.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { useUrlQuery } from '../../../data/useRoute.ts';
import { KeyOf } from '../../../shell/keys/Keys.tsx';
import { plainLogText } from '../../../ui/LogText.tsx';
import { SeverityTag } from '../../../widgets/detectors/SeverityTag.tsx';
import { useThresholds } from '../../../widgets/detectors/useThresholds.ts';
import type { Hit } from '../text/findModel.ts';
import { flagPlace, openFlags } from './labelModel.ts';
import type { Labelling } from './useLabelling.ts';

interface FlagListProps {
  readonly detail: RolloutDetail;
  readonly labelling: Labelling;
  readonly onShow: (hit: Hit) => void;
}

export function FlagList({ detail, labelling, onShow }: FlagListProps) {
  return (
    <>
      <Flags detail={detail} labelling={labelling} onShow={onShow} />
      <Findings detail={detail} onShow={onShow} />
    </>
  );
}

function Findings({ detail, onShow }: Pick<FlagListProps, 'detail' | 'onShow'>) {
  const { rolloutId } = detail.row;
  const { data, error } = useRequest('detector.rollout', { rolloutId, thresholds: useThresholds() });
  const [query] = useUrlQuery();
  const findings = data?.findings ?? [];
  const linked = findings.find((one) => isLinkedFinding(query, one));
  const place = linked === undefined ? undefined : flagPlace(linked, detail);
  // Shown once per link. The scroll position belongs to the reader afterwards.
  const shown = useRef('');
  const key = place === undefined ? '' : `${rolloutId} ${place.segment} ${place.start}`;
  useEffect(() => {
    if (place === undefined || shown.current === key) return;
    shown.current = key;
    onShow(place);
  }, [place, key, onShow]);
  if (error !== null) return <p className="dim">The detectors failed: {error.message}</p>;
  if (findings.length === 0) return null;
  return (
    <section>
      <h2>Findings of detectors</h2>
      <ul className="flags">
        {findings.map((found) => {
          const { name, severity, meaning, falsePositives } = DETECTORS[found.detector];
          const at = flagPlace(found, detail);
          return (
            <li key={`${found.detector} ${found.segment} ${found.start} ${found.message}`}>
              <p title={meaning}>
                <SeverityTag severity={severity} /> <strong>{name}</strong>
              </p>
              <p className="finding-message">{plainLogText(found.message)}</p>
              <p className="dim">
                {meaning} False positives: {falsePositives}
              </p>
              {at !== undefined && (
                <p className="flag-actions">
                  <button type="button" className="is-link" onClick={() => onShow(at)}>
                    turn {at.turn}
                  </button>
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Flags({ detail, labelling, onShow }: FlagListProps) {
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
