/** Start and end times of a run, if logged. */
import type { RunSummary } from '../../../shared/api/contract.ts';
import { duration } from '../../ui/numbers.ts';

const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const WHOLE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

export function RunTimes({ run: { startedAt, completedAt } }: { readonly run: RunSummary }) {
  const at = startedAt ?? completedAt;
  if (at === undefined) return null;
  const took =
    startedAt === undefined || completedAt === undefined || completedAt < startedAt
      ? ''
      : `, ${duration(completedAt - startedAt)}`;
  const title = [
    ...(startedAt === undefined ? [] : [`Started ${WHOLE_TIME.format(startedAt)}`]),
    completedAt === undefined ? 'no end logged' : `completed ${WHOLE_TIME.format(completedAt)}`,
  ].join('; ');
  return (
    <>
      <time dateTime={new Date(at).toISOString()} title={`${title} (logged)`}>
        {startedAt === undefined ? 'completed ' : 'started '}
        {DAY_AND_TIME.format(at)}
        {took}
      </time>
      {' · '}
    </>
  );
}
