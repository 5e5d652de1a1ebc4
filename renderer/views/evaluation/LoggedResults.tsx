/** Data from the evaluation's log: results (beside the recomputed ones), token usage, settings. */
import type { RunDetail } from '../../../shared/api/contract.ts';
import { type LoggedEvaluation, loggedEvaluation } from '../../../shared/format/loggedEvaluation.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { LogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';
import { LoggedHeader } from './LoggedHeader.tsx';
import { headlinesOf, type ResultRow, resultRows, type SampleRow, sampleRows } from './loggedResultsModel.ts';
import './loggedResults.css';

const LONGEST_SETTING = 20_000;

export function LoggedResults({ run }: { readonly run: RunDetail }) {
  const logged = loggedEvaluation(run.config);
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
  const rows = resultRows(logged, data?.panels ?? []);
  const samples = sampleRows(logged, run, failed.data?.ids.length);
  const { usage, groups } = logged;
  return (
    <section className="logged-results" aria-label="Results and settings of the log">
      <LoggedHeader run={run} logged={logged} headlines={headlinesOf(rows)} />
      {rows.length === 0 ? <p className="dim">No result in this log.</p> : <Results rows={rows} />}
      {samples.length > 0 && <Samples rows={samples} />}
      {usage.length > 0 && <Usage usage={usage} />}
      <details>
        <summary>
          <h2>Settings</h2> <small className="dim">logged</small>
        </summary>
        <div className="logged-settings">
          {groups.map(({ title, settings }) => (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <dl>
                {settings.map(({ name, value }) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      <LogText text={value} longest={LONGEST_SETTING} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </details>
    </section>
  );
}

function Results({ rows }: { readonly rows: readonly ResultRow[] }) {
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
        {rows.map(({ scorer, metric, logged, recomputed, from, differs }) => (
          <tr key={`${scorer} ${metric}`}>
            <th scope="row">{scorer}</th>
            <td>{metric}</td>
            <td className="number">{logged}</td>
            <td className={differs ? 'number is-wrong' : 'number'}>{recomputed ?? '–'}</td>
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
        {rows.map(({ name, logged, read, from, differs }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="number">{count(logged)}</td>
            <td className={differs ? 'number is-wrong' : 'number'}>{count(read)}</td>
            <td className={differs ? 'is-wrong' : 'dim'}>{from}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Usage({ usage }: Pick<LoggedEvaluation, 'usage'>) {
  const names = [...new Set(usage.flatMap(({ counts }) => Object.keys(counts)))];
  return (
    <table className="logged-table" aria-label="Usage">
      <thead>
        <tr>
          <th scope="col">
            usage of the model <small>logged</small>
          </th>
          {names.map((name) => (
            <th scope="col" key={name} className="number">
              {name.replaceAll('_', ' ')}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {usage.map(({ model, counts }) => (
          <tr key={model}>
            <th scope="row">{model}</th>
            {names.map((name) => (
              <td key={name} className="number">
                {count(counts[name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
