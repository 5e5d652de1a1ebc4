import { useCommands } from '../../app/commands.ts';
import { GROUP_RULES } from '../../data/groupRules.ts';
import type { Place } from '../../data/place.ts';
import { useNeighbourGroup } from '../../data/useNeighbours.ts';
import { goTo } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { Chip } from '../../ui/Controls.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { counted } from '../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { FilterField } from './FilterField.tsx';
import { RolloutTable } from './RolloutTable.tsx';
import { SamePlaces } from './SamePlaces.tsx';
import { SiblingStrip } from './SiblingStrip.tsx';

export default function GroupView({ place }: { readonly place: Extract<Place, { view: 'group' }> }) {
  const { runKey, step, groupKey } = place;
  const resolved = useRequest('place.resolve', { runKey, step, groupKey });
  const runId = resolved.data?.runId;
  const groupId = resolved.data?.groupId;
  const group = useRequest('group.rows', groupId === undefined ? undefined : { groupIds: [groupId] })
    .data?.[0];
  const order = useRequest('group.order', runId === undefined ? undefined : { runId, step }).data?.ids;
  const goToNeighbour = useNeighbourGroup(order, groupId);
  useCommands({
    'sibling.next': () => goToNeighbour(1, (row) => goTo({ ...place, groupKey: row.groupKey })),
    'sibling.previous': () => goToNeighbour(-1, (row) => goTo({ ...place, groupKey: row.groupKey })),
  });

  if (resolved.error !== null) {
    return (
      <FailedState
        title="This group could not be opened"
        error={resolved.error}
        onRetry={() => void resolved.refetch()}
      />
    );
  }
  if (runId === undefined || groupId === undefined) return <WaitingState title="Opening the group…" />;
  return (
    <div className="page">
      <header className="page-head">
        <h1 title={groupKey}>
          {group === undefined ? groupKey : `${counted(group.rollouts, 'rollout')} of ${group.problemId}`}
        </h1>
        {group !== undefined && (
          <Chip title={`These rollouts were put together ${GROUP_RULES[group.groupRule].words}`}>
            {GROUP_RULES[group.groupRule].short}
          </Chip>
        )}
        {group !== undefined && group.correctKnown > 0 && (
          <Chip>
            <RightMark isCorrect /> {group.correct} right
            <RightMark isCorrect={false} /> {group.correctKnown - group.correct} wrong
          </Chip>
        )}
        {group !== undefined && group.decided > 0 && (
          <>
            <Chip>
              <KeptMark isKept /> {group.kept} kept
            </Chip>
            <Chip>
              <KeptMark isKept={false} /> {group.decided - group.kept} discarded
            </Chip>
            <Chip title="The decision was written by the trainer">decision: logged</Chip>
          </>
        )}
        <div className="end">
          {group?.groundTruth !== undefined && (
            <span className="truth" title={group.groundTruth}>
              ground truth <span className="mono">{group.groundTruth}</span>
            </span>
          )}
          <FilterField placeholder="Filter by answer, reason" />
        </div>
      </header>
      {group !== undefined && group.promptPreview !== '' && <p className="problem">{group.promptPreview}</p>}
      <SamePlaces groupId={groupId} />
      {group !== undefined && group.rollouts > 1 && (
        <SiblingStrip place={place} runId={runId} groupId={groupId} />
      )}
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
