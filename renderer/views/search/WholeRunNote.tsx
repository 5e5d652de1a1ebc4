import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useSteps } from '../../data/warehouse.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { scopeOf, withScope } from './searchModel.ts';

/** The page of the warehouse lists the others. */
const RUNS_NAMED = 4;

interface WholeRunNoteProps {
  /** Null: all runs were searched. */
  readonly runKey: string | null;
  /** Absent: the run is not here. */
  readonly runId: number | undefined;
}

/** A search reads the copied steps. The list on a run's page asks the warehouse, which has all of them. */
export function WholeRunNote({ runKey, runId }: WholeRunNoteProps) {
  return runKey === null ? <OfAllRuns /> : <OfRun runKey={runKey} runId={runId} />;
}

function OfRun({ runKey, runId }: { readonly runKey: string; readonly runId: number | undefined }) {
  const { all = [], elsewhere } = useSteps(runKey, runId);
  if (elsewhere.size === 0) return null;
  return (
    <p className="search-status dim">
      {count(all.length - elsewhere.size)} of {counted(all.length, 'step')} are here.{' '}
      <AllSteps runKey={runKey} name="all steps" />
    </p>
  );
}

function OfAllRuns() {
  const runs = (useRequest('warehouse.runs', {}).data?.runs ?? []).filter(({ isOwn }) => isOwn !== true);
  if (runs.length === 0) return null;
  return (
    <p className="search-status dim">
      The steps that are here are searched. In the warehouse:{' '}
      {runs.slice(0, RUNS_NAMED).map(({ run }) => (
        <AllSteps key={run} runKey={run} name={`all steps of ${run}`} />
      ))}
      {runs.length > RUNS_NAMED && <> and {counted(runs.length - RUNS_NAMED, 'run')} more</>}
    </p>
  );
}

function AllSteps({ runKey, name }: { readonly runKey: string; readonly name: string }) {
  const { node, applied } = useFilterLink();
  const scope = scopeOf(node);
  const isNarrower = scope !== undefined && scope !== 'text' && scope !== 'prompt';
  const q = isNarrower ? withScope(node, 'text') : applied;
  return (
    <Link
      className="is-link"
      href={`${pathOfRoute({ view: 'run', runKey })}?${new URLSearchParams({ tab: 'rollouts', q })}`}
      title={isNarrower ? 'A warehouse looks in the whole text' : undefined}
    >
      Look in {plainLogText(name)}
    </Link>
  );
}
