/** Two readers: their agreement beyond chance by label, and the rollouts on which they differ. */

import { labelOf, useTaxonomy } from '../../data/annotations.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { LabelName } from '../../ui/Marks.tsx';
import { count, counted, decimal } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import type { LabelsScope } from './labelsScope.ts';
import { listedAuthors } from './listedAuthors.ts';

/** Nobody checks more by hand. The queue "where readers differ" contains all of them. */
const SHOWN = 200;

export function AgreementTab({ scope }: { readonly scope: LabelsScope }) {
  const [query, setQuery] = useUrlQuery();
  const list = useRequest('annotation.authors', {}).data;
  const names = (list ?? []).map(({ author }) => author);
  const first = names.find((name) => name === query.get('first')) ?? names[0];
  const second =
    names.find((name) => name === query.get('second') && name !== first) ??
    names.find((name) => name !== first);
  const answer = useRequest(
    'annotation.agreement',
    first === undefined || second === undefined || !scope.isKnown
      ? undefined
      : { ...scope.params, authors: [first, second] },
    { keepPrevious: true },
  );
  if (list === undefined) return <WaitingState title="Loading reviewers…" />;
  if (first === undefined || second === undefined)
    return (
      <EmptyState title="Agreement needs two reviewers">
        <p>
          {first === undefined ? 'No labels yet.' : `Only ${plainLogText(first)} has labelled so far.`} Enter
          a second reviewer under “Review”, or import a colleague’s pack.
        </p>
      </EmptyState>
    );
  if (answer.error !== null)
    return (
      <FailedState
        title="Agreement could not be computed"
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  const report = answer.data;
  return (
    <div className="labels-scroll">
      <div className="labels-scope">
        <Reader
          name="First reviewer"
          chosen={first}
          names={names}
          onChoose={(name) => setQuery({ first: name })}
        />
        <Reader
          name="Second reviewer"
          chosen={second}
          names={names.filter((name) => name !== first)}
          onChoose={(name) => setQuery({ second: name })}
        />
      </div>
      {report === undefined ? (
        <WaitingState title="Comparing the two…" />
      ) : (
        <>
          <p className="labels-lead">
            <b>{counted(report.both, 'rollout')}</b> reviewed by both ({count(report.first)} by{' '}
            {plainLogText(first)}, {count(report.second)} by {plainLogText(second)}).{' '}
            {report.overall.kappa === undefined ? (
              <span className="muted">
                Cohen’s κ is not defined here: {report.overall.why ?? 'no rollout reviewed by both'}.
              </span>
            ) : (
              <>
                Cohen’s κ over {report.overall.of === 'categories' ? 'the label given' : 'every decision'}:{' '}
                <b>{decimal(report.overall.kappa, 3)}</b>{' '}
                <span className="muted">
                  ({count(report.overall.agreed)} of {count(report.overall.n)} agreed)
                </span>
              </>
            )}
          </p>
          {report.labels.length > 0 && <Kappas report={report} first={first} second={second} />}
          <h2>
            {report.disagreements.length === 0
              ? 'No disagreement'
              : counted(report.disagreements.length, 'disagreement')}
          </h2>
          <ul className="disagreements">
            {report.disagreements.slice(0, SHOWN).map((one) => (
              <Disagreement key={one.rolloutId} {...one} first={first} second={second} />
            ))}
          </ul>
          {report.disagreements.length > SHOWN && (
            <p className="muted">
              {count(report.disagreements.length - SHOWN)} more. A queue in the order “reviewers disagree”
              lists all of them.
            </p>
          )}
        </>
      )}
    </div>
  );
}

function Reader(props: {
  readonly name: string;
  readonly chosen: string;
  readonly names: readonly string[];
  readonly onChoose: (name: string) => void;
}) {
  return (
    <select
      aria-label={props.name}
      value={props.chosen}
      onChange={(event) => props.onChoose(event.target.value)}
    >
      {listedAuthors(props.names, (name) => name === props.chosen).map((name) => (
        <option key={name} value={name}>
          {plainLogText(name)}
        </option>
      ))}
    </select>
  );
}

interface KappasProps {
  readonly report: NonNullable<ReturnType<typeof useRequest<'annotation.agreement'>>['data']>;
  readonly first: string;
  readonly second: string;
}

function Kappas({ report, first, second }: KappasProps) {
  const taxonomy = useTaxonomy();
  return (
    <table className="labels-table">
      <thead>
        <tr>
          <th>label</th>
          <th className="num" title="Rollouts that both reviewed">
            n
          </th>
          <th className="num">both</th>
          <th className="num">only {plainLogText(first)}</th>
          <th className="num">only {plainLogText(second)}</th>
          <th className="num">neither</th>
          <th className="num" title="Cohen’s κ; blank where it is not defined">
            κ
          </th>
        </tr>
      </thead>
      <tbody>
        {report.labels.map((row) => (
          <tr key={row.label}>
            <td>
              <LabelName label={labelOf(taxonomy, row.label)} />
            </td>
            <td className="num">{count(row.n)}</td>
            <td className="num">{count(row.both)}</td>
            <td className="num">{count(row.onlyFirst)}</td>
            <td className="num">{count(row.onlySecond)}</td>
            <td className="num">{count(row.neither)}</td>
            <td className="num">
              {row.kappa === undefined ? (
                <span
                  className="dim"
                  title={`Not defined: ${row.why ?? 'agreement by chance would be 100 %'}`}
                >
                  –
                </span>
              ) : (
                decimal(row.kappa, 3)
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DisagreementProps {
  readonly rolloutId: number;
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
  readonly first: string;
  readonly second: string;
}

function Disagreement({ rolloutId, onlyFirst, onlySecond, first, second }: DisagreementProps) {
  const taxonomy = useTaxonomy();
  const detail = useRequest('rollout.rows', { rolloutIds: [rolloutId] }).data?.[0];
  const place = useRequest('rollout.get', { rolloutId }).data?.run;
  const said = (labels: readonly string[]) =>
    labels.map((label) => <LabelName key={label} label={labelOf(taxonomy, label)} />);
  if (detail === undefined || place === undefined) return <li className="skeleton" style={{ height: 20 }} />;
  const path = pathOfRoute({
    view: 'rollout',
    runKey: place.runKey,
    step: detail.step,
    groupKey: detail.groupKey,
    ordinal: detail.ordinal,
  });
  return (
    <li>
      <Link className="is-link" href={path}>
        <span className="mono">#{detail.ordinal}</span> {plainLogText(detail.groupKey)} · step {detail.step}
      </Link>
      {onlyFirst.length > 0 && (
        <span>
          {plainLogText(first)}: {said(onlyFirst)}
        </span>
      )}
      {onlySecond.length > 0 && (
        <span>
          {plainLogText(second)}: {said(onlySecond)}
        </span>
      )}
    </li>
  );
}
