/** The rollouts of the same problem that are most similar to a given one: siblings, failures, successes. */
import { useMemo } from 'react';
import type { AlikeList, AlikeRollout, RolloutDetail } from '../../../shared/api/contract.ts';
import { comparePath } from '../../data/compareLink.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { usePage } from '../../data/usePage.ts';
import { useRequest } from '../../data/useRequest.ts';
import { navigateTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCompareCommand, useCompareMark } from '../../shell/compareSet.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { RightMark } from '../../ui/Marks.tsx';
import { count } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { ALIKE_LIMIT, alikePath, counterpart, useAlike } from '../../widgets/useAlike.ts';
import { useWayBack } from '../../widgets/useWayBack.ts';
import { alikeColumns } from './alikeColumns.tsx';
import './alike.css';

type AlikeRoute = Extract<Route, { view: 'alike' }>;

export default function AlikeView({ route }: { readonly route: AlikeRoute }) {
  const { runKey, step, groupKey, ordinal } = route;
  const resolved = usePage({ runKey, step, groupKey, ordinal, show: 'rollout' });
  const rolloutId = resolved.data?.rolloutId;
  const rollout = useRequest('rollout.get', rolloutId === undefined ? undefined : { rolloutId });
  const alike = useLongQuery(
    'compare.alike',
    rolloutId === undefined ? undefined : { rolloutId, limit: ALIKE_LIMIT },
  );
  const back = useWayBack({ view: 'rollout', runKey, step, groupKey, ordinal });
  const error = resolved.error ?? rollout.error ?? alike.error;
  if (error !== null)
    return (
      <FailedState
        isPage
        title={`Rollouts similar to #${ordinal} could not be found`}
        error={error}
        onRetry={() => {
          for (const query of [resolved, rollout]) if (query.error !== null) void query.refetch();
          if (alike.error !== null) void alike.restart();
        }}
      />
    );
  if (rollout.data === undefined || alike.data === undefined)
    return (
      <>
        <WaitingState title="Comparing with the other rollouts of this problem, 512 at most, word by word…" />
        <p className="alike-cancel">
          <progress max={1} value={alike.progress?.share ?? 0} aria-label="Rollouts compared" />
          {/* Cancels the request on the host, since nobody waits for it any more. */}
          <Button onClick={back}>{keyed('Cancel', 'place.up')}</Button>
        </p>
      </>
    );
  return <Alike route={route} row={rollout.data.row} list={alike.data} />;
}

interface AlikeProps {
  readonly route: AlikeRoute;
  readonly row: RolloutDetail['row'];
  readonly list: AlikeList;
}

const TAB_LABELS = {
  siblings: { label: 'Siblings', title: 'Of the same group' },
  wrong: { label: 'Incorrect', title: 'Of the same problem, any step or run' },
  right: { label: 'Correct', title: 'Of the same problem, any step or run' },
  all: { label: 'All', title: 'Of the same problem, any step or run' },
} as const;

