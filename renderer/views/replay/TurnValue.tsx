/** The value at the end of a turn, under its text. */
import {
  changeName,
  changeText,
  type PolicyValue,
  policyText,
  rateText,
  type ValueChange,
} from '../../../shared/domain/valueByTurn.ts';
import { LogText } from '../../ui/LogText.tsx';
import { ValueBar } from '../../widgets/continuation/ValueBar.tsx';
import './turnValue.css';

export function TurnValue({ value, turn }: { readonly value: PolicyValue; readonly turn: number }) {
  const one = value.values.find((known) => known.turn === turn);
  const { losing, saving } = value;
  return (
    <section
      className="turn-value"
      aria-label={turn === 0 ? 'Value after the prompt' : `Value after turn ${turn}`}
    >
      <ValueBar value={one} />
      <span>
        {one === undefined ? (
          <span className="dim">value unknown: no graded continuations from here</span>
        ) : one.isOutcome ? (
          `outcome: ${one.correct === 1 ? 'correct' : 'incorrect'}`
        ) : (
          <>
            <b>{rateText(one)}</b> <span className="dim">continuations correct</span>
          </>
        )}
      </span>
      {losing?.after.turn === turn && <Change change={losing} name="losing" glyph="↓" className="is-wrong" />}
      {saving?.after.turn === turn && <Change change={saving} name="saving" glyph="↑" className="is-right" />}
      {turn === 0 && (
        <span className="dim" title="It may not be the policy that the trainer had.">
          <LogText text={policyText(value.policy)} longest={400} />
        </span>
      )}
    </section>
  );
}

interface ChangeProps {
  readonly change: ValueChange;
  readonly name: 'losing' | 'saving';
  readonly glyph: string;
  readonly className: string;
}

function Change({ change, name, glyph, className }: ChangeProps) {
  const { before, after, isClear } = change;
  return (
    <span className={className} title={changeText(change)}>
      {glyph} {changeName(change, name)}: {rateText(before)} → {rateText(after)}
      {!isClear && ', perhaps by chance'}
    </span>
  );
}
