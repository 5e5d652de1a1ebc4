/** The status that a log of inspect_ai has of its evaluation. */
import type { RunSummary } from '../../shared/api/contract.ts';
import { Chip } from '../ui/Controls.tsx';
import { LogText } from '../ui/LogText.tsx';

interface StatusText {
  readonly text: string;
  readonly describe: string;
  readonly isWarning: boolean;
}

/** @param status `EvalStatus` of inspect_ai; absent: the log ends before its header */
export function statusText(status: string | undefined): StatusText {
  switch (status) {
    case 'success':
      return { text: '✓ success', describe: 'The evaluation finished.', isWarning: false };
    case 'error':
      return { text: '✕ error', describe: 'An error ended the evaluation.', isWarning: true };
    case 'cancelled':
      return { text: '✕ cancelled', describe: 'The evaluation was cancelled.', isWarning: true };
    case 'started':
    case undefined:
      return {
        text: status === undefined ? 'not finished: no status logged' : 'started, not finished',
        describe: 'The evaluation was running, or was killed, when this log was written.',
        isWarning: true,
      };
    default:
      return { text: `status ${status}`, describe: 'As logged.', isWarning: true };
  }
}

const LONGEST_STATUS = 60;

/** @param status as `statusText` takes it */
export function EvaluationStatus({ status }: { readonly status: string | undefined }) {
  const { text, isWarning, describe } = statusText(status);
  return (
    <Chip isWarning={isWarning} title={describe}>
      <LogText text={text} longest={LONGEST_STATUS} />
    </Chip>
  );
}

/** Renders nothing for a run of another format, and for an evaluation that ended with success. */
export function UnfinishedEvaluation({
  run: { evaluation },
}: {
  readonly run: Pick<RunSummary, 'evaluation'>;
}) {
  if (evaluation === undefined || !statusText(evaluation.status).isWarning) return null;
  return <EvaluationStatus status={evaluation.status} />;
}
