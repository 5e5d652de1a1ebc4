/** Data from the evaluation's log: results (beside the recomputed ones), token usage, settings. */
import { useMemo } from 'react';
import type { RunDetail } from '../../../shared/api/contract.ts';
import { type LoggedEvaluation, loggedEvaluation } from '../../../shared/format/loggedEvaluation.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { count, figure } from '../../ui/numbers.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { LoggedHeader } from './LoggedHeader.tsx';
import {
  headlinesOf,
  NO_NUMBER,
  type ResultRow,
  resultRows,
  type SampleRow,
  sampleRows,
} from './loggedResultsModel.ts';
import './loggedResults.css';

const LONGEST_SETTING = 20_000;
/** UTF-16 units of a name in a table. */
const LONGEST_NAME = 120;
/** Rows of a table, or settings, before a click. */
const MOST_ROWS = 100;
/** Counts of each model. Every one is a column. */
const MOST_COUNTS = 20;

export function LoggedResults({ run }: { readonly run: RunDetail }) {
  const logged = useMemo(() => loggedEvaluation(run.config), [run.config]);
  if (logged === undefined) return null;
  return <LoggedSections run={run} logged={logged} />;
}

interface LoggedSectionsProps {
  readonly run: RunDetail;
  readonly logged: LoggedEvaluation;
}

function LoggedSections({ run, logged }: LoggedSectionsProps) {
  // Without the page's filter, since the logged results cover all samples.
  const { data } = useLongQuery('eval.summary', { runId: run.runId, filter: '' });
  const failed = useRequest('rollout.order', { runId: run.runId, filter: 'stop_reason:error' });
  const rows = useMemo(() => resultRows(logged, data?.panels ?? []), [logged, data]);
  const headlines = useMemo(() => headlinesOf(rows), [rows]);
  const retried = useLongQuery('eval.retries', { runId: run.runId });
  const samples = sampleRows(logged, run, failed.data?.ids.length, retried.data);
  const { usage, groups } = logged;
  return (
    <section className="logged-results" aria-label="Results and settings of the log">
      <LoggedHeader run={run} logged={logged} headlines={headlines} />
      {rows.length === 0 ? <p className="dim">scores: none in the log</p> : <Results rows={rows} />}
      {samples.length > 0 && <Samples rows={samples} />}
      {usage.length === 0 ? (
        <p className="dim">usage of the model: none in the log</p>
      ) : (
        <Usage usage={usage} />
      )}
      <details>
        <summary>
          <h2>Settings</h2> <small className="dim">logged</small>
        </summary>
        <div className="logged-settings">
          {groups.map((group) => (
            <Settings key={group.title} {...group} />
          ))}
        </div>
      </details>
    </section>
  );
}

function Settings({ title, settings }: LoggedEvaluation['groups'][number]) {
  const { shown, more } = useFirstItems(settings, 'setting', MOST_ROWS);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {shown.map(({ name, value }) => (
          <div key={name}>
            <dt>{plainLogText(name, LONGEST_NAME)}</dt>
            <dd>
              <LogText text={value} longest={LONGEST_SETTING} />
            </dd>
          </div>
        ))}
      </dl>
      {more}
    </section>
  );
}

function Results({ rows }: { readonly rows: readonly ResultRow[] }) {
  const { shown, more } = useFirstItems(rows, 'metric', MOST_ROWS);
  return (
    <>
      <ResultTable rows={shown} />
      {more}
    </>
  );
}

function ResultTable({ rows }: { readonly rows: readonly ResultRow[] }) {
  return (
    <table className="logged-table">
      <thead>
        <tr>
          <th scope="col">scorer</th>
          <th scope="col">metric</th>
          <th scope="col" className="number">
            logged
          </th>
          <th scope="col" className="number">
            recomputed
          </th>
          <th scope="col">from</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ scorer, metric, logged, recomputed, from, differs }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a log may repeat a name, and results never reorder
          <tr key={i}>
            <th scope="row">
              <LogText text={scorer} longest={LONGEST_NAME} />
            </th>
            <td>
              <LogText text={metric} longest={LONGEST_NAME} />
            </td>
            <td className="number">{logged === undefined ? NO_NUMBER : figure(logged)}</td>
            <td className={differs ? 'number is-wrong' : 'number'}>
              {recomputed === undefined ? '–' : figure(recomputed)}
            </td>
            <td className="dim">{from}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Samples({ rows }: { readonly rows: readonly SampleRow[] }) {
  return (
    <table className="logged-table" aria-label="Sample counts">
      <thead>
        <tr>
          <th scope="col">count</th>
          <th scope="col" className="number">
            logged
          </th>
          <th scope="col" className="number">
            read
          </th>
          <th scope="col">from</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, logged, read, from, differs, isReading = false }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="number">
              {logged === undefined ? (
                <span className="dim">{isReading ? '…' : 'not logged'}</span>
              ) : (
                count(logged)
              )}
            </td>
            <td className={differs ? 'number is-wrong' : 'number'}>
              {read === undefined ? '' : count(read)}
            </td>
            <td className={differs ? 'is-wrong' : 'dim'}>
              <LogText text={from} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Usage({ usage }: Pick<LoggedEvaluation, 'usage'>) {
  const models = useFirstItems(usage, 'model', MOST_ROWS);
  const all = useMemo(() => [...new Set(usage.flatMap(({ counts }) => Object.keys(counts)))], [usage]);
  const names = useFirstItems(all, 'count', MOST_COUNTS);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys */}
      <section className="logged-scroll" tabIndex={0} aria-label="Token usage">
        <table className="logged-table" aria-label="Usage">
          <thead>
            <tr>
              <th scope="col">
                usage of the model <small>logged</small>
              </th>
              {names.shown.map((name) => (
                <th scope="col" key={name} className="number">
                  <LogText text={name.replaceAll('_', ' ')} longest={LONGEST_NAME} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {models.shown.map(({ model, counts }) => (
              <tr key={model}>
                <th scope="row">
                  <LogText text={model} longest={LONGEST_NAME} />
                </th>
                {names.shown.map((name) => (
                  <td key={name} className="number">
                    {figureOf(Object.hasOwn(counts, name) ? counts[name] : undefined)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {models.more}
      {names.more}
    </>
  );
}

const figureOf = (value: number | undefined): string => (value === undefined ? '' : figure(value));
