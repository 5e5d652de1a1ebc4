import { useId, useState } from 'react';
import type { RunDetail, RunSummary } from '../../../shared/api/contract.ts';
import { Button } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { keysOf, likelyRole, type PoolKeys, type PoolRole, sizeText } from './poolModel.ts';

interface JoinFormProps {
  readonly run: RunDetail;
  readonly others: readonly RunSummary[];
  readonly isBusy: boolean;
  readonly onJoin: (keys: PoolKeys) => void;
  readonly onCancel: () => void;
}

/**
 * Chooses the other log, and which of the two contains all rollouts. Explained in words, because a wrong choice is not
 * visible.
 */
export function JoinForm({ run, others, isBusy, onJoin, onCancel }: JoinFormProps) {
  const id = useId();
  const [chosen, setChosen] = useState(others[0]?.runKey);
  const [given, setRole] = useState<PoolRole>();
  const other = others.find(({ runKey }) => runKey === chosen) ?? others[0];
  if (other === undefined) return null;
  const role = given ?? likelyRole(run, other);
  const choices = [
    {
      role: 'pool' as const,
      label: `${run.name} has all rollouts`,
      hint: `${other.name} lists the ones that were kept; decisions appear in this run`,
    },
    {
      role: 'kept' as const,
      label: `${other.name} has all rollouts`,
      hint: `this run lists the ones that were kept; decisions appear in ${other.name}`,
    },
  ];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onJoin(keysOf(run.runKey, other.runKey, role));
      }}
    >
      <label htmlFor={id}>The other log of this training</label>
      <select
        id={id}
        className="text-field join-run"
        value={other.runKey}
        onChange={(event) => {
          setChosen(event.target.value);
          setRole(undefined);
        }}
      >
        {others.map((one) => (
          <option key={one.runKey} value={one.runKey}>
            {plainLogText(one.name)} ({sizeText(one)})
          </option>
        ))}
      </select>
      {choices.map((choice) => (
        <label key={choice.role} className="choice">
          <input
            type="radio"
            name={`${id} role`}
            checked={role === choice.role}
            onChange={() => setRole(choice.role)}
          />
          <span>
            {choice.label}
            <small>{choice.hint}</small>
          </span>
        </label>
      ))}
      <small>
        This run: {sizeText(run)}. Rollouts are matched by step, question and text; only steps in both logs
        get decisions. You can undo this here.
      </small>
      <span className="join-buttons">
        <Button type="submit" isPrimary disabled={isBusy}>
          {isBusy ? 'Matching…' : 'Join'}
        </Button>
        <Button disabled={isBusy} onClick={onCancel}>
          Cancel
        </Button>
      </span>
    </form>
  );
}
