/** Leads from a page without tokens to the steps of the run that have some. */
import { Fragment } from 'react';
import { pathOfRoute, tokensRouteOf } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';

const MOST_STEPS = 12;

interface TokensElsewhereProps {
  readonly runKey: string;
  readonly runId: number;
  readonly hasSteps: boolean;
}

/** Renders nothing if the run has no tokens. Steps are known by their entropy, so other signals have only the run's link. */
export function TokensElsewhere({ runKey, runId, hasSteps }: TokensElsewhereProps) {
  const ofRun = useRequest('token.signals', { runId }).data;
  const rows = useRequest('step.list', hasSteps ? { runId } : undefined).data ?? [];
  if (ofRun === undefined || ofRun.withTokens === 0) return null;
  const steps = rows.flatMap(({ step, meanEntropy }) => (meanEntropy === undefined ? [] : [step]));
  const shown = steps.slice(0, MOST_STEPS);
  return (
    <p>
      {counted(ofRun.withTokens, 'rollout')} of the{' '}
      <Link className="is-link" href={pathOfRoute(tokensRouteOf({ runKey }))}>
        run
      </Link>{' '}
      {ofRun.withTokens === 1 ? 'has' : 'have'} tokens
      {shown.length > 0 && `, in ${steps.length === 1 ? 'step' : 'steps'} `}
      {shown.map((step, i) => (
        <Fragment key={step}>
          {i > 0 && ', '}
          <Link className="is-link" href={pathOfRoute(tokensRouteOf({ runKey, step }))}>
            {step}
          </Link>
        </Fragment>
      ))}
      {steps.length > shown.length && ` and ${count(steps.length - shown.length)} more`}.
    </p>
  );
}
