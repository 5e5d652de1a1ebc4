/** Two to four rollouts side by side. The URL names them; this component loads them and requests their alignment. */
import { useMemo } from 'react';
import { readCompare } from '../../data/compareLink.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { KeyOf } from '../../shell/keys/Keys.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { RerunsOf } from '../../widgets/rerun/Reruns.tsx';
import { Compare } from './Compare.tsx';
import { useCompared, useSlots } from './lanes/useLanes.ts';
import './compare.css';
import './diff.css';

export default function CompareView() {
  const [query] = useUrlQuery();
  const link = useMemo(() => readCompare(query), [query]);
  const slots = useSlots(link.lanes);
  const state = useCompared(slots, link.base);
  if (link.lanes.length === 0) {
    return (
      <EmptyState title="Nothing to compare yet" isPage>
        <p>
          <KeyOf command="compare.add" /> on a rollout, in a list or in its replay, adds it.{' '}
          <KeyOf command="compare.open" /> opens two to four of them here. In a group,{' '}
          <KeyOf command="row.select" /> on two rows offers them, too.
        </p>
      </EmptyState>
    );
  }
  return (
    <RerunsOf details={state.lanes.map(({ detail }) => detail)}>
      <Compare link={link} slots={slots} state={state} />
    </RerunsOf>
  );
}
