/**
 * Samples the value by turn of a rollout, at the endpoint that the environment names. Shows what would be sent, and how
 * many tokens at most. Nothing is sent before the user starts it.
 */
import { Dialog } from 'radix-ui';
import { useEffect, useId, useState } from 'react';
import type { ParamsOf, RolloutDetail, SamplingPreview } from '../../../shared/api/contract.ts';
import {
  changeName,
  changeText,
  type PolicyValue,
  policyKey,
  policyText,
  rateText,
  valuesByPolicy,
} from '../../../shared/domain/valueByTurn.ts';
import { useRequest } from '../../data/useRequest.ts';
import { TaskDialog } from '../../shell/dialogs/TaskDialog.tsx';
import { useDialog } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EMPTY_VALUE_FORM, valueParamsOfForm } from './continuationModel.ts';
import { SamplingFields } from './SamplingFields.tsx';
import { SentRequest, usePreview } from './SentRequest.tsx';
import { useSampledValue } from './useSampledValue.ts';
import { ValueBar } from './ValueBar.tsx';
import './continuation.css';
import './valueTable.css';

/** UTF-16 units of a text that is shown. */
const LONGEST = 20_000;

export function ValueDialog() {
  const about = useDialog('value');
  const detail = useRequest(
    'rollout.get',
    about === undefined ? undefined : { rolloutId: about.rolloutId },
  ).data;
  if (about === undefined || detail === undefined) return null;
  return (
    <TaskDialog name="value" className="continuation-dialog">
      {(frame) => <Body detail={detail} {...frame} />}
    </TaskDialog>
  );
}

interface BodyProps {
  readonly detail: RolloutDetail;
  readonly onDone: () => void;
  readonly onWriting: (isWriting: boolean) => void;
}

function Body({ detail, onDone, onWriting }: BodyProps) {
  const { rolloutId } = detail.row;
  const id = useId();
  const [form, setForm] = useState(EMPTY_VALUE_FORM);
  const sampling = useSampledValue();
  const isRunning = sampling.state === 'running';
  useEffect(() => onWriting(isRunning), [isRunning, onWriting]);
  const params = valueParamsOfForm(rolloutId, form);
  const first = typeof params === 'string' ? undefined : params.first;
  const { preview, error, isReady } = usePreview(first);
  const stored = useRequest('sampling.stored', { rolloutIds: [rolloutId] }).data?.[0];
  const value =
    stored === undefined || first === undefined
      ? undefined
      : valuesByPolicy(stored).find(({ policy }) => isAsked(policy, first, preview));
  const problem = typeof params === 'string' ? params : (error ?? gradeProblem(preview, form.pattern));
  const start = (): void => {
    if (typeof params !== 'string' && isReady && problem === undefined) sampling.start(params.value);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRunning) start();
      }}
    >
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Value by turn of rollout #{detail.row.ordinal}</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        {!isRunning && (
          <>
            <p>
              Samples continuations from the end of each turn and shows how many are correct. The turn with
              the largest drop lost the rollout.
            </p>
            <SamplingFields form={form} onChange={setForm} labels={{ n: 'Most per turn' }}>
              <span>
                <label htmlFor={`${id}budget`}>Token budget</label>
                <input
                  id={`${id}budget`}
                  className="text-field"
                  inputMode="decimal"
                  value={form.budget}
                  onChange={({ target }) => setForm({ ...form, budget: target.value })}
                />
              </span>
            </SamplingFields>
            {problem === undefined ? (
              preview !== undefined && (
                <SentRequest
                  preview={preview}
                  pattern={form.pattern}
                  requests="Requests"
                  mostTokens={Number(form.budget)}
                />
              )
            ) : (
              <p className="is-wrong" role="alert">
                ✕ {problem}
              </p>
            )}
          </>
        )}
        {sampling.failure !== undefined && (
          <p className="is-wrong" role="alert">
            ✕ <LogText text={sampling.failure} longest={LONGEST} />
          </p>
        )}
        {value !== undefined && <ValueTable value={value} />}
      </div>
      <div className="dialog-foot">
        <span className="muted" role="status">
          {statusText(sampling, value)}
        </span>
        <span className="dialog-buttons">
          {isRunning ? (
            <Button onClick={sampling.stop}>Stop</Button>
          ) : (
            <>
              <Button onClick={onDone}>Close</Button>
              <Button type="submit" isPrimary disabled={!isReady || problem !== undefined}>
                {value === undefined ? 'Start sampling' : 'Sample more'}
              </Button>
            </>
          )}
        </span>
      </div>
    </form>
  );
}

