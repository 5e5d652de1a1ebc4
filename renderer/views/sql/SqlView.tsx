/** SQL over the read views. The URL holds the statement. Only the user runs it, here or on another page; a link never does. */
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { SqlFormat, SqlRow, SqlSource } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { type StatementAim, type Store, useSqlExport, useSqlRun } from '../../data/useSqlRun.ts';
import { useHasWarehouse } from '../../data/warehouse.ts';
import type { SqlEditorHandle } from '../../editor/SqlEditor.tsx';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyWord } from '../../shell/keys/keysInForce.ts';
import { useInterface } from '../../state/interface.ts';
import { takeDueRun } from '../../state/ownStatement.ts';
import { useIsDark } from '../../theme/theme.ts';
import { copyText, saveText } from '../../ui/exportText.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';
import { WaitingState } from '../../ui/States.tsx';
import { type ChartChoice, proposedChart } from './chartChoice.ts';
import { ResultArea } from './ResultArea.tsx';
import { SidePanel } from './SidePanel.tsx';
import { StatementBar } from './StatementBar.tsx';
import { StatusLine } from './StatusLine.tsx';
import { fileNameOf, linkOf, numberOf, placeIn, routeOfTarget, tsvOf } from './sqlModel.ts';
import { useStatement } from './useStatement.ts';
import './sql.css';

const SqlEditor = lazy(() => import('../../editor/SqlEditor.tsx'));

const NO_SOURCES: readonly SqlSource[] = [];
const TYPES = { csv: 'text/csv', tsv: 'text/tab-separated-values', jsonl: 'application/x-ndjson' } as const;

