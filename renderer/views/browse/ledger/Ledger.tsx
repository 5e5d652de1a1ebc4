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
import { noChoice } from '../../../data/rocChoice.ts';
import type { Route } from '../../../data/route.ts';
import { useUrlQuery } from '../../../data/useRoute.ts';
import { useRunOf } from '../../../data/useRunOf.ts';
import { Button } from '../../../ui/Controls.tsx';
import { count, counted } from '../../../ui/numbers.ts';
import { FailedState, WaitingState } from '../../../ui/States.tsx';
import { GroupWhatIf } from './GroupWhatIf.tsx';
import { LedgerStrip } from './LedgerStrip.tsx';
import { LedgerSummary } from './LedgerSummary.tsx';
import { LedgerTable } from './LedgerTable.tsx';
import {
  hasMark,
  LEDGER_MARKS,
  type LedgerEntry,
  type LedgerMark,
  marksOf,
  marksText,
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
            {ledger.rows.length > 1 && <LedgerStrip route={route} entries={entries} ledger={ledger} />}
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
                runKey={route.runKey}
                what="rollouts"
                within={`step:${route.step} group_key:${valueText(route.groupKey)}`}
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
              <LedgerTable runId={runId} route={route} state={{ ...state, ledger }} />
            </div>
            <PairPanel route={route} groupId={ledger.groupId} entries={entries} source={ledger.source} />
          </>
        )}
      </div>
      {isOpen && <GroupWhatIf route={route} run={run} state={state} />}
    </div>
  );
}

const LABELS: Readonly<Record<LedgerMark, { readonly label: string; readonly hint: string }>> = {
  kept: { label: 'kept', hint: 'What stands for it is: kept' },
  discarded: { label: 'discarded', hint: 'What stands for it is: discarded' },
  right: { label: '✓ right', hint: 'Right answers' },
  wrong: { label: '✕ wrong', hint: 'Wrong answers' },
  tie: { label: '= tie', hint: 'Penalty equal to that at the cut: rollout order decided' },
  flip: { label: '▲▽ flips', hint: 'The what-if decides otherwise than what stands' },
  differs: { label: 'logged ≠ recomputed', hint: 'The log says otherwise than the recomputation' },
  disagrees: { label: '≠ penalties', hint: 'Logged, text and typed penalties are not the same' },
};

interface LedgerFiltersProps {
  readonly entries: readonly LedgerEntry[];
  /** Then flips have their place before there are any. */
  readonly isPanelOpen: boolean;
}

/** What the rows of this group can be narrowed to; a mark no row has is not offered, unless it is on. */
function LedgerFilters({ entries, isPanelOpen }: LedgerFiltersProps) {
  const [query, setQuery] = useUrlQuery();
  const marks = marksOf(query.get('show'));
  const offered = LEDGER_MARKS.map((mark) => ({
    mark,
    rows: entries.filter((entry) => hasMark(entry, mark)).length,
  })).filter(({ mark, rows }) => rows > 0 || marks.includes(mark) || (mark === 'flip' && isPanelOpen));
  return (
    <fieldset className="mark-filters" aria-label="Show only">
      {offered.map(({ mark, rows }) => (
        <button
          key={mark}
          type="button"
          className="chip"
          aria-pressed={marks.includes(mark)}
          title={LABELS[mark].hint}
          onClick={() => setQuery({ show: marksText(marks, mark) })}
        >
          {LABELS[mark].label} <span className="dim">{count(rows)}</span>
        </button>
      ))}
    </fieldset>
  );
}