const gradeProblem = (preview: SamplingPreview | undefined, pattern: string): string | undefined =>
  preview?.hasGroundTruth === false && pattern === ''
    ? 'The log has no ground truth. Give a pattern that a correct answer matches.'
    : undefined;

function isAsked(
  policy: PolicyValue['policy'],
  { settings, pattern }: ParamsOf<'sampling.preview'>,
  preview: SamplingPreview | undefined,
): boolean {
  const model = preview?.endpoint?.model;
  if (model === undefined) return true;
  const { temperature = 1, topP = 1, maxTokens = 4096, stop = [] } = settings ?? {};
  return policyKey(policy) === policyKey({ model, temperature, topP, maxTokens, stop, pattern });
}

function statusText(
  { state, ended, turn, sampled }: ReturnType<typeof useSampledValue>,
  value: PolicyValue | undefined,
): string {
  const sampledNow = counted(ended, 'continuation');
  switch (state) {
    case 'form':
      return value === undefined ? '' : `${counted(value.sampled, 'continuation')} stored`;
    case 'running':
      return `${sampledNow} sampled${turn === undefined ? '' : `, now after ${turn === 0 ? 'the prompt' : `turn ${turn}`}`}`;
    case 'stopped':
      return `Stopped. ${sampledNow} stored.`;
    case 'ended':
      return `${sampledNow} sampled, ${counted(sampled?.tokens ?? 0, 'token')}. ${sampled?.isComplete === true ? 'Every turn has the most continuations.' : 'The budget is spent.'}`;
  }
}

/** The values of all turns, and what they say. */
function ValueTable({ value }: { readonly value: PolicyValue }) {
  const { policy, sampled, cut, lastTurn, values, losing, saving } = value;
  return (
    <section aria-label="Value by turn">
      <p className="muted">
        <LogText text={`${counted(sampled, 'continuation')} ${policyText(policy)}.`} longest={400} /> It may
        not be the policy that the trainer had.
        {cut > 0 && ` ${counted(cut, 'continuation')} ended at the limit of tokens.`}
      </p>
      <table className="value-table">
        <thead>
          <tr>
            <th scope="col">After</th>
            <th scope="col">Correct</th>
            <th scope="col">95 % interval</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: lastTurn + 1 }, (_, turn) => {
            const one = values.find((known) => known.turn === turn);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the turn
              <tr key={turn}>
                <th scope="row">{turn === 0 ? 'Prompt' : `Turn ${count(turn)}`}</th>
                <td>{one === undefined ? <span className="dim">unknown</span> : outcomeText(one)}</td>
                <td>
                  <ValueBar value={one} />
                  {losing?.after.turn === turn && (
                    <span className="is-wrong"> ↓ {changeName(losing, 'losing')}</span>
                  )}
                  {saving?.after.turn === turn && (
                    <span className="is-right"> ↑ {changeName(saving, 'saving')}</span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {losing !== undefined && <p>Largest drop: {changeText(losing)}.</p>}
      {saving !== undefined && <p>Largest rise: {changeText(saving)}.</p>}
    </section>
  );
}

const outcomeText = (value: PolicyValue['values'][number]): string =>
  value.isOutcome ? (value.correct === 1 ? 'correct, as logged' : 'incorrect, as logged') : rateText(value);