function Alike({ route, row, list }: AlikeProps) {
  const [query, setQuery] = useUrlQuery();
  const tab = tabOf(
    query.get('tab'),
    list.rollouts.some(({ isSibling }) => isSibling),
  );
  const own: Route = { ...route, view: 'rollout' };
  const { compareCounterpart } = useAlike({ ...route, view: 'rollout' }, row);
  const table = useTableCommands();
  // Applies to the row under the cursor. The row's own link leads to the comparison.
  useCompareCommand(() => {
    const href = table.current?.cursorHref();
    return href === undefined ? undefined : new URLSearchParams(href.split('?')[1]).getAll('lane')[1];
  });
  const compareMark = useCompareMark();
  const rollouts = useMemo(
    () => list.rollouts.filter((rollout) => inTab(tab, rollout)),
    [list.rollouts, tab],
  );
  const columns = useMemo(
    () => alikeColumns({ ownRunKey: route.runKey, has: (test) => list.rollouts.some(test) }),
    [list.rollouts, route.runKey],
  );
  const other = row.isCorrect === true ? 'incorrect' : 'correct';
  const hasOther = row.isCorrect !== undefined && counterpart(row.isCorrect, list.rollouts) !== undefined;
  const name = `alike ${pathOfRoute(route)} ${tab}`;
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          Most similar to <span className="mono">#{row.ordinal}</span>{' '}
          <RightMark isCorrect={row.isCorrect} source={row.correctSource} />
        </h1>
        <Segmented
          label="Rollouts"
          chosen={tab}
          onChoose={(chosen) => setQuery({ tab: chosen })}
          choices={ALIKE_TABS.map((id) => ({
            id,
            title: TAB_LABELS[id].title,
            label: (
              <>
                {TAB_LABELS[id].label}{' '}
                <span className="dim">{count(list.rollouts.filter((one) => inTab(id, one)).length)}</span>
              </>
            ),
          }))}
        />
        <div className="end">
          {compareCounterpart !== undefined && hasOther && (
            <Button
              onClick={compareCounterpart}
              title={keyed('Compare with the first of them in the list', 'alike.compare')}
            >
              Compare with the most similar {other} rollout
            </Button>
          )}
          <Link className="is-link" href={pathOfRoute(own)}>
            Replay
          </Link>
        </div>
      </header>
      <p className="same-note muted">
        {lookedAt(list)} Ranked by common beginning (in steps of 5 % of this response), then by similarity of
        code (in steps of 5 %), then of text.
      </p>
      {list.rollouts.length === 0 ? (
        <EmptyState title="No other rollout of this problem" />
      ) : rollouts.length === 0 ? (
        <EmptyState
          title={
            tab === 'siblings'
              ? 'No other rollout in this group'
              : `None of them is ${TAB_LABELS[tab].label.toLowerCase()}`
          }
        >
          {tab !== 'siblings' && !list.rollouts.some(({ isCorrect }) => isCorrect !== undefined) && (
            <p>Their correctness is unknown.</p>
          )}
          <button type="button" className="is-link" onClick={() => setQuery({ tab: 'all' })}>
            Show all {list.rollouts.length}
          </button>
        </EmptyState>
      ) : (
        <div className="page-list">
          <VirtualTable
            key={name}
            handle={table}
            label={`Rollouts similar to #${row.ordinal}`}
            columns={columns}
            count={rollouts.length}
            rowAt={(index) => rollouts[index]}
            isQuiet={({ kept }) => kept === false}
            markOf={(one) => compareMark(alikePath(one))}
            onOpen={(one) => navigateTo(comparePath([pathOfRoute(own), alikePath(one)]))}
            hrefOf={(one) => comparePath([pathOfRoute(own), alikePath(one)])}
            position={listPosition(name)}
            onPosition={(position) => rememberListPosition(name, position)}
          />
        </div>
      )}
    </div>
  );
}

const ALIKE_TABS = ['siblings', 'wrong', 'right', 'all'] as const;
type AlikeTab = (typeof ALIKE_TABS)[number];

/** Starts with the siblings, if there are any. */
export function tabOf(text: string | null, hasSiblings: boolean): AlikeTab {
  return ALIKE_TABS.find((tab) => tab === text) ?? (hasSiblings ? 'siblings' : 'all');
}

export function inTab(tab: AlikeTab, rollout: AlikeRollout): boolean {
  switch (tab) {
    case 'siblings':
      return rollout.isSibling;
    case 'wrong':
      return rollout.isCorrect === false;
    case 'right':
      return rollout.isCorrect === true;
    case 'all':
      return true;
  }
}

/** The number of rollouts considered, and how many of them are listed. */
export function lookedAt({ rollouts, considered, total }: AlikeList): string {
  const others = total === 1 ? 'the one other rollout' : `${count(total)} other rollouts`;
  const listed =
    rollouts.length < considered ? ` The ${count(rollouts.length)} most similar are listed.` : '';
  if (considered === total)
    return total === 1
      ? 'The one other rollout of this problem was compared.'
      : `All ${others} of this problem were compared.${listed}`;
  return `${count(considered)} of ${others} of this problem were compared: its own group first, then the groups nearest in step, then other runs; ${count(total - considered)} were not.${listed}`;
}
