/** The logged configuration of a run: searched, and compared with that of another run. */
import { useMemo } from 'react';
import type { RunDetail } from '../../../shared/api/contract.ts';
import { namesWithModels } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useInterface } from '../../state/interface.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { type ConfigurationRow, configurationRows, matchingRows } from './configurationModel.ts';
import './configuration.css';

export function ConfigurationView({ run }: { readonly run: RunDetail }) {
  const [query, setQuery] = useUrlQuery();
  const table = useTableCommands();
  const notify = useInterface((state) => state.setNotice);
  const runs = useRequest('run.list', {});
  const others = (runs.data ?? []).filter(({ runKey }) => runKey !== run.runKey);
  const names = namesWithModels(others);
  const chosen = others.findIndex(({ runKey }) => runKey === query.get('with'));
  const otherKey = others[chosen]?.runKey;
  const other = useRequest('run.get', otherKey === undefined ? undefined : { runKey: otherKey });
  const isCompared = other.data !== undefined && otherKey !== undefined;
  const all = useMemo(
    () => configurationRows(run.config, isCompared ? other.data.config : undefined),
    [run.config, isCompared, other.data],
  );
  const different = useMemo(() => all.filter(({ isDifferent }) => isDifferent === true), [all]);
  const isWhole = query.get('rows') === 'all';
  const text = query.get('filter') ?? '';
  const rows = useMemo(
    () => matchingRows(isCompared && !isWhole ? different : all, text),
    [all, different, isCompared, isWhole, text],
  );
  const otherName = isCompared ? (names[chosen] ?? '') : undefined;
  const columns = useMemo(() => columnsOf(run.name, otherName), [run.name, otherName]);
  return (
    <section className="configuration" aria-label="Configuration">
      <div className="filters">
        <label className="search-field">
          <input
            type="search"
            placeholder="Find a setting"
            aria-label="Find a setting"
            value={text}
            onChange={({ target }) => setQuery({ filter: target.value || undefined })}
          />
        </label>
        {others.length > 0 && (
          <label className="overview-field">
            compare with
            <select
              value={otherKey ?? ''}
              onChange={({ target }) => setQuery({ with: target.value || undefined, rows: undefined })}
            >
              <option value="">no other run</option>
              {others.map(({ runKey }, at) => (
                <option key={runKey} value={runKey}>
                  {plainLogText(names[at] ?? '')}
                </option>
              ))}
            </select>
          </label>
        )}
        {isCompared && (
          <Segmented
            label="Settings"
            chosen={isWhole ? 'all' : 'different'}
            onChoose={(next) => setQuery({ rows: next === 'all' ? 'all' : undefined })}
            choices={[
              {
                id: 'different' as const,
                label: `differ (${count(different.length)})`,
                title: 'Settings that differ between the two runs, or that only one of them has',
              },
              { id: 'all' as const, label: `all (${count(all.length)})`, title: 'All settings of both runs' },
            ]}
          />
        )}
        <span role="status" className="dim">
          {counted(rows.length, 'setting')}
        </span>
      </div>
      {other.error !== null ? (
        <FailedState
          title="The other run could not be opened"
          error={other.error}
          onRetry={() => void other.refetch()}
        />
      ) : otherKey !== undefined && !isCompared ? (
        <WaitingState title="Opening the other run…" />
      ) : rows.length === 0 ? (
        <EmptyState title={emptyTitle(all.length, isCompared, text)} />
      ) : (
        <VirtualTable<ConfigurationRow>
          key={`${run.runId} ${otherKey ?? ''} ${isWhole} ${text}`}
          handle={table}
          label={`Configuration of ${run.name}`}
          columns={columns}
          count={rows.length}
          rowAt={(index) => rows[index]}
          // A setting has no page of its own.
          onOpen={() => undefined}
          selection={{ of: rows, notify }}
          markOf={({ isDifferent }) => (isDifferent === true && isWhole ? 'differs' : undefined)}
        />
      )}
    </section>
  );
}

function emptyTitle(settings: number, isCompared: boolean, text: string): string {
  if (settings === 0) return `No configuration in ${isCompared ? 'these logs' : 'this log'}`;
  return text === '' ? 'No setting differs' : 'No setting matches the search';
}

/** @param other name of the other run; absent: none is compared */
function columnsOf(own: string, other: string | undefined): readonly Column<ConfigurationRow>[] {
  const name: Column<ConfigurationRow> = {
    id: 'name',
    label: 'setting',
    minWidth: 220,
    grow: 1,
    value: (row) => row.name,
    cell: (row) => (
      <span className="mono" title={plainLogText(row.name)}>
        <LogText text={row.name} />
      </span>
    ),
  };
  const valueColumn = (id: 'value' | 'other', label: string): Column<ConfigurationRow> => ({
    id,
    label,
    minWidth: 180,
    grow: 1.5,
    value: (row) => row[id],
    cell: (row) =>
      row[id] === undefined ? (
        other !== undefined && <span className="dim">not set</span>
      ) : (
        <span className="mono" title={plainLogText(row[id], 2000)}>
          <LogText text={row[id]} />
        </span>
      ),
  });
  if (other === undefined) return [name, valueColumn('value', 'value')];
  return [name, valueColumn('value', plainLogText(own)), valueColumn('other', plainLogText(other))];
}
