/** The paper's word clouds as a table: tokens by their mean, if frequent enough. A row opens the token's positions. */

import { Search } from 'lucide-react';
import { useMemo, useRef } from 'react';
import type { TokenStatistics } from '../../../shared/api/contract.ts';
import type { SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { compact, count, significant } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/States.tsx';
import { signalLabel } from '../../ui/signalSource.ts';
import { sortedBy } from '../../ui/sorting.ts';
import { leaveField } from '../../ui/useAutoFocus.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { useUrlSort } from '../../widgets/tables/useUrlSort.ts';
import { NumberField } from './NumberField.tsx';
import { SaveCsv } from './SaveCsv.tsx';
import { TokenizerLink } from './TokenizerLink.tsx';
import { tokensCsv } from './tokensCsv.ts';
import { rowsOf, shownText, type TokenMean, tokenMeans } from './tokensModel.ts';

interface TopTokensProps {
  readonly answer: TokenStatistics | undefined;
  readonly source: SourceStatistics;
  readonly least: number;
}

interface TokenColumn extends Column<TokenMean> {
  readonly measure: (row: TokenMean) => number | string;
}

const BY_MEAN = { column: 'mean', direction: 'descending' } as const;

const COLUMNS: readonly TokenColumn[] = [
  {
    id: 'token',
    label: 'token',
    hint: '␣ is a space, ↵ the end of a line. A row opens the positions of the token',
    minWidth: 80,
    grow: 1,
    sorts: 'ascending',
    measure: ({ token }) => token,
    cell: ({ token, hasText }) =>
      hasText ? (
        <span className="mono" title={JSON.stringify(token)}>
          {shownText(token)}
        </span>
      ) : (
        <span className="mono dim" title="The log has this id without its text">
          {token}
        </span>
      ),
  },
  {
    id: 'mean',
    label: 'mean',
    align: 'end',
    minWidth: 54,
    grow: 0,
    sorts: 'descending',
    measure: ({ mean }) => mean,
    cell: ({ mean }) => <b>{significant(mean)}</b>,
  },
  {
    id: 'deviation',
    label: '±',
    hint: 'Standard deviation of its values: the same token can be a choice in one position and a formality in another',
    align: 'end',
    minWidth: 44,
    grow: 0,
    sorts: 'descending',
    measure: ({ deviation }) => deviation,
    cell: ({ deviation }) => <span className="dim">{significant(deviation, 2)}</span>,
  },
  {
    id: 'tokens',
    label: 'seen',
    hint: 'How often the policy sampled it',
    align: 'end',
    minWidth: 48,
    grow: 0,
    sorts: 'descending',
    measure: ({ tokens }) => tokens,
    // The column is narrow, so a long number is rounded. The tooltip shows all digits.
    cell: ({ tokens }) => (
      <span title={count(tokens)}>{tokens < 100_000 ? count(tokens) : compact(tokens)}</span>
    ),
  },
];

export function TopTokens({ answer, source, least }: TopTokensProps) {
  const [query, setQuery] = useUrlQuery();
  const [sort, setSort] = useUrlSort(
    COLUMNS.map(({ id }) => id),
    BY_MEAN,
  );
  const table = useTableCommands();
  const text = query.get('filter') ?? '';
  const { column, direction } = sort;
  // Memoized, since a whole vocabulary of rows must not be sorted on every progress event.
  const rows = useMemo(() => {
    const measure = COLUMNS.find(({ id }) => id === column)?.measure ?? (({ mean }) => mean);
    return sortedBy(tokenMeans(rowsOf(answer, 'token', source), least, text), measure, direction);
  }, [answer, source, least, text, column, direction]);
  const label = signalLabel(source);
  return (
    <section className="tokens-side" aria-label="Tokens by mean">
      <header>
        <div className="places-head">
          <h2 className="places-title">
            Tokens by mean {label} <span className="dim">{count(rows.length)} distinct</span>
          </h2>
          <SaveCsv what="these tokens" disabled={rows.length === 0} table={() => tokensCsv(rows)} />
        </div>
        <div className="tokens-side-fields">
          <FilterField placeholder="Filter tokens" />
          <span title="Rarer tokens are left out: the mean of a few values is unreliable">
            seen at least{' '}
            <NumberField
              label="Least count of a token"
              value={least}
              least={1}
              onChange={(value) => setQuery({ least: String(value) })}
            />
          </span>
        </div>
      </header>
      {rows.some(({ hasText }) => !hasText) && (
        <p className="dim tokens-side-note">
          The log has ids without text, so they are counted by id. <TokenizerLink />
        </p>
      )}
      <div className="tokens-side-list">
        {rows.length === 0 ? (
          <EmptyState title="No token is that common">
            <p>Lower the least count, or change the filter.</p>
          </EmptyState>
        ) : (
          <VirtualTable
            key={`${sort.column} ${sort.direction} ${least} ${text}`}
            handle={table}
            label={`Tokens by mean ${label}`}
            columns={COLUMNS}
            count={rows.length}
            rowAt={(index) => rows[index]}
            rowHeight={25}
            sort={sort}
            onSort={setSort}
            onOpen={({ token, hasText }) => {
              if (hasText) setQuery({ of: token, after: undefined });
              else useInterface.getState().setNotice('Ids without text are not placed on the text');
            }}
          />
        )}
      </div>
    </section>
  );
}

/** The quick filter of a list. The URL holds its text. */
function FilterField({ placeholder }: { readonly placeholder: string }) {
  const [query, setQuery] = useUrlQuery();
  const field = useRef<HTMLInputElement>(null);
  useCommands({ 'search.focus': () => field.current?.focus() });
  return (
    <label className="search-field">
      <Search size={13} />
      <input
        ref={field}
        type="search"
        placeholder={`${placeholder}  ${keyOf('search.focus') ?? ''}`}
        aria-label={placeholder}
        value={query.get('filter') ?? ''}
        onChange={(event) => setQuery({ filter: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          if (event.key === 'Escape') setQuery({ filter: undefined });
          event.preventDefault();
          leaveField(event.currentTarget);
        }}
      />
    </label>
  );
}
