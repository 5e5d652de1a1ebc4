/**
 * A trainer that discards half of each group often writes two logs: all rollouts (traces), and those that were kept
 * (its dumps). Joining them tells the pool which rollouts were kept. The list of kept rollouts does not change.
 */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PoolJoinRow, RunDetail, RunSources } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { JoinForm } from './JoinForm.tsx';
import { candidates, joinText, otherOf, type PoolJoin, roleIn } from './poolModel.ts';

interface PoolAndKeptProps {
  readonly run: RunDetail;
  readonly sources: RunSources;
}

export function PoolAndKept({ run, sources }: PoolAndKeptProps) {
  const { join, leave } = usePoolJoin();
  const runs = useRequest('run.list', {});
  const setNotice = useInterface((state) => state.setNotice);
  const [isChoosing, setChoosing] = useState(false);
  const { poolJoins, runKey } = sources;
  const others = candidates(runs.data ?? [], sources);
  const isBusy = join.isPending || leave.isPending;
  const done = join.data;
  const error = join.error ?? leave.error;
  return (
    <section aria-label="Pool and kept rollouts">
      <h2>Pool and kept rollouts</h2>
      {poolJoins.length === 0 && (
        <p>
          If one log of this training has all rollouts and another only those that were kept, join them to see
          which were discarded.
        </p>
      )}
      <ul className="neighbours">
        {poolJoins.map((one) => (
          <li key={`${one.poolKey} ${one.keptKey}`}>
            <Joined
              join={one}
              runKey={runKey}
              isBusy={isBusy}
              onLeave={() =>
                leave.mutate(
                  { poolKey: one.poolKey, keptKey: one.keptKey },
                  {
                    onSuccess: () => {
                      join.reset();
                      setNotice('Separated: the pool has its own decisions again');
                    },
                  },
                )
              }
            />
            {done !== undefined && done.poolKey === one.poolKey && done.keptKey === one.keptKey && (
              <JoinReport report={done.report} keptKey={one.keptKey} keptName={one.keptName} />
            )}
          </li>
        ))}
      </ul>
      {isChoosing ? (
        <JoinForm
          run={run}
          others={others}
          isBusy={isBusy}
          onCancel={() => setChoosing(false)}
          onJoin={(keys) => join.mutate(keys, { onSuccess: () => setChoosing(false) })}
        />
      ) : others.length > 0 ? (
        <Button onClick={() => setChoosing(true)}>
          {poolJoins.length === 0 ? 'Join with another log…' : 'Join with one more…'}
        </Button>
      ) : (
        runs.data !== undefined && (
          <p className="muted">
            {poolJoins.length === 0
              ? 'There is no other run in this library to join it with.'
              : `There are no more runs: ${counted(poolJoins.length, 'join')} already.`}
          </p>
        )
      )}
      {error !== null && (
        <p className="is-wrong" role="alert">
          ✕ {error.message}
        </p>
      )}
    </section>
  );
}

interface JoinedProps {
  readonly join: PoolJoin;
  readonly runKey: string;
  readonly isBusy: boolean;
  readonly onLeave: () => void;
}

/** Describes a join, with a button to undo it after a confirmation. */
function Joined({ join, runKey, isBusy, onLeave }: JoinedProps) {
  const [isAsked, setAsked] = useState(false);
  const other = otherOf(join, runKey);
  const isPool = roleIn(join, runKey) === 'pool';
  return (
    <div className="joined">
      <p>
        {isPool
          ? 'This run has all rollouts; those kept are listed in '
          : 'This run lists the kept rollouts of '}
        <Link className="is-link" href={pathOfRoute({ view: 'run', runKey: other.runKey })}>
          {other.name}
        </Link>
        . {joinText(join)}
      </p>
      {isAsked ? (
        <p className="join-ask" role="alertdialog" aria-label="Separate the two logs?">
          {counted(join.decided, 'rollout')} of the pool lose the decision from this list. Log files are not
          changed.{' '}
          <Button disabled={isBusy} onClick={onLeave}>
            {' '}
            Separate{' '}
          </Button>{' '}
          <Button disabled={isBusy} onClick={() => setAsked(false)}>
            {' '}
            Cancel{' '}
          </Button>
        </p>
      ) : (
        <Button disabled={isBusy} onClick={() => setAsked(true)}>
          {' '}
          Separate…{' '}
        </Button>
      )}
    </div>
  );
}

interface JoinReportProps {
  readonly report: PoolJoinRow;
  readonly keptKey: string;
  readonly keptName: string;
}

/** The result of matching. Kept rollouts that are in no pool are links, so that users can find out why. */
function JoinReport({ report, keptKey, keptName }: JoinReportProps) {
  const { steps, pool, matched, discarded, conflicts, ambiguous, leftovers, firstLeftovers } = report;
  const facts = [
    ['steps in common', steps],
    ['rollouts of the pool in them', pool],
    ['found in the list: kept', matched],
    ['not found: discarded', discarded],
    ['logged differently in the pool, which is used', conflicts],
    ['found among equal texts: a guess', ambiguous],
    ['in the list, but not in the pool', leftovers],
  ] as const;
  return (
    <div className="join-report" role="status">
      <table>
        <tbody>
          {facts.map(([label, value]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className={label.startsWith('in the list') && value > 0 ? 'is-wrong' : undefined}>
                {count(value)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {firstLeftovers.length > 0 && (
        <>
          <p className="muted">
            Left over in {keptName}
            {leftovers > firstLeftovers.length &&
              `, the first ${firstLeftovers.length} of ${count(leftovers)}`}
            :
          </p>
          <ul>
            {firstLeftovers.map(({ step, groupKey, ordinal }) => (
              <li key={`${step} ${groupKey} ${ordinal}`}>
                <Link
                  className="is-link"
                  href={pathOfRoute({ view: 'rollout', runKey: keptKey, step, groupKey, ordinal })}
                >
                  step {step}, #{ordinal}
                </Link>{' '}
                <small className="mono" title={groupKey}>
                  {groupKey}
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface Keys {
  readonly poolKey: string;
  readonly keptKey: string;
}

/** Decisions, rewards and sums of the pool change, so all requests about it are repeated. */
function usePoolJoin() {
  const client = useClient();
  const queryClient = useQueryClient();
  const onSuccess = () => queryClient.invalidateQueries();
  const join = useMutation({
    mutationFn: async (keys: Keys) => ({
      ...keys,
      report: await client.request('run.joinPool', { ...keys }),
    }),
    onSuccess,
  });
  const leave = useMutation({
    mutationFn: (keys: Keys) => client.request('run.leavePool', { ...keys }),
    onSuccess,
  });
  return { join, leave };
}
