/**
 * The tree of a group's rollouts, or of one problem's rollouts at all steps: by text, or by action (`?by=action`).
 * A dialogue is shown by action unless the URL says `?by=text`: by text, it forks where the users speak differently.
 *
 *   TreeView (requests: one group, or the groups of the problem) ─► StepBrush
 *                                                                ─► ForkTree (selection, keys) ─► BranchCard · LeafRow
 */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { THOUGHT_TOOL } from '../../../shared/domain/actions.ts';
import { figureSvg } from '../../charts/exportChart.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { usePage } from '../../data/usePage.ts';
import { fetchCached, useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useRunOf } from '../../data/useRunOf.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { sourceLabel } from '../../ui/signalSource.ts';
import { ChartMenu, chartFileName } from '../../widgets/charts/ChartMenu.tsx';
import { DerivedChips } from '../../widgets/DerivedChips.tsx';
import { useWayBack } from '../../widgets/useWayBack.ts';
import { ForkTree } from './ForkTree.tsx';
import { StepBrush } from './StepBrush.tsx';
import { isWithin, readSteps, stepsOf, writeSteps } from './stepModel.ts';
import { TreeFigure, treeCsv } from './TreeFigure.tsx';
import { idleNote, isDialogue, type Tree } from './treeModel.ts';
import './tree.css';

type TreeRoute = Extract<Route, { view: 'groupTree' }>;

export default function TreeView({ route }: { readonly route: TreeRoute }) {
  const { runKey, step, groupKey } = route;
  const [query, setQuery] = useUrlQuery();
  const isOverTime = query.get('of') === 'steps';
  const run = useRunOf(route);
  const resolved = usePage({ runKey, step, groupKey });
  const groupId = resolved.data?.groupId;
  const all = useProblemGroups(runKey, isOverTime ? groupId : undefined);
  const groups = all.data?.groups;
  const steps = useMemo(() => (groups === undefined ? undefined : stepsOf(groups)), [groups]);
  const range = steps === undefined ? undefined : readSteps(query.get('steps'), steps);
  const inRange = groups?.filter(({ step: of }) => isWithin(of, range)).map((group) => group.groupId);
  const groupIds = isOverTime ? inRange : groupId === undefined ? undefined : [groupId];
  const wanted = groupIds === undefined ? undefined : { groupIds };
  const by = query.get('by');
  const byText = useRequest('compare.tree', by === 'action' ? undefined : wanted, {
    keepPrevious: isOverTime,
  });
  const isByAction =
    by === 'action' || (by !== 'text' && byText.data !== undefined && isDialogue(byText.data));
  const byAction = useRequest('compare.actionTree', isByAction ? wanted : undefined, {
    keepPrevious: isOverTime,
  });
  const tree = isByAction ? byAction : byText;
  useWayBack({ view: 'group', runKey, step, groupKey });

  const error = resolved.error ?? all.error ?? tree.error;
  const answer = tree.data;
  return (
    <div className="page">
      <header className="page-head">
        <h1 title={plainLogText(groupKey)}>
          Fork tree of <span className="mono">{plainLogText(groupKey)}</span>
        </h1>
        <Segmented
          label="Branches"
          chosen={isByAction ? 'action' : 'text'}
          onChoose={(chosen) => setQuery({ ...ANEW, by: chosen })}
          choices={[
            { id: 'text', label: 'By text', title: 'A branch is the text that its rollouts share' },
            {
              id: 'action',
              label: 'By action',
              title: `A branch is a tool call or a final answer; other formatting is the same action. Calls of ${THOUGHT_TOOL}, which only write down a thought, are left out`,
            },
          ]}
        />
        {run?.hasSteps === true && (
          <Segmented
            label="Rollouts of"
            chosen={isOverTime ? 'steps' : 'group'}
            onChoose={(chosen) =>
              setQuery({ ...ANEW, of: chosen === 'steps' ? chosen : undefined, steps: undefined })
            }
            choices={[
              { id: 'group', label: 'This group', title: 'The rollouts of this group' },
              { id: 'steps', label: 'All its steps', title: 'This problem over training time, in this run' },
            ]}
          />
        )}
        <DerivedChips run={run} />
        <div className="end">
          {answer !== undefined && answer.rollouts.length > 0 && (
            <TreeMenu
              tree={answer}
              of={`${run?.name ?? runKey}, ${isOverTime ? 'all steps' : run?.hasSteps === true ? `step ${step}` : 'no steps'}, ${groupKey}`}
              by={isByAction ? 'action' : 'text'}
            />
          )}
          <Link className="is-link" href={pathOfRoute({ view: 'group', runKey, step, groupKey })}>
            {' '}
            Rollout table{' '}
          </Link>
        </div>
      </header>
      {isOverTime && steps !== undefined && steps.length > 1 && (
        <StepBrush
          steps={steps}
          range={range}
          onRange={(wanted) => setQuery({ ...ANEW, steps: writeSteps(wanted, steps) })}
        />
      )}
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
        <WaitingState
          title={isByAction ? 'Comparing the actions…' : 'Comparing the responses, character by character…'}
        />
      ) : answer.rollouts.length === 0 ? (
        <EmptyState title="There are no rollouts here" />
      ) : (
        <>
          <p className="same-note muted">{treeLabel(answer)}</p>
          {(answer.isCut || answer.leftOut > 0 || (isOverTime && (all.data?.unlisted ?? 0) > 0)) && (
            <p className="same-note is-wrong">
              {cutLabel(answer, isOverTime ? (all.data?.unlisted ?? 0) : 0, isOverTime)}
            </p>
          )}
          <ForkTree
            key={`${isByAction ? 'action' : 'text'} ${isOverTime ? `steps ${query.get('steps') ?? ''}` : 'group'}`}
            tree={answer}
            runKey={runKey}
            showsStep={isOverTime}
            isStale={tree.isPlaceholderData}
            label={`Fork tree of ${groupKey}`}
          />
        </>
      )}
    </div>
  );
}

