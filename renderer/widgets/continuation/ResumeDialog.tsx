/** Goes on with interrupted requests for continuations of any rollout, and reads the answers of a batch. */
import { Dialog } from 'radix-ui';
import { useEffect } from 'react';
import { useRequest } from '../../data/useRequest.ts';
import { TaskDialog } from '../../shell/dialogs/TaskDialog.tsx';
import { useDialog } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { Interrupted } from './Interrupted.tsx';
import { ReadBatch } from './ReadBatch.tsx';
import { Sampled } from './SampledContinuations.tsx';
import { statusText, useContinuations } from './useContinuations.ts';
import './continuation.css';

/** UTF-16 units of a text that is shown. */
const LONGEST = 20_000;

export function ResumeDialog() {
  if (useDialog('resume') === undefined) return null;
  return (
    <TaskDialog name="resume" className="continuation-dialog">
      {(frame) => <Body {...frame} />}
    </TaskDialog>
  );
}

interface BodyProps {
  readonly onDone: () => void;
  readonly onWriting: (isWriting: boolean) => void;
}

function Body({ onDone, onWriting }: BodyProps) {
  const sampling = useContinuations();
  const interrupted = useRequest('sampling.interrupted', {});
  const { state, failure } = sampling;
  const isRunning = state === 'running';
  useEffect(() => onWriting(isRunning), [isRunning, onWriting]);
  const problem = failure ?? interrupted.error?.message;
  return (
    <div className="continuation-frame">
      <div className="dialog-head">
        <Dialog.Title asChild>
          <h1>Continuations</h1>
        </Dialog.Title>
      </div>
      <div className="dialog-body">
        {state === 'form' ? (
          <>
            {interrupted.data !== undefined && (
              <p>
                {interrupted.data.length === 0
                  ? 'No request for continuations was interrupted.'
                  : 'These requests were interrupted. Resume samples what is missing.'}
              </p>
            )}
            <Interrupted requests={interrupted.data ?? []} onResume={sampling.resume} />
          </>
        ) : (
          <Sampled {...sampling} />
        )}
        {problem !== undefined && (
          <p className="is-wrong" role="alert">
            ✕ <LogText text={problem} longest={LONGEST} />
          </p>
        )}
      </div>
      <div className="dialog-foot">
        <span className="muted" role="status">
          {statusText(sampling)}
        </span>
        <span className="dialog-buttons">
          {isRunning ? (
            <Button onClick={sampling.stop}>Stop</Button>
          ) : (
            <>
              <Button onClick={onDone}>Close</Button>
              {state === 'form' ? (
                <ReadBatch onRead={sampling.read} />
              ) : (
                <Button onClick={sampling.again}>Back</Button>
              )}
            </>
          )}
        </span>
      </div>
    </div>
  );
}
