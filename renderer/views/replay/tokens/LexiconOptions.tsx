import { useState } from 'react';
import { DEFAULT_LEXICON } from '../../../../shared/domain/lexicon.ts';
import { useTokenView } from '../../../state/tokenView.ts';
import { count, counted } from '../../../ui/numbers.ts';
import { agreementLabels } from '../../../ui/tokenClasses.tsx';
import type { Heat } from '../text/tokenHeat.ts';
import { type LexiconState, parseWords, useWords } from './useLexicon.ts';

interface LexiconOptionsProps {
  readonly heat: Heat | undefined;
  readonly lexicon: LexiconState;
}

/** Options of the user's lexicon. It marks words whatever their entropy, and this shows how often the two agree. */
export function LexiconOptions({ heat, lexicon }: LexiconOptionsProps) {
  const isShown = useTokenView((state) => state.isLexiconShown);
  const words = useWords();
  const flip = useTokenView((state) => state.flip);
  const setWords = useTokenView((state) => state.setWords);
  const [draft, setDraft] = useState(words.join(', '));
  const isDefault = words.join() === DEFAULT_LEXICON.join();
  const { agreement, ranges } = lexicon;
  return (
    <section>
      <h2>Lexicon</h2>
      <label className="token-check">
        <input type="checkbox" checked={isShown} onChange={() => flip('isLexiconShown')} />
        <span>
          words (text heuristic, not entropy) <span className="dim">with a dotted line above</span>
        </span>
      </label>
      {isShown && (
        <>
          <textarea
            className="token-words"
            aria-label="Words, separated by commas or lines"
            rows={3}
            spellCheck={false}
            value={draft}
            onChange={(event) => {
              setDraft(event.target.value);
              setWords(parseWords(event.target.value));
            }}
          />
          <p className="token-options-row">
            <span className="dim">
              {counted(words.length, 'word')} · {counted(ranges.length, 'place')} in what the policy wrote
            </span>
            {!isDefault && (
              <button
                type="button"
                className="text-button"
                onClick={() => {
                  setWords(undefined);
                  setDraft(DEFAULT_LEXICON.join(', '));
                }}
              >
                Default list
              </button>
            )}
          </p>
          {agreement !== undefined && heat !== undefined && (
            <div className="token-agreement">
              Agreement with {heat.words.name}, of{' '}
              {count(heat.mask?.filter((one) => one === 1).length ?? heat.count)}{' '}
              {heat.mask === undefined ? 'tokens' : 'policy tokens'}:
              <ul>
                {agreementLabels(agreement).map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </div>
          )}
        </>
      )}
    </section>
  );
}