interface TreeMenuProps {
  readonly tree: Tree;
  /** Run, step and group. */
  readonly of: string;
  readonly by: 'text' | 'action';
}

/** Saves the whole tree, whatever is folded or in sight. */
function TreeMenu({ tree, of, by }: TreeMenuProps) {
  const title = `Fork tree by ${by}`;
  const source = `${of}; ${title}${tree.leftOut > 0 ? `; ${counted(tree.leftOut, 'rollout')} not compared` : ''}`;
  const caption = {
    title,
    subtitle: `from rollouts · ${source}`,
    legend: [
      { name: 'share of correct rollouts', color: 'var(--right)', isArea: true as const },
      { name: '✕ incorrect rollout', color: 'var(--wrong)' },
    ],
  };
  return (
    <ChartMenu
      title={title}
      fileName={chartFileName(of, `tree-by-${by}`)}
      drawing={(look) =>
        figureSvg(({ width }) => <TreeFigure tree={tree} width={width} title={title} />, caption, look)
      }
      csv={() => treeCsv(tree, source)}
      provenance="from rollouts"
    />
  );
}

/** Query changes that reset the selection, since its keys are only valid within one tree. */
const ANEW = { at: undefined, mark: undefined } as const;

/** Explains the tree. By text, it names the source of its signal, or both sources if there are two. */
function treeLabel(tree: Tree): string {
  const { rollouts, steps } = tree;
  const of = steps.length < 2 ? '' : ` of ${counted(steps.length, 'step')}`;
  const columns =
    steps.length < 2
      ? ''
      : ' Columns, one per step: height is the share of the step\u2019s rollouts on this branch (the number beside it is the top), the filled part is correct.';
  if ('withoutActions' in tree) {
    const idle = idleNote(tree);
    return `${counted(rollouts.length, 'rollout')}${of}. A branch is a tool call or a final answer that its rollouts share; reordered arguments and reformatted code are the same, and calls of ${THOUGHT_TOOL} are left out. Below it: what came back.${columns}${idle === undefined ? '' : ` ${idle}`}`;
  }
  const { nodes } = tree;
  const sources = new Set(nodes.flatMap(({ fork }) => (fork === undefined ? [] : sourceLabel(fork))));
  const signal =
    sources.size === 0
      ? 'No per-token data at these forks.'
      : `Value: mean at the token where the branches fork, over the rollouts that have it (${[...sources].join('; ')}).`;
  const others = nodes.some(({ writers }) => writers !== undefined)
    ? ' Words of a user or a tool are labelled: the policy did not generate them.'
    : '';
  return `${counted(rollouts.length, 'rollout')}${of}. A branch is the text that its rollouts share since the previous fork.${others}${columns} ${signal}`;
}

function cutLabel({ isCut, leftOut }: Tree, unlisted: number, isOverTime: boolean): string {
  return [
    isCut ? 'Too many branches: the last ones are shown as groups of rollouts.' : undefined,
    leftOut > 0
      ? `${counted(leftOut, 'rollout')} more, the last of the ${isOverTime ? 'steps' : 'group'}, were not compared${
          isOverTime ? ': choose fewer steps' : ''
        }.`
      : undefined,
    unlisted > 0 ? `${count(unlisted)} groups of this problem were not listed.` : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** Limit of the request. */
const MOST = 1_000;

interface SteppedGroup {
  readonly groupId: number;
  readonly step: number;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
}

/** @param groupId undefined: requests nothing */
function useProblemGroups(runKey: string, groupId: number | undefined) {
  const client = useClient();
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: ['problem groups', runKey, groupId],
    enabled: groupId !== undefined,
    queryFn: async () => {
      if (groupId === undefined) throw new Error('the groups were asked for before the group was known');
      const { places, total } = await fetchCached(queryClient, client, 'problem.occurrences', {
        groupId,
        limit: MOST,
      });
      return {
        /** By step, if the log has steps. */
        groups: places.flatMap(
          ({
            runKey: of,
            groupId: id,
            step = 0,
            rollouts,
            correct,
            correctKnown,
          }): readonly SteppedGroup[] =>
            of === runKey ? [{ groupId: id, step, rollouts, correct, correctKnown }] : [],
        ),
        /** Number of occurrences beyond the limit, which may include groups of this run. */
        unlisted: total - places.length,
      };
    },
  });
}
