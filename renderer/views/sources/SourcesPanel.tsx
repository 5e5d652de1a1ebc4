/** The files of a run on the left, and the user's rules about it on the right. */

import type { RunDetail } from '../../../shared/api/contract.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { GroupRuleForm } from './GroupRuleForm.tsx';
import { PoolAndKept } from './PoolAndKept.tsx';
import { SameRun } from './SameRun.tsx';
import { SourceFiles } from './SourceFiles.tsx';
import { TokenizerSection } from './TokenizerSection.tsx';
import './sources.css';

export function SourcesPanel({ run }: { readonly run: RunDetail }) {
  const sources = useRequest('run.sources', { runKey: run.runKey });
  const showDialog = useInterface((state) => state.showDialog);
  if (sources.error !== null) {
    return (
      <FailedState
        title="The sources of this run could not be listed"
        error={sources.error}
        onRetry={() => void sources.refetch()}
      />
    );
  }
  if (sources.data === undefined) return <WaitingState title="Listing the files of this run…" />;
  return (
    <div className="sources">
      <SourceFiles sources={sources.data} />
      <div className="sources-rules">
        <GroupRuleForm
          key={JSON.stringify(sources.data.groupRule ?? null)}
          sources={sources.data}
          rollouts={run.rollouts}
        />
        <PoolAndKept run={run} sources={sources.data} />
        <TokenizerSection sources={sources.data} hasSteps={run.hasSteps} />
        <SameRun run={run} sources={sources.data} />
        <section>
          <h2>Remove</h2>
          <p>
            {' '}
            Removes {counted(run.rollouts, 'rollout')} from the library. Log files are not changed and can be
            read again.
          </p>
          <Button onClick={() => showDialog({ kind: 'removeRun', runKey: run.runKey })}>
            Remove this run…
          </Button>
        </section>
      </div>
    </div>
  );
}
