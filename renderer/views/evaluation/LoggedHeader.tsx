/** The head of a logged evaluation: status, times, error, accuracy with its standard error, model, task and limits. */
import type { RunDetail } from '../../../shared/api/contract.ts';
import type { LoggedEvaluation } from '../../../shared/format/loggedEvaluation.ts';
import { Chip } from '../../ui/Controls.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { duration } from '../../ui/numbers.ts';
import { ErrorText } from '../../widgets/ErrorText.tsx';
import { type Headline, statusText } from './loggedResultsModel.ts';

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

interface LoggedHeaderProps {
  readonly run: RunDetail;
  readonly logged: LoggedEvaluation;
  readonly headlines: readonly Headline[];
}

export function LoggedHeader({ run, logged, headlines }: LoggedHeaderProps) {
  const { status, error, facts } = logged;
  const { text, isWarning, describe } = statusText(status);
  return (
    <>
      <header>
        <h2>The log’s own result</h2>
        <Chip isWarning={isWarning} title={describe}>
          {text}
        </Chip>
        <Times run={run} />
      </header>
      {error !== undefined && <ErrorText error={error} />}
      {headlines.map(({ scorer, metric, logged: own, recomputed }) => (
        <p key={`${scorer} ${metric}`} className="logged-headline">
          <LogText text={scorer} /> {metric} <b>{own}</b> <small className="dim">logged</small>
          {recomputed !== undefined && (
            <>
              {' · '}
              <b>{recomputed}</b> <small className="dim">recomputed</small>
            </>
          )}
        </p>
      ))}
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
      {startedAt !== undefined && `started ${TIME.format(startedAt)}`}
      {startedAt !== undefined && ' · '}
      {completedAt === undefined ? 'no end logged' : `completed ${TIME.format(completedAt)}`}
      {took !== undefined && took >= 0 && ` · ${duration(took)}`}
    </span>
  );
}
