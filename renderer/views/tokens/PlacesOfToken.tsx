/**
 * The positions at which one token, or the reflection tokens, have their highest values. Each opens the replay there.
 */

import { ArrowLeft } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import type { TokenOccurrence } from '../../../shared/api/contract.ts';
import type { WantedTokens } from '../../../shared/domain/highestTokens.ts';
import type { SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import { isSigned } from '../../../shared/domain/tokenSignal.ts';
import { MOST_POSITIONS, positionSearch, positionsName } from '../../data/positionsLink.ts';
import { pathOfRoute, type Route, type ScopeLevel } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import type { TokenScope } from '../../data/useTokenStatistics.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { Button, IconButton, Segmented } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { RightMark } from '../../ui/Marks.tsx';
import { count, counted, significant } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/States.tsx';
import { signalLabel, sourceLabel } from '../../ui/signalSource.ts';
import { takeFocus } from '../../ui/useAutoFocus.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { SaveCsv } from './SaveCsv.tsx';
import { placesCsv } from './tokensCsv.ts';
import { shownText } from './tokensModel.ts';

interface PlacesOfTokenProps {
  readonly runKey: string;
  readonly wanted: WantedTokens;
  readonly scope: TokenScope;
  readonly source: SourceStatistics;
  readonly level: ScopeLevel;
  readonly hasSteps: boolean;
}

export function PlacesOfToken({ runKey, wanted, scope, source, level, hasSteps }: PlacesOfTokenProps) {
  const [query, setQuery] = useUrlQuery();
  const isLowest = query.get('order') === 'lowest';
  const order = isLowest ? 'ascending' : 'descending';
  const found = useLongQuery('token.occurrences', {
    ...scope,
    signal: source.signal,
    source: source.source,
    wanted,
    order,
    limit: MOST_POSITIONS,
  });
  const table = useTableCommands();
  const close = () => setQuery({ of: undefined, after: undefined, order: undefined });
  useCommands({ 'place.up': close });
  const section = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const of = JSON.stringify(wanted);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each choice of tokens shows their list
  useLayoutEffect(() => {
    // In a narrow window the list is below the sections, one of which was clicked.
    if (title.current === null || !document.activeElement?.matches('.tokens-main *')) return;
    section.current?.scrollIntoView({ block: 'start' });
    takeFocus(title.current);
  }, [of]);
  // A previous response is about another token or another order.
  const answer = found.isFormer ? undefined : found.data;
  const places = answer?.places ?? [];
  const routeOf = ({ step, groupKey, ordinal }: TokenOccurrence): Route => ({
    view: 'rollout',
    ...{ runKey, step, groupKey, ordinal },
  });
  const list = { level, signal: source.signal, source: source.source, wanted, order } as const;
  const searchOf = (place: TokenOccurrence) => positionSearch(list, places.indexOf(place), place.token);
  const label = signalLabel(source);
  return (
    <section className="tokens-side" aria-label="Positions of tokens" ref={section}>
      <header>
        <div className="places-head">
          <IconButton label="Back to the tokens by mean" keys={keyOf('place.up')} onClick={close}>
            <ArrowLeft size={14} />
          </IconButton>
          <h2 className="places-title" tabIndex={-1} ref={title}>
            {'token' in wanted ? (
              <>
                Positions of <span className="mono token-text">{shownText(wanted.token)}</span>
              </>
            ) : (
              positionsName(wanted)
            )}
          </h2>
          <SaveCsv what="these positions" disabled={places.length === 0} table={() => placesCsv(places)} />
        </div>
        <div className="tokens-side-fields">
          <Segmented
            label="Order"
            chosen={isLowest ? 'lowest' : 'highest'}
            onChoose={(order) => setQuery({ order: order === 'lowest' ? order : undefined })}
            choices={[
              { id: 'highest', label: 'highest', title: `Highest ${label} first` },
              { id: 'lowest', label: 'lowest', title: `Lowest ${label} first` },
            ]}
          />
          <span className="dim" title={sourceLabel(source)}>
            {answer !== undefined &&
              (answer.total > places.length
                ? `first ${count(places.length)} of ${counted(answer.total, 'position')}`
                : counted(answer.total, 'position'))}
          </span>
        </div>
      </header>
      <div className="tokens-side-list">
        {answer === undefined ? (
          <div className="tokens-wait">
            {found.error !== null && !found.isRunning ? (
              <p role="alert">
                <span className="is-wrong">✕ {found.error.message}</span>{' '}
                <Button onClick={() => void found.restart()}>Try again</Button>
              </p>
            ) : found.isStopped ? (
              <p className="dim">
                Stopped. <Button onClick={() => void found.restart()}>Continue</Button>
              </p>
            ) : (
              <div className="waiting">
                <progress aria-label="Rollouts searched" value={found.progress?.share} max={1} />{' '}
                <Button onClick={found.stop}>Cancel</Button>
              </div>
            )}
          </div>
        ) : places.length === 0 ? (
          <EmptyState title={`None in this ${level}`}>
            <p>The policy sampled it nowhere here with a known {label} and a position in the text.</p>
          </EmptyState>
        ) : (
          <VirtualTable
            key={`${of} ${isLowest}`}
            handle={table}
            label={`${positionsName(wanted)} by ${label}`}
            columns={columnsOf(source, { level, hasSteps })}
            count={places.length}
            rowAt={(index) => places[index]}
            rowHeight={44}
            onOpen={(place) => goTo(routeOf(place), searchOf(place))}
            hrefOf={(place) => pathOfRoute(routeOf(place)) + searchOf(place)}
          />
        )}
      </div>
    </section>
  );
}

function columnsOf(
  of: SourceStatistics,
  shows: { readonly level: ScopeLevel; readonly hasSteps: boolean },
): readonly Column<TokenOccurrence>[] {
  const { signal, source } = of;
  return [
    {
      id: 'value',
      label: 'value',
      hint: [signalLabel(of), source.unit].filter(Boolean).join(', '),
      align: 'end',
      minWidth: 56,
      grow: 0,
      cell: ({ value }) => <b>{significant(value, isSigned(signal) ? 3 : 2)}</b>,
    },
    {
      id: 'place',
      label: 'where',
      minWidth: 180,
      grow: 1,
      cell: (place) => <PlaceCell place={place} {...shows} />,
    },
  ];
}

interface PlaceCellProps {
  readonly place: TokenOccurrence;
  readonly level: ScopeLevel;
  readonly hasSteps: boolean;
}

/** The token in its line, and its position below. */
function PlaceCell({ place, level, hasSteps }: PlaceCellProps) {
  const { step, groupKey, problemId, ordinal, isCorrect } = place;
  const at = `token ${count(place.token)}`;
  const parts = [
    hasSteps && level === 'run' ? `step ${step}` : undefined,
    level === 'run' || level === 'step' ? problemId : undefined,
    level === 'rollout' ? undefined : `#${ordinal}`,
    level === 'run' ? undefined : at,
  ];
  const where = parts.filter((part) => part !== undefined).join(' · ');
  return (
    <span className="place-cell">
      <span className="place-context mono">
        <span>{shownText(place.before)}</span>
        <mark>{shownText(place.text)}</mark>
        <span>{shownText(place.after)}</span>
      </span>
      <span className="place-where" title={plainLogText(`group ${groupKey}, rollout #${ordinal}, ${at}`)}>
        {isCorrect !== undefined && <RightMark isCorrect={isCorrect} />} {where}
      </span>
    </span>
  );
}
