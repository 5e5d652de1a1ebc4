/** Runs statements and exports their results. A result is kept while other pages are open. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SqlAnswer, SqlFormat, SqlPosition, SqlRow } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient } from './DataProvider.tsx';
import { useAbort } from './useLongQuery.ts';

/** `plan`: the query plan. */
export type StatementAim = 'rows' | 'plan';
/** The database that runs a statement. */
export type Store = 'library' | 'warehouse';

export interface SqlOutcome {
  readonly sql: string;
  readonly store: Store;
  readonly aim: StatementAim;
  /** Offset of `sql` in the text that contains it. */
  readonly start: number;
  readonly answer:
    | SqlAnswer
    | { readonly kind: 'failed'; readonly message: string; readonly milliseconds: number };
  readonly rows: readonly SqlRow[];
}

export interface RunningStatement {
  readonly aim: StatementAim;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly rows: number;
}

export interface RunLimits {
  readonly limitRows: number;
  readonly timeoutMs: number;
}

interface StatementToRun {
  readonly sql: string;
  readonly store: Store;
  readonly aim: StatementAim;
  /** Offset of `sql` in the text that contains it. */
  readonly start: number;
}

const OUTCOME_KEY = ['sql.outcome'] as const;
const EXPLAIN: Readonly<Record<Store, string>> = { library: 'EXPLAIN QUERY PLAN ', warehouse: 'EXPLAIN ' };
const PAGE = 5_000;
/** Counter that identifies a run within this window. */
let runs = 0;

export function useSqlRun() {
  const client = useClient();
  const queryClient = useQueryClient();
  const { data: outcome } = useQuery<SqlOutcome>({
    queryKey: OUTCOME_KEY,
    queryFn: () => Promise.reject(new Error('a statement is only run by hand')),
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const [running, setRunning] = useState<RunningStatement>();
  const { begin, stop, isLatest } = useAbort();
  useEffect(() => stop, [stop]);

  async function run(statement: StatementToRun, limits: RunLimits): Promise<void> {
    const { aim } = statement;
    const signal = begin();
    const since = Date.now();
    setRunning({ aim, since, rows: 0 });
    const queryKey = `${since} ${runs++}`;
    const unsubscribe = client.subscribe(({ event, payload }) => {
      if (event === 'sql.progress' && payload.queryKey === queryKey)
        setRunning({ aim, since, rows: payload.rows });
    });
    const settled = await answerOf(client, statement, { ...limits, queryKey }, signal).catch(
      (error: unknown): Pick<SqlOutcome, 'answer' | 'rows'> => ({
        answer: {
          kind: 'failed',
          message: error instanceof Error ? error.message : String(error),
          milliseconds: Date.now() - since,
        },
        rows: [],
      }),
    );
    unsubscribe();
    if (!isLatest(signal)) return;
    queryClient.setQueryData<SqlOutcome>(OUTCOME_KEY, { ...statement, ...settled });
    setRunning(undefined);
  }

  return { outcome, running, run, stop };
}

async function answerOf(
  client: Client,
  { sql, store, aim }: StatementToRun,
  params: RunLimits & { readonly queryKey: string },
  signal: AbortSignal,
): Promise<Pick<SqlOutcome, 'answer' | 'rows'>> {
  const before = aim === 'plan' ? EXPLAIN[store] : '';
  const answer = await client.request('sql.run', { ...params, store, sql: before + sql }, { signal });
  if (answer.kind === 'refused') {
    const at = answer.at === undefined ? undefined : movedBack(answer.at, before.length);
    const { at: _, ...rest } = answer;
    return { answer: at === undefined ? rest : { ...rest, at }, rows: [] };
  }
  const rows: SqlRow[] = [];
  while (rows.length < answer.rows) {
    const page = await client.request(
      'sql.page',
      { resultId: answer.resultId, from: rows.length, limit: PAGE },
      { signal },
    );
    rows.push(...page.rows);
  }
  return { answer, rows };
}

function movedBack({ start, end }: SqlPosition, by: number): SqlPosition {
  return { start: Math.max(0, start - by), end: Math.max(0, end - by) };
}

export interface RunningExport {
  readonly rows: number;
  readonly since: number;
}

export type ExportEnd =
  | { readonly kind: 'whole'; readonly parts: readonly Blob[]; readonly rows: number }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Exports all rows of a statement as text. The statement runs again, and neither the host nor the page keeps all rows.
 */
export function useSqlExport() {
  const client = useClient();
  const [running, setRunning] = useState<RunningExport>();
  const { begin, stop, isLatest } = useAbort();
  useEffect(() => stop, [stop]);

  async function start(
    { sql, store }: Pick<StatementToRun, 'sql' | 'store'>,
    format: SqlFormat,
  ): Promise<ExportEnd> {
    const signal = begin();
    const since = Date.now();
    setRunning({ rows: 0, since });
    try {
      const begun = await client.request('sql.export', { sql, store, format }, { signal });
      if (begun.kind === 'refused') return { kind: 'failed', message: begun.message };
      const { exportId } = begun;
      signal.addEventListener('abort', () => {
        // It does not matter if the export has ended already.
        client.request('sql.exportStop', { exportId }).catch(() => undefined);
      });
      const parts: Blob[] = [];
      for (;;) {
        const part = await client.request('sql.exportPart', { exportId }, { signal });
        // The browser may keep a blob on disk instead of in memory.
        if (part.text !== '') parts.push(new Blob([part.text]));
        setRunning({ rows: part.rows, since });
        if (part.isWhole) return { kind: 'whole', parts, rows: part.rows };
      }
    } catch (error) {
      return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
    } finally {
      if (isLatest(signal)) setRunning(undefined);
    }
  }

  return { running, start, stop };
}
