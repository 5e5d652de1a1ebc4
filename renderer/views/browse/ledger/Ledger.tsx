/**
 * A group's pool with the reason for every decision.
 *
 *   useLedger (asks) ─► LedgerStrip · LedgerSummary · LedgerFilters · LedgerTable · PairPanel
 *                    └► GroupWhatIf beside them, when the URL has it open
 */
import type { ReactNode } from 'react';
import { valueText } from '../../../../shared/domain/filter/complete.ts';
import { useCommands } from '../../../app/commands.ts';
import { FilterBox } from '../../../app/filter/FilterBox.tsx';
import { keyed } from '../../../app/keysInForce.ts';
import type { Place } from '../../../data/place.ts';
import { noChoice } from '../../../data/rocChoice.ts';
import { useUrlQuery } from '../../../data/usePlace.ts';
import { useRunOf } from '../../../data/useRunOf.ts';
import { Button } from '../../../ui/Controls.tsx';
import { counted } from '../../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../../ui/States.tsx';
import { GroupWhatIf } from './GroupWhatIf.tsx';
import { LedgerFilters } from './LedgerFilters.tsx';
import { LedgerStrip } from './LedgerStrip.tsx';
import { LedgerSummary } from './LedgerSummary.tsx';
import { LedgerTable } from './LedgerTable.tsx';
import { PairPanel } from './PairPanel.tsx';
import type { LedgerState } from './useLedger.ts';
import './ledger.css';

interface LedgerProps {
  readonly runId: number;
  readonly place: Extract<Place, { view: 'group' }>;
  readonly state: LedgerState;
  readonly head: ReactNode;
}

export function Ledger({ runId, place, state, head }: LedgerProps) {
  const { ledger, entries, choice } = state;
  const run = useRunOf(place);
  const [query, setQuery] = useUrlQuery();
  const isOpen = choice.scope !== undefined;
  const showsAllWays = query.get('ways') === 'all';
  useCommands({
    'whatIf.flip': () => setQuery({ whatif: isOpen ? undefined : 'group' }),
    'whatIf.reset': choice.chosen.length === 0 ? undefined : () => setQuery(noChoice()),
  });
  return (
    <div className={isOpen ? 'ledger has-what-if' : 'ledger'}>
      <div className="page">
        {head}
        {ledger === undefined ? (
          state.error === null ? (
            <WaitingState title="Opening the ledger…" />
          ) : (
            <FailedState
              title="The decisions of this group could not be read"
              error={state.error}
              onRetry={state.retry}
            />
          )
        ) : (
          <>
            {ledger.rows.length > 1 && <LedgerStrip place={place} entries={entries} ledger={ledger} />}
            <LedgerSummary ledger={ledger} isExample={choice.isExample} isPanelOpen={isOpen} />
            {state.error !== null && (
              <p className="ledger-fault is-wrong" role="alert">
                ✕ {state.error.message}. The rows are as they were before.{' '}
                <button type="button" className="is-link" onClick={state.retry}>
                  Try again
                </button>
              </p>
            )}
            <div className="filters">
              <FilterBox
                runId={runId}
                runKey={place.runKey}
                what="rollouts"
                within={`step:${place.step} group_key:${valueText(place.groupKey)}`}
              />
              <LedgerFilters entries={entries} isPanelOpen={isOpen} />
              <div className="end">
                <button
                  type="button"
                  className="is-link"
                  aria-pressed={showsAllWays}
                  title={keyed('p_err, p_format and their sum: logged, text, typed', 'penalties.flip')}
                  onClick={() => setQuery({ ways: showsAllWays ? undefined : 'all' })}
                >
                  {showsAllWays ? 'One penalty' : 'All three penalties'}
                </button>
                {!isOpen && (
                  <Button
                    title={keyed('What if the settings were others', 'whatIf.flip')}
                    onClick={() => setQuery({ whatif: 'group' })}
                  >
                    What if{choice.chosen.length > 0 && `: ${counted(choice.chosen.length, 'change')}`}
                  </Button>
                )}
              </div>
            </div>
            <div className="page-list">
              <LedgerTable runId={runId} place={place} state={{ ...state, ledger }} />
            </div>
            <PairPanel place={place} groupId={ledger.groupId} entries={entries} source={ledger.source} />
          </>
        )}
      </div>
      {isOpen && <GroupWhatIf place={place} run={run} state={state} />}
    </div>
  );
}
