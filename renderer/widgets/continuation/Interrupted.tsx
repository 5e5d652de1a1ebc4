/** Interrupted requests for continuations, each with a button that samples what is missing. */
import type { InterruptedContinuations } from '../../../shared/api/contract.ts';
import { Button } from '../../ui/Controls.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';
import { dayAndTime } from '../../ui/times.ts';
import { originText, positionText } from './continuationModel.ts';
import './continuation.css';

interface InterruptedProps {
  readonly requests: readonly InterruptedContinuations[];
  /** The dialog is about one rollout, whose name is not repeated. */
  readonly isOneRollout?: boolean;
  readonly onResume: (request: InterruptedContinuations) => void;
}

/** Renders nothing if there are none. */
export function Interrupted({ requests, isOneRollout = false, onResume }: InterruptedProps) {
  if (requests.length === 0) return null;
  return (
    <section aria-label="Interrupted requests">
      <ul className="continuation-lines">
        {requests.map((request) => {
          const { id, origin, position, edit, model, at, asked, missing } = request;
          return (
            <li key={id} className="continuation-interrupted">
              <span>
                <b>
                  {count(asked - missing.length)} of {count(asked)} stored
                </b>
                : continuations of {isOneRollout ? 'this rollout' : originText(origin)}, from{' '}
                {positionText(position)}
                {edit !== '' && (
                  <>
                    {' '}
                    with{' '}
                    <span className="mono">
                      <LogText text={edit} longest={80} />
                    </span>
                  </>
                )}
                <span className="muted">
                  {' '}
                  · <LogText text={model} longest={80} /> · {dayAndTime(Date.parse(at))}
                </span>
              </span>
              <Button
                title={`Sample the ${count(missing.length)} that are missing`}
                onClick={() => onResume(request)}
              >
                Resume
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
