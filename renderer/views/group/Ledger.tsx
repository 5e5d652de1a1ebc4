/**
 * A group's pool with the reason for every decision.
 *
 *   useLedger (requests) ─► LedgerStrip · LedgerSummary · LedgerFilters · LedgerTable · PairPanel
 *                     └► GroupWhatIf beside them, if the URL has it open
 */
import type { ReactNode } from 'react';
import { valueText } from '../../../shared/domain/filter/complete.ts';
import { noChoice } from '../../data/rocChoice.ts';
import type { Route } from '../../data/route.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useRunOf } from '../../data/useRunOf.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button } from '../../ui/Controls.tsx';
import { Hint } from '../../ui/Hint.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../ui/States.tsx';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { SimulateOffer } from '../../widgets/roc/SourceChip.tsx';
import { GroupWhatIf } from './GroupWhatIf.tsx';
import { LedgerStrip } from './LedgerStrip.tsx';
import { LedgerSummary } from './LedgerSummary.tsx';
import { LedgerTable } from './LedgerTable.tsx';
import {
  DIFFERS,
  DISAGREES,
  hasMark,
  LEDGER_MARKS,
  type LedgerEntry,
  type LedgerMark,
  marksOf,
  marksText,
  showsRoc,
} from './ledgerModel.ts';
import { PairPanel } from './PairPanel.tsx';
import type { LedgerState } from './useLedger.ts';
import './ledger.css';

interface LedgerProps {
  readonly runId: number;
  readonly route: Extract<Route, { view: 'group' }>;
  readonly state: LedgerState;
  readonly head: ReactNode;
}

export function Ledger({ runId, route, state, head }: LedgerProps) {
  const { ledger, entries, choice } = state;
  const run = useRunOf(route);
  const [query, setQuery] = useUrlQuery();
  const isOpen = choice.scope !== undefined;
  const showsAllWays = query.get('ways') === 'all';
  const hasRoc = ledger !== undefined && showsRoc(ledger, choice);
  useCommands({
    'whatIf.flip': () =>
      setQuery(hasRoc ? { whatif: isOpen ? undefined : 'group' } : { basis: 'example', whatif: 'group' }),
    'whatIf.reset': choice.chosen.length === 0 ? undefined : () => setQuery(noChoice()),
  });
  return (
    <div className={isOpen ? 'ledger has-what-if' : 'ledger'}>
      <div className="page">
        {head}
        {ledger === undefined ? (
          state.error === null ? (
            <WaitingState title="Opening the group…" />
          ) : (
            <FailedState
              title="The decisions of this group could not be read"
              error={state.error}
              onRetry={state.retry}
            />
          )
        ) : (
          <>
            {hasRoc && ledger.rows.length > 1 && (
              <LedgerStrip route={route} entries={entries} ledger={ledger} />
            )}
            {hasRoc && <LedgerSummary ledger={ledger} isExample={choice.isExample} isPanelOpen={isOpen} />}
            {state.error !== null && (
              <p className="ledger-fault is-wrong" role="alert">
                ✕ {state.error.message}. The rows are unchanged.{' '}
                <button type="button" className="is-link" onClick={state.retry}>
                  Try again
                </button>
              </p>
            )}
            <div className="filters">
              <FilterBox
                runId={runId}
                runKey={route.runKey}
                what="rollouts"
                within={`step:${route.step} group_key:${valueText(route.groupKey)}`}
              />
              <LedgerFilters entries={entries} hasRoc={hasRoc} isPanelOpen={isOpen} />
              <div className="end">
                {hasRoc ? (
                  <button
                    type="button"
                    className="is-link"
                    aria-pressed={showsAllWays}
                    title={keyed(
                      'p_err, p_format and their sum: logged, by text rules, by tool outcomes',
                      'penalties.flip',
                    )}
                    onClick={() => setQuery({ ways: showsAllWays ? undefined : 'all' })}
                  >
                    {showsAllWays ? 'Hide penalty sources' : 'Compare penalty sources'}
                  </button>
                ) : (
                  ledger.rows.length > 1 && <SimulateOffer />
                )}
                {hasRoc && !isOpen && (
                  <Button
                    title={keyed('Change settings and see what would be kept', 'whatIf.flip')}
                    onClick={() => setQuery({ whatif: 'group' })}
                  >
                    What if{choice.chosen.length > 0 && `: ${counted(choice.chosen.length, 'change')}`}
                  </Button>
                )}
              </div>
            </div>
            <div className="page-list">
              <LedgerTable runId={runId} route={route} state={{ ...state, ledger }} />
            </div>
            <PairPanel
              route={route}
              groupId={ledger.groupId}
              entries={entries}
              source={hasRoc ? ledger.source : undefined}
            />
          </>
        )}
      </div>
      {isOpen && <GroupWhatIf route={route} run={run} state={state} />}
    </div>
  );
}

const LABELS: Readonly<Record<LedgerMark, { readonly label: string; readonly hint: string }>> = {
  kept: { label: 'kept', hint: 'Kept by the down-sampling' },
  discarded: { label: 'discarded', hint: 'Discarded by the down-sampling' },
  right: { label: '✓ correct', hint: 'Correct rollouts' },
  wrong: { label: '✕ incorrect', hint: 'Incorrect rollouts' },
  tie: { label: '= tie', hint: 'Penalty equal to the last one kept: rollout order decided' },
  flip: { label: '▲▽ flips', hint: 'Decided otherwise under the settings of the what-if' },
  differs: { label: 'logged ≠ recomputed', hint: DIFFERS },
  disagrees: { label: '≠ penalties', hint: DISAGREES },
};

interface LedgerFiltersProps {
  readonly entries: readonly LedgerEntry[];
  readonly hasRoc: boolean;
  /** Offers the filter for flips even before there are any, so that nothing moves later. */
  readonly isPanelOpen: boolean;
}

/** Filters for the rows of this group. A mark that no row has is offered only while it is active. */
function LedgerFilters({ entries, hasRoc, isPanelOpen }: LedgerFiltersProps) {
  const [query, setQuery] = useUrlQuery();
  const marks = marksOf(query.get('show'));
  const known = hasRoc ? LEDGER_MARKS : LEDGER_MARKS.filter((mark) => mark !== 'disagrees');
  const offered = known
    .map((mark) => ({
      mark,
      rows: entries.filter((entry) => hasMark(entry, mark)).length,
    }))
    .filter(({ mark, rows }) => rows > 0 || marks.includes(mark) || (mark === 'flip' && isPanelOpen));
  return (
    <fieldset className="mark-filters" aria-label="Show only">
      {offered.map(({ mark, rows }) => (
        <Hint key={mark} text={LABELS[mark].hint} side="top">
          <button
            type="button"
            className="chip"
            aria-pressed={marks.includes(mark)}
            onClick={() => setQuery({ show: marksText(marks, mark) })}
          >
            {LABELS[mark].label} <span className="dim">{count(rows)}</span>
          </button>
        </Hint>
      ))}
    </fieldset>
  );
}
