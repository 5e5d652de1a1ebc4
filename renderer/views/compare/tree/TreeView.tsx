/**
 * Where the rollouts of a group part, or those of one problem at all its steps.
 *
 *   TreeView (asks: one group, or all groups of the problem) ─► ForkTree (selection, keys) ─► BranchCard · LeafRow
 */

import type { ForkTree as Tree } from '../../../../shared/api/contract.ts';
import { type Place, pathOfPlace } from '../../../data/place.ts';
import { useUrlQuery } from '../../../data/usePlace.ts';
import { useProblemGroups } from '../../../data/useProblemGroups.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { useRunOf } from '../../../data/useRunOf.ts';
import { Segmented } from '../../../ui/Controls.tsx';
import { Link } from '../../../ui/Link.tsx';
import { count, counted } from '../../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../../ui/States.tsx';
import { sourceWords } from '../../../ui/signalSource.ts';
import { ForkTree } from './ForkTree.tsx';
import './tree.css';

type TreePlace = Extract<Place, { view: 'groupTree' }>;

export default function TreeView({ place }: { readonly place: TreePlace }) {
  const { runKey, step, groupKey } = place;
  const [query, setQuery] = useUrlQuery();
  const isOverTime = query.get('of') === 'steps';
  const run = useRunOf(place);
  const resolved = useRequest('place.resolve', { runKey, step, groupKey });
  const groupId = resolved.data?.groupId;
  const all = useProblemGroups(runKey, isOverTime ? groupId : undefined);
  const groupIds = isOverTime ? all.data?.groupIds : groupId === undefined ? undefined : [groupId];
  const tree = useRequest('compare.tree', groupIds === undefined ? undefined : { groupIds });

  const error = resolved.error ?? all.error ?? tree.error;
  const answer = tree.data;
  return (
    <div className="page">
      <header className="page-head">
        <h1 title={groupKey}>
          Where the rollouts of <span className="mono">{groupKey}</span> part
        </h1>
        {run?.hasSteps === true && (
          <Segmented
            label="Rollouts of"
            chosen={isOverTime ? 'steps' : 'group'}
            onChoose={(chosen) =>
              setQuery({ of: chosen === 'steps' ? chosen : undefined, at: undefined, mark: undefined })
            }
            choices={[
              { id: 'group', label: 'This group', title: 'The siblings of this step' },
              { id: 'steps', label: 'All its steps', title: 'This problem over training time, in this run' },
            ]}
          />
        )}
        <div className="end">
          <Link className="is-link" href={pathOfPlace({ view: 'group', runKey, step, groupKey })}>
            Ledger
          </Link>
        </div>
      </header>
      {error !== null ? (
        <FailedState
          title="This tree could not be drawn"
          error={error}
          onRetry={() =>
            void (resolved.error !== null
              ? resolved.refetch()
              : all.error !== null
                ? all.refetch()
                : tree.refetch())
          }
        />
      ) : answer === undefined ? (
        <WaitingState title="Comparing the responses, character by character…" />
      ) : answer.rollouts.length === 0 ? (
        <EmptyState title="There are no rollouts here" />
      ) : (
        <>
          <p className="same-note muted">{treeWords(answer, isOverTime ? all.data?.steps : undefined)}</p>
          {(answer.isCut || answer.leftOut > 0 || (isOverTime && (all.data?.unlisted ?? 0) > 0)) && (
            <p className="same-note is-wrong">
              {cutWords(answer, isOverTime ? (all.data?.unlisted ?? 0) : 0)}
            </p>
          )}
          <ForkTree
            key={isOverTime ? 'steps' : 'group'}
            tree={answer}
            runKey={runKey}
            showsStep={isOverTime}
            label={`Fork tree of ${groupKey}`}
          />
        </>
      )}
    </div>
  );
}

/** How to read it, with the source of the signal; two sources in one tree are both named. */
function treeWords({ rollouts, nodes }: Tree, steps: number | undefined): string {
  const sources = new Set(nodes.flatMap(({ fork }) => (fork === undefined ? [] : sourceWords(fork))));
  const signal =
    sources.size === 0
      ? 'No signal of tokens is logged at these forks.'
      : `Value: mean at the token after which the branches part, over the rollouts that have it (${[...sources].join('; ')}).`;
  const of = steps === undefined ? '' : ` of ${counted(steps, 'step')}`;
  return `${counted(rollouts.length, 'rollout')}${of}. A branch is the text its rollouts have in common from the former fork on. ${signal}`;
}

function cutWords({ isCut, leftOut }: Tree, unlisted: number): string {
  return [
    isCut ? 'Too many branches: the last ones are left as bundles of rollouts.' : undefined,
    leftOut > 0 ? `${counted(leftOut, 'rollout')} more were not looked at.` : undefined,
    unlisted > 0 ? `${count(unlisted)} groups of this problem were not listed.` : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}
