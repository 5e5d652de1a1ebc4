/** The actions that a task expects, each with the call of the policy that is the same, or with its other calls of the tool. */

import { Fragment } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { type ExpectedAction, expectedActions } from '../../../shared/domain/expectedActions.ts';
import { outcomeMark } from '../../data/segmentViews.ts';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';
import type { Hit } from './text/findModel.ts';

const MOST_OTHERS = 5;
const LONGEST_ARGUMENTS = 2_000;

interface ExpectedActionsProps {
  readonly detail: RolloutDetail;
  readonly expected: readonly ExpectedAction[];
  readonly onShow: (hit: Hit) => void;
}

/** @returns undefined if the ground truth is not a list of actions */
export function expectedOf({ row, ...acting }: RolloutDetail): readonly ExpectedAction[] | undefined {
  return row.groundTruth === undefined ? undefined : expectedActions(row.groundTruth, acting);
}

export function ExpectedActions({ detail, expected, onShow }: ExpectedActionsProps) {
  const ofPolicy = expected.filter(({ isOfUser }) => !isOfUser);
  const done = ofPolicy.filter(({ call }) => call !== undefined && !isError(call)).length;
  const ofUser = expected.length - ofPolicy.length;
  return (
    <section className="expected-actions">
      <h2>Expected actions</h2>
      <p className="dim">
        {ofPolicy.length > 0 && `${count(done)} of ${count(ofPolicy.length)} done, by tool and arguments. `}
        {ofUser > 0 && `${count(ofUser)} of the simulated user, not looked up. `}
        <small title="derived by Turnwise; the benchmark judges the final state instead">derived</small>
      </p>
      <ol>
        {expected.map((each, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the actions of a task never reorder
          <li key={i}>
            <Mark {...each} /> <b className="mono">{plainLogText(each.tool)}</b>{' '}
            {each.call !== undefined && <TurnLink detail={detail} call={each.call} onShow={onShow} />}
            {each.others.length > 0 && (
              <span className="dim">
                with other arguments in{' '}
                {each.others.slice(0, MOST_OTHERS).map((call, at) => (
                  <Fragment key={call.segment}>
                    {at > 0 && ', '}
                    <TurnLink detail={detail} call={call} onShow={onShow} />
                  </Fragment>
                ))}
                {each.others.length > MOST_OTHERS && ` and ${count(each.others.length - MOST_OTHERS)} more`}
              </span>
            )}
            <div className="mono">
              <LogText text={each.arguments} longest={LONGEST_ARGUMENTS} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

type Call = NonNullable<ExpectedAction['call']>;

const isError = ({ outcome }: Call): boolean => outcome !== undefined && outcomeMark(outcome).isError;

function Mark({ call, isOfUser }: ExpectedAction) {
  if (isOfUser) return <span className="dim">user:</span>;
  const isDone = call !== undefined && !isError(call);
  return (
    <span className={isDone ? 'is-right' : 'is-wrong'} role="img" aria-label={isDone ? 'done' : 'not done'}>
      {isDone ? '✓' : '✕'}
    </span>
  );
}

interface TurnLinkProps {
  readonly detail: RolloutDetail;
  readonly call: Call;
  readonly onShow: (hit: Hit) => void;
}

function TurnLink({ detail, call, onShow }: TurnLinkProps) {
  const { turn, segment } = call;
  const range = detail.segments[segment]?.outer;
  if (range === undefined) return null;
  const { start, end } = range;
  return (
    <button
      type="button"
      className="is-link"
      onClick={() => onShow({ source: 'response', turn, segment, start, end })}
    >
      turn {turn}
      {isError(call) && ' (failed)'}
    </button>
  );
}
