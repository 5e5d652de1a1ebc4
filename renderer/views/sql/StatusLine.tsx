/** The status of a statement: the elapsed time while it runs, then its result. */

import { useNow } from '../../data/useNow.ts';
import type { RunningExport, RunningStatement, SqlOutcome } from '../../data/useSqlRun.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Button } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import { durationLabel, lineAndColumn } from './sqlModel.ts';

interface StatusLineProps {
  readonly outcome: SqlOutcome | undefined;
  readonly running: RunningStatement | undefined;
  readonly exporting: RunningExport | undefined;
  /** Whether the statement has changed since. */
  readonly isChanged: boolean;
  readonly text: string;
  readonly onCancel: () => void;
  readonly onCancelExport: () => void;
  readonly onGoTo: (offset: number) => void;
}

export function StatusLine(props: StatusLineProps) {
  const { outcome, running, exporting } = props;
  return (
    <div className="sql-status">
      {running !== undefined ? (
        <p role="status">
          <Clock since={running.since} /> running
          {running.rows > 0 && ` · ${counted(running.rows, 'row')} so far`}{' '}
          <Button onClick={props.onCancel}>{keyed('Cancel', 'place.up')}</Button>
        </p>
      ) : (
        outcome !== undefined && <Outcome {...props} outcome={outcome} />
      )}
      {exporting !== undefined && (
        <p role="status">
          <Clock since={exporting.since} /> writing
          {exporting.rows > 0 && ` · ${counted(exporting.rows, 'row')}`}{' '}
          <Button onClick={props.onCancelExport}>Stop the export</Button>
        </p>
      )}
    </div>
  );
}

function Clock({ since }: { readonly since: number }) {
  const now = useNow();
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  return (
    <>
      <progress aria-label="Running" /> <span className="sql-clock">{seconds} s</span>
    </>
  );
}

function Outcome({ outcome, isChanged, text, onGoTo }: StatusLineProps & { readonly outcome: SqlOutcome }) {
  const { answer, start } = outcome;
  if (answer.kind === 'failed')
    return (
      <p className="is-wrong" role="alert">
        {answer.message} · after {durationLabel(answer.milliseconds)}
      </p>
    );
  if (answer.kind === 'refused') {
    const { at, message } = answer;
    const offset = at === undefined ? undefined : start + at.start;
    const place = offset === undefined ? undefined : lineAndColumn(text, offset);
    return (
      <p className="is-wrong" role="alert">
        {message}
        {!isChanged && place !== undefined && offset !== undefined && (
          <>
            {' '}
            <Button onClick={() => onGoTo(offset)}>
              line {place.line}, column {place.column}
            </Button>
          </>
        )}
      </p>
    );
  }
  const what = outcome.aim === 'plan' ? 'Plan' : counted(answer.rows, 'row');
  return (
    <p role="status">
      {what} in {durationLabel(answer.milliseconds)}
      {answer.cut !== undefined && (
        <b className="is-wrong">
          {' '}
          · cut off:{' '}
          {answer.cut === 'rows' ? 'there are more rows' : 'the rows are too large to hold more of them'}; an
          export has all
        </b>
      )}
      {isChanged && <span className="dim"> · of the statement that was run; it has changed since</span>}
    </p>
  );
}
