import { useMemo } from 'react';
import type { RunSummary } from '../../../shared/api/contract.ts';
import { rocQuery, type Scope, useRocReport } from '../../data/rocChoice.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useDebouncedValue } from '../../data/useDebouncedValue.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { flipsText } from '../../widgets/roc/effectsModel.ts';
import { RULE_LABELS } from '../../widgets/roc/rocLabels.ts';
import { WhatIfPanel } from '../../widgets/roc/WhatIfPanel.tsx';
import { EffectTable, WideEffects } from '../../widgets/roc/WideEffects.tsx';
import type { LedgerState } from './useLedger.ts';

interface GroupWhatIfProps {
  readonly route: Extract<Route, { view: 'group' }>;
  readonly run: RunSummary | undefined;
  readonly state: LedgerState;
}

/** Debounce delay. Longer than that of a single group, since a whole step costs more. */
const REST_MS = 500;

const SCOPES = {
  group: { id: 'group', label: 'group' },
  step: { id: 'step', label: 'step' },
  run: { id: 'run', label: 'run' },
} as const;

export function GroupWhatIf({ route, run, state }: GroupWhatIfProps) {
  const { ledger, choice } = state;
  const hasSteps = run?.hasSteps !== false;
  const scope: Scope = choice.scope === 'step' && !hasSteps ? 'run' : (choice.scope ?? 'group');
  return (
    <WhatIfPanel
      runKey={route.runKey}
      step={hasSteps ? route.step : undefined}
      basis={ledger?.recomputed.basis}
      whatIfBasis={choice.whatIf === undefined ? undefined : ledger?.whatIf?.basis}
      choice={choice}
      scopes={hasSteps ? [SCOPES.group, SCOPES.step, SCOPES.run] : [SCOPES.group, SCOPES.run]}
      scope={scope}
    >
      {scope === 'group' ? (
        <GroupEffects state={state} />
      ) : (
        <WideScope key={scope} route={route} run={run} state={state} scope={scope} />
      )}
    </WhatIfPanel>
  );
}

function GroupEffects({ state }: { readonly state: LedgerState }) {
  const { ledger, entries, choice, isStale } = state;
  const [, setQuery] = useUrlQuery();
  if (ledger === undefined) return null;
  const flipped = entries.filter((entry) => entry.isFlip);
  const gained = flipped.filter(({ row }) => row.whatIf?.kept === true).length;
  const before =
    ledger.source === 'unknown'
      ? undefined
      : ledger.source === 'logged'
        ? ledger.logged
        : ledger.recomputed.sums;
  const isRandom = ledger.whatIf?.basis.rule === 'paper';
  const outcome = ledger.whatIf?.outcome;
  const isBlank = outcome === 'assertion' || outcome === 'undecidable';
  return (
    <>
      <p className="what-if-flips">
        {choice.whatIf === undefined
          ? 'Change a setting below to see its effect on this group here and in the rows.'
          : isBlank
            ? 'These settings give no decision here. The sentence above the rows says why.'
            : isRandom
              ? 'The paper’s rule is random: rows show the probability of being kept.'
              : ledger.source === 'unknown'
                ? 'Nothing to compare with: no decision is known.'
                : flipsText(flipped.length, gained, flipped.length - gained)}{' '}
        {choice.whatIf !== undefined && flipped.length > 0 && (
          <button type="button" className="is-link" onClick={() => setQuery({ show: 'flip' })}>
            Show them
          </button>
        )}
      </p>
      <EffectTable
        before={before}
        after={choice.whatIf === undefined ? undefined : ledger.whatIf?.sums}
        beforeLabel={
          ledger.source === 'recomputed' ? RULE_LABELS[ledger.recomputed.basis.rule].short : ledger.source
        }
        isStale={isStale}
      />
    </>
  );
}

interface WideScopeProps extends GroupWhatIfProps {
  readonly scope: 'step' | 'run';
}

function WideScope({ route, run, state, scope }: WideScopeProps) {
  const { choice } = state;
  const [query] = useUrlQuery();
  const isStep = scope === 'step';
  const settled = useDebouncedValue(JSON.stringify({ basis: choice.basis, whatIf: choice.whatIf }), REST_MS);
  const runId = run?.runId;
  const params = useMemo(
    () =>
      runId === undefined
        ? undefined
        : {
            runId,
            ...(isStep ? { step: route.step } : {}),
            ...(JSON.parse(settled) as Pick<typeof choice, 'basis' | 'whatIf'>),
          },
    [runId, isStep, route.step, settled],
  );
  const report = useRocReport(params);
  const to: Route = isStep
    ? { view: 'stepRoc', runKey: route.runKey, step: route.step }
    : { view: 'roc', runKey: route.runKey };
  return (
    <WideEffects
      state={report}
      hasWhatIf={choice.whatIf !== undefined}
      href={pathOfRoute(to) + rocQuery(query)}
    />
  );
}
