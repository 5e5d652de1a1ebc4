/** Thresholds of detectors with default, unit and source. A changed one can be reset. */
import { Fragment, useState } from 'react';
import {
  DETECTORS,
  THRESHOLDS,
  type ThresholdName,
  thresholdFault,
} from '../../../shared/domain/detectors/detectors.ts';
import { useDetectorThresholds } from '../../state/detectorThresholds.ts';
import { Button } from '../../ui/Controls.tsx';
import { leaveField } from '../../ui/useAutoFocus.ts';
import './detectors.css';
import { useThresholds } from './useThresholds.ts';

export function ThresholdList({ names }: { readonly names: readonly ThresholdName[] }) {
  const values = useThresholds();
  const { reset } = useDetectorThresholds.getState();
  const areOfSeveral = new Set(names.map((name) => THRESHOLDS[name].detector)).size > 1;
  const changed = names.filter((name) => values[name] !== undefined);
  return (
    <div className="thresholds">
      <table aria-label="Thresholds">
        <thead>
          <tr>
            <th>threshold</th>
            <th>value</th>
            <th>unit</th>
            <th>default</th>
            <th>source</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name, i) => {
            const { meaning, unit, value, source, detector } = THRESHOLDS[name];
            const before = names[i - 1];
            const isFirst = before === undefined || THRESHOLDS[before].detector !== detector;
            return (
              <Fragment key={name}>
                {areOfSeveral && isFirst && (
                  <tr>
                    <th colSpan={5} scope="rowgroup" className="threshold-detector">
                      {DETECTORS[detector].name}
                    </th>
                  </tr>
                )}
                <tr className={values[name] === undefined ? undefined : 'is-changed'}>
                  <td title={name}>{meaning}</td>
                  <td>
                    <ThresholdField name={name} value={values[name] ?? value} />
                  </td>
                  <td>{unit}</td>
                  <td className="is-figure">{value}</td>
                  <td className="dim">{source}</td>
                </tr>
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {changed.length > 0 && <Button onClick={() => reset(changed)}>Reset thresholds</Button>}
    </div>
  );
}

/** Applied on blur or Enter, because each value causes a new request. */
function ThresholdField({ name, value }: { readonly name: ThresholdName; readonly value: number }) {
  const [draft, setDraft] = useState<string>();
  const { set, reset } = useDetectorThresholds.getState();
  const entered = draft === undefined || draft.trim() === '' ? Number.NaN : Number(draft);
  const fault = draft === undefined ? undefined : thresholdFault(name, entered);
  const take = () => {
    if (draft !== undefined && fault === undefined && entered === THRESHOLDS[name].value) reset([name]);
    else if (draft !== undefined && fault === undefined) set(name, entered);
    setDraft(undefined);
  };
  return (
    <input
      type="text"
      inputMode="decimal"
      className="text-field threshold-field"
      aria-label={THRESHOLDS[name].meaning}
      aria-invalid={fault !== undefined}
      title={fault ?? name}
      value={draft ?? String(value)}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        if (event.key === 'Escape') setDraft(undefined);
        if (event.key === 'Enter' || event.key === 'Escape') leaveField(event.currentTarget);
      }}
    />
  );
}
