import type { ReactNode } from 'react';
import type { SourceStatistics } from '../../../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../../../shared/domain/tokenSignal.ts';
import { counted } from '../../../ui/numbers.ts';
import { numbersLine, SIGNAL_FACTS, sourceWords, withoutText } from './signalWords.ts';
import { sourceKey } from './tokensModel.ts';

interface SourceLineProps {
  readonly source: SourceStatistics | undefined;
  readonly sources: readonly SourceStatistics[];
  readonly without: number;
  readonly signal: SignalName;
  readonly onChoose: (source: SourceStatistics) => void;
  readonly children: ReactNode;
}

/** What all numbers of the page are made of. Several sources are never added up: one at a time. */
export function SourceLine({ source, sources, without, signal, onChoose, children }: SourceLineProps) {
  return (
    <div className="source-line">
      <p>
        {source === undefined ? (
          <span className="muted">{SIGNAL_FACTS[signal].meaning}</span>
        ) : (
          <>
            {sources.length > 1 ? (
              <select
                className="text-field"
                aria-label="Source"
                title={`${counted(sources.length, 'source')} in these logs; they are never added up`}
                value={sourceKey(source)}
                onChange={(event) => {
                  const chosen = sources.find((one) => sourceKey(one) === event.target.value);
                  if (chosen !== undefined) onChoose(chosen);
                }}
              >
                {sources.map((one) => (
                  <option key={sourceKey(one)} value={sourceKey(one)}>
                    {sourceWords(one)} ({counted(one.tokens, 'token')})
                  </option>
                ))}
              </select>
            ) : (
              <b title={SIGNAL_FACTS[source.signal].meaning}>{sourceWords(source)}</b>
            )}
            ; {numbersLine(source)}.
            {without > 0 && <span className="muted"> {withoutText(without, signal)}</span>}
          </>
        )}
      </p>
      {children}
    </div>
  );
}
