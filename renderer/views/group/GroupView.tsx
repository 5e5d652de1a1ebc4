import { valueText } from '../../../shared/domain/filter/complete.ts';
import { groupRuleLabel } from '../../data/domainLabels.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { choiceOfUrl } from '../../data/rocChoice.ts';
import type { Route } from '../../data/route.ts';
import { useNeighbourGroup } from '../../data/useNeighbours.ts';
import { usePage } from '../../data/usePage.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { Chip } from '../../ui/Controls.tsx';
import { count } from '../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { SourceChip } from '../../widgets/roc/SourceChip.tsx';
import { RolloutTable } from '../../widgets/rollouts/RolloutTable.tsx';
import { GroupHead } from './GroupHead.tsx';
import { Ledger } from './Ledger.tsx';
import { LostTurns } from './LostTurns.tsx';
import { listedIn, showsRoc } from './ledgerModel.ts';
import { CompareButton } from './PairPanel.tsx';
import { useLedger } from './useLedger.ts';

type GroupRoute = Extract<Route, { view: 'group' }>;

/**
 * The ledger loads all rows of a group, to rank and sort them. A larger group is a log without group ids rather than
 * an oversampled group. It gets the virtual list, which has no limit.
 */
const MAX_LEDGER = 2_000;

export default function GroupView({ route }: { readonly route: GroupRoute }) {
  const { runKey, step, groupKey } = route;
  const [query] = useUrlQuery();
  const { basis, whatIf } = choiceOfUrl(query);
  const resolved = usePage({
    runKey,
    step,
    groupKey,
    show: 'group',
    roc: { basis, ...(whatIf === undefined ? {} : { whatIf }) },
    largestLedger: MAX_LEDGER,
  });
  const runId = resolved.data?.runId;
  const groupId = resolved.data?.groupId;
  const group = useRequest('group.rows', groupId === undefined ? undefined : { groupIds: [groupId] })
    .data?.[0];
  const all = useRequest('group.order', runId === undefined ? undefined : { runId, step }).data?.ids;
  const filter = useFilterLink().applied;
  const matching = useRequest(
    'group.order',
    runId === undefined || filter === '' ? undefined : { runId, step, filter },
  ).data?.ids;
  // Under a filter, previous and next go to groups with a matching rollout, as in the list.
  const isListed = groupId !== undefined && matching?.includes(groupId) === true;
  const goToNeighbour = useNeighbourGroup(isListed ? matching : all, groupId);
  // Sort, filter and what-if are kept, so that siblings are compared under the same settings.
  const goToSibling = (by: number) =>
    goToNeighbour(by, (row) => goTo({ ...route, groupKey: row.groupKey }, window.location.search));
  useCommands({
    'sibling.next': () => goToSibling(1),
    'sibling.previous': () => goToSibling(-1),
  });
  const isLarge = group !== undefined && group.rollouts > MAX_LEDGER;
  const ledger = useLedger(runKey, group === undefined || isLarge ? undefined : groupId);

  if (resolved.error !== null) {
    return (
      <FailedState
        isPage
        title="This group could not be opened"
        error={resolved.error}
        onRetry={() => void resolved.refetch()}
      />
    );
  }
  if (runId === undefined || groupId === undefined || group === undefined)
    return <WaitingState title="Opening the group…" />;
  const rolloutIds = ledger.ledger?.rows.map((row) => row.rolloutId) ?? [];
  const head = (
    <>
      <GroupHead
        runKey={runKey}
        group={group}
        compare={!isLarge && <CompareButton route={route} groupId={groupId} entries={ledger.entries} />}
      >
        <Chip title={`These rollouts were grouped ${groupRuleLabel(group.groupRule).words}`}>
          {groupRuleLabel(group.groupRule).short}
        </Chip>
        {ledger.ledger !== undefined && showsRoc(ledger.ledger, ledger.choice) && (
          <SourceChip
            source={ledger.ledger.source}
            basis={ledger.ledger.recomputed.basis}
            listedIn={listedIn(ledger.ledger)}
          />
        )}
      </GroupHead>
      <LostTurns rolloutIds={rolloutIds} />
    </>
  );
  if (!isLarge) return <Ledger runId={runId} route={route} state={ledger} head={head} />;
  return (
    <div className="page">
      {head}
      <p className="same-note muted">
        More than {count(MAX_LEDGER)} rollouts: too many for an oversampled group, so decisions are not
        recomputed here.
      </p>
      <div className="filters">
        <FilterBox
          runId={runId}
          runKey={runKey}
          what="rollouts"
          within={`step:${step} group_key:${valueText(groupKey)}`}
        />
      </div>
      <div className="page-list">
        <RolloutTable
          runKey={runKey}
          filter={{ runId, step, groupId }}
          label={`Rollouts of ${groupKey}`}
          hidesProblem
          emptyTitle="This group has no rollouts"
        />
      </div>
    </div>
  );
}
