/** Small cell contents shared by the tables of this view. */

import type { ReactNode } from 'react';
import type { RolloutRow } from '../../../shared/api/contract.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, percent } from '../../ui/numbers.ts';

/** A share as a number and as a bar, which makes rows comparable. */
export function ShareCell({ share, color }: { readonly share: number | undefined; readonly color?: string }) {
  if (share === undefined) return null;
  return (
    <>
      {percent(share)}
      <span className="bar-cell">
        <i style={{ width: `${share * 100}%`, background: color }} />
      </span>
    </>
  );
}

interface HealthCellProps {
  readonly wrong: number;
  readonly mixed: number;
  readonly right: number;
}

export function HealthCell({ wrong, mixed, right }: HealthCellProps) {
  const total = wrong + mixed + right;
  if (total === 0) return null;
  const label = `${wrong} all incorrect · ${mixed} mixed · ${right} all correct`;
  return (
    <span className="health" role="img" aria-label={label} title={label}>
      {wrong > 0 && <i style={{ flex: wrong, background: 'var(--wrong)' }} />}
      {mixed > 0 && <i style={{ flex: mixed, background: 'var(--rule2)' }} />}
      {right > 0 && <i style={{ flex: right, background: 'var(--right)' }} />}
    </span>
  );
}

export const NO_PROMPT = <span className="muted">no prompt in the log</span>;

export const MALFORMED_HINT =
  'Unclosed or malformed calls that no tool answered. They are no tool calls, so no other column counts them';

export function malformedCell({ malformedCalls }: RolloutRow): ReactNode {
  return <span className={(malformedCalls ?? 0) > 0 ? 'is-wrong' : undefined}>{count(malformedCalls)}</span>;
}

/** Turnwise's stop reason, or the logged word if it maps to none. */
export function stopReasonCell({ stopReason, stopReasonSource, stopReasonLogged }: RolloutRow): ReactNode {
  if (stopReason === undefined) {
    if (stopReasonLogged === undefined) return undefined;
    return (
      <span className="muted" title="as logged">
        “{plainLogText(stopReasonLogged)}”
      </span>
    );
  }
  if (stopReasonSource !== 'derived') return plainLogText(stopReason);
  const from = stopReasonLogged === undefined ? 'the text' : `“${plainLogText(stopReasonLogged)}” in the log`;
  return (
    <i className="muted" title={`derived from ${from}`}>
      {plainLogText(stopReason)}
    </i>
  );
}
