/** The head of a logged evaluation: status, times, error, accuracy with its standard error, model, task and limits. */
import type { RunDetail } from '../../../shared/api/contract.ts';
import type { LoggedEvaluation } from '../../../shared/format/loggedEvaluation.ts';
import { LogText } from '../../ui/LogText.tsx';
import { lasted, timeWithZone } from '../../ui/times.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';
import { ErrorText } from '../../widgets/ErrorText.tsx';
import { EvaluationStatus, statusText } from '../../widgets/EvaluationStatus.tsx';
import type { Headline } from './loggedResultsModel.ts';

const MOST_HEADLINES = 10;

interface LoggedHeaderProps {
  readonly run: RunDetail;
  readonly logged: LoggedEvaluation;
  readonly headlines: readonly Headline[];
}

export function LoggedHeader({ run, logged, headlines }: LoggedHeaderProps) {
  const { status, error, facts } = logged;
  const { shown, more } = useFirstItems(headlines, 'result', MOST_HEADLINES);
  return (
    <>
      <header>
        <h2>The log’s own result</h2>
        <EvaluationStatus status={status} />
        <Times run={run} />
      </header>
      {error !== undefined && <ErrorText error={error} />}
      {error === undefined && status === 'error' && (
        <p className="dim">{statusText(status).describe} The log gives no reason.</p>
      )}
      {shown.map(({ scorer, metric, logged: own, recomputed }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a log may repeat a name, and results never reorder
        <p key={i} className="logged-headline">
          <LogText text={scorer} /> {metric} <b>{own}</b> <small className="dim">logged</small>
          {recomputed !== undefined && (
            <>
              {' · '}
              <b>{recomputed}</b> <small className="dim">recomputed</small>
            </>
          )}
        </p>
      ))}
      {more}
      <dl className="logged-facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <LogText text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Times({ run: { startedAt, completedAt } }: { readonly run: RunDetail }) {
  if (startedAt === undefined && completedAt === undefined) return null;
  const took = startedAt === undefined || completedAt === undefined ? undefined : completedAt - startedAt;
  return (
    <span className="dim">
      {startedAt !== undefined && `started ${timeWithZone(startedAt)}`}
      {startedAt !== undefined && ' · '}
      {completedAt === undefined ? 'no end logged' : `completed ${timeWithZone(completedAt)}`}
      {took !== undefined && took >= 0 && ` · ${lasted(took)}`}
    </span>
  );
}
