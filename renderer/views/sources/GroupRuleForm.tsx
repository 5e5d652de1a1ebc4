import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { RunSources } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import { type GroupRuleChoice, groupSentence, orderEffect, usualSize } from './sourcesModel.ts';

interface GroupRuleFormProps {
  readonly sources: RunSources;
  readonly rollouts: number;
}

/** Explains how rollouts are grouped, and changes it for the whole run. */
export function GroupRuleForm({ sources, rollouts }: GroupRuleFormProps) {
  const client = useClient();
  const queryClient = useQueryClient();
  const setNotice = useInterface((state) => state.setNotice);
  const name = useId();
  const current: GroupRuleChoice = sources.groupRule?.rule ?? 'log';
  const [chosen, setChosen] = useState<GroupRuleChoice>(current);
  const [size, setSize] = useState(sources.groupRule?.size ?? usualSize(sources.groups));
  const before = sources.groups.reduce((sum, one) => sum + one.groups, 0);

  const regroup = useMutation({
    mutationFn: () =>
      client.request('run.setGroupRule', {
        runKey: sources.runKey,
        rule: chosen,
        ...(chosen === 'order' ? { size } : {}),
      }),
    onSuccess: async ({ groups }) => {
      setNotice(`${counted(groups, 'group')} now; there were ${before}`);
      await queryClient.invalidateQueries();
    },
  });
  const isSame = chosen === current && (chosen !== 'order' || size === sources.groupRule?.size);
  const isSizeBad = chosen === 'order' && (!Number.isInteger(size) || size < 1 || size > 100_000);
  const choices = [
    { id: 'log', label: 'As logged', hint: 'by logged ids; without ids, by equal prompt' },
    { id: 'prompt', label: 'By equal prompt', hint: 'rollouts of a step with the same prompt' },
    { id: 'order', label: 'Every', hint: orderEffect(rollouts, size) },
  ] as const;
  return (
    <section>
      <h2>Prompt groups</h2>
      <p>
        {groupSentence(sources.groups)}
        {sources.groupRule !== undefined && <span className="muted"> Set by you.</span>}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          regroup.mutate();
        }}
      >
        {choices.map((choice) => (
          <label key={choice.id} className="choice">
            <input
              type="radio"
              name={name}
              checked={chosen === choice.id}
              onChange={() => setChosen(choice.id)}
            />
            <span>
              {choice.label}
              {choice.id === 'order' && (
                <>
                  {' '}
                  <input
                    type="number"
                    className="text-field"
                    aria-label="Rollouts per group"
                    min={1}
                    max={100_000}
                    value={Number.isNaN(size) ? '' : size}
                    onFocus={() => setChosen('order')}
                    onChange={(event) => setSize(event.target.valueAsNumber)}
                  />{' '}
                  in order
                </>
              )}
              <small>{choice.hint}</small>
            </span>
          </label>
        ))}
        {regroup.error !== null && (
          <p className="is-wrong" role="alert">
            ✕ {regroup.error.message}
          </p>
        )}
        <Button type="submit" disabled={isSame || isSizeBad || regroup.isPending}>
          {regroup.isPending ? 'Regrouping…' : 'Apply'}
        </Button>
      </form>
    </section>
  );
}
