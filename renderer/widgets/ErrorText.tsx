/** An error from a log: the message, and the traceback on request. */
import type { LoggedError } from '../../shared/format/loggedEvaluation.ts';
import { LogText } from '../ui/LogText.tsx';
import './errorText.css';

/** UTF-16 units of a message or a traceback. The raw record has all. */
const LONGEST = 20_000;

export function ErrorText({ error }: { readonly error: LoggedError }) {
  return (
    <div className="error-text">
      <p className="is-wrong">
        ✕ <LogText text={error.message} longest={LONGEST} />
      </p>
      {error.traceback !== undefined && (
        <details>
          <summary>Traceback</summary>
          <pre>
            <LogText text={error.traceback} longest={LONGEST} />
          </pre>
        </details>
      )}
    </div>
  );
}
