/** Says where a provider withheld reasoning. Its summary, if logged, is the provider's text and not the policy's. */
import type { RedactedReasoning } from '../../shared/domain/policyContext.ts';
import { LogText } from '../ui/LogText.tsx';
import './redactedNote.css';

const LONGEST_SUMMARY = 2_000;

export function RedactedNote({ summary }: Pick<RedactedReasoning, 'summary'>) {
  return (
    <aside className="redacted-note" aria-label="Redacted reasoning">
      <b>reasoning redacted</b> <span>The provider withheld it. Its text is not in the log.</span>
      {summary !== undefined && (
        <details>
          <summary>Summary of the provider, not text of the policy</summary>
          <LogText text={summary} longest={LONGEST_SUMMARY} />
        </details>
      )}
    </aside>
  );
}