export default function SqlView() {
  const client = useClient();
  const hasWarehouse = useHasWarehouse();
  const [query, setQuery] = useUrlQuery();
  const store: Store = hasWarehouse && query.get('store') === 'warehouse' ? 'warehouse' : 'library';
  const statement = useStatement();
  const { text, setText } = statement;
  const { outcome, running, run, stop } = useSqlRun();
  const file = useSqlExport();
  const ofLibrary = useRequest('sql.schema', {}).data;
  const ofWarehouse = useRequest('warehouse.schema', store === 'warehouse' ? {} : undefined).data;
  const sources = (store === 'warehouse' ? ofWarehouse?.sources : ofLibrary) ?? NO_SOURCES;
  const saved = useRequest('query.list', {}).data ?? [];
  const examplesOfLibrary = useRequest('query.examples', {}).data;
  const examples = (store === 'warehouse' ? ofWarehouse?.examples : examplesOfLibrary) ?? [];
  const isDark = useIsDark();
  const notify = useInterface((state) => state.setNotice);
  const editor = useRef<SqlEditorHandle>(null);
  const results = useRef<HTMLDivElement>(null);
  const [limits, setLimits] = useState({ limitRows: 10_000, timeoutMs: 30_000 });
  const [chart, setChart] = useState<ChartChoice>();
  const name = [...saved, ...examples].find((one) => one.sql === text)?.name;

  const start = (aim: StatementAim) => {
    const selected = editor.current?.selection();
    const sql = selected?.text ?? editor.current?.text() ?? text;
    if (sql.trim() === '') return notify('There is no statement to run');
    setChart(undefined);
    void run({ sql, store, aim, start: selected?.start ?? 0 }, limits);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    if (text !== '' && takeDueRun(text)) void run({ sql: text, store, aim: 'rows', start: 0 }, limits);
  }, []);
  useCommands({
    'sql.run': () => start('rows'),
    'sql.explain': () => start('plan'),
    'search.focus': () => editor.current?.focus(),
    'place.up': running === undefined ? undefined : stop,
  });
  const isChanged =
    outcome !== undefined && text.slice(outcome.start, outcome.start + outcome.sql.length) !== outcome.sql;
  const answer = outcome?.answer;
  const mark = useMemo(() => {
    if (outcome === undefined || answer?.kind !== 'refused' || answer.at === undefined || isChanged)
      return undefined;
    const { start: from, end } = answer.at;
    return { message: answer.message, start: outcome.start + from, end: outcome.start + end };
  }, [outcome, answer, isChanged]);

  const save = async (format: SqlFormat) => {
    if (outcome === undefined) return;
    const end = await file.start(outcome, format);
    if (end.kind === 'failed') return notify(`No file: ${end.message}`);
    saveText(`${fileNameOf(name)}.${format}`, new Blob([...end.parts]), TYPES[format]);
    notify(`${counted(end.rows, 'row')} written as ${format.toUpperCase()}`);
  };
  const open = (row: SqlRow) => {
    const columns = answer?.kind === 'rows' ? answer.columns : [];
    if (outcome?.store === 'warehouse') {
      const place = placeIn(columns, row);
      return place === undefined
        ? notify('A row opens its rollout if the result has the columns run, step, group and index')
        : goTo(place);
    }
    const link = linkOf(columns);
    const id = link === undefined ? undefined : numberOf(row[link.column]);
    if (link === undefined || id === undefined)
      return notify('The row has no rollout_id, group_id or run_id to open');
    client.request('sql.target', { of: link.kind, id }).then(
      (target) => goTo(routeOfTarget(target)),
      (error: unknown) => notify(error instanceof Error ? error.message : String(error)),
    );
  };

  return (
    <div className="sql-view">
      <div className="sql-main">
        <StatementBar
          isRunning={running !== undefined}
          hasText={text.trim() !== ''}
          store={hasWarehouse ? store : undefined}
          onStore={(next) => setQuery({ store: next === 'warehouse' ? next : undefined })}
          limits={limits}
          onLimits={setLimits}
          onRun={() => start('rows')}
          onExplain={() => start('plan')}
        />
        <div className="sql-editor">
          <Suspense fallback={<WaitingState title="Loading the editor…" />}>
            <SqlEditor
              handle={editor}
              text={text}
              revision={statement.revision}
              onChange={setText}
              label="SQL statement"
              placeholder={`A SELECT statement · Ctrl+Space completes, ${keyWord('sql.run')} runs`}
              sources={sources}
              mark={mark}
              isDark={isDark}
              onRun={() => start('rows')}
              onExplain={() => start('plan')}
              onEscape={() => (running === undefined ? results.current?.focus() : stop())}
            />
          </Suspense>
        </div>
        {statement.isNoLink && (
          <p className="sql-note">
            This statement is too long for a link. Save it under a name to link it in this library.
          </p>
        )}
        {statement.missing !== undefined && (
          <p className="sql-note is-wrong">
            No query named {plainLogText(statement.missing)} is saved in this library.
          </p>
        )}
        {statement.isFromLink && outcome?.sql !== text && running === undefined && (
          <p className="sql-note">
            This statement came with a link and was not run. Read it before you run it.
          </p>
        )}
        <StatusLine
          outcome={outcome}
          running={running}
          exporting={file.running}
          isChanged={isChanged}
          text={text}
          onCancel={stop}
          onCancelExport={file.stop}
          onGoTo={(offset) => editor.current?.goTo(offset)}
        />
        {/* Escape moves the focus here from the editor. */}
        <div className="sql-results" ref={results} tabIndex={-1}>
          <ResultArea
            store={store}
            outcome={running === undefined ? outcome : undefined}
            isRunning={running !== undefined}
            chart={chart}
            onChart={setChart}
            onProposeChart={() => {
              if (outcome === undefined || answer?.kind !== 'rows') return;
              const proposed = proposedChart(answer.columns, outcome.rows);
              if (proposed === undefined) notify('No column of this result is a number');
              setChart(proposed);
            }}
            fileName={fileNameOf(name)}
            onOpen={open}
            onCopy={(columns, rows) =>
              void copyText(tsvOf(columns, rows)).then((isCopied) =>
                notify(
                  isCopied ? `${counted(rows.length, 'row')} copied` : 'The clipboard is not available here',
                ),
              )
            }
            onSave={(format) => void save(format)}
            isSaving={file.running !== undefined}
            notify={notify}
          />
        </div>
      </div>
      <SidePanel
        sources={sources}
        examples={examples}
        sql={text}
        onInsert={(inserted) => editor.current?.insert(inserted)}
        onTake={(query) => {
          statement.take(query.sql);
          editor.current?.focus();
        }}
      />
    </div>
  );
}
