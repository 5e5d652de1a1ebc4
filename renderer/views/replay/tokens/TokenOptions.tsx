/** How tokens are marked, and what the marks mean. */
import { SlidersHorizontal } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useId } from 'react';
import { DEFAULT_WINDOW } from '../../../../shared/domain/reflection.ts';
import { useTokenView } from '../../../state/tokenView.ts';
import { Segmented } from '../../../ui/Controls.tsx';
import { GAP_SHARE, type Heat } from '../text/tokenHeat.ts';
import { CLASS_GLYPHS, classDefinitions } from './classLabels.ts';
import { LexiconOptions } from './LexiconOptions.tsx';
import { type LexiconState, useReflectionWindow } from './useLexicon.ts';
import './tokenOptions.css';

interface TokenOptionsProps {
  readonly heat: Heat | undefined;
  readonly lexicon: LexiconState;
}

export function TokenOptions({ heat, lexicon }: TokenOptionsProps) {
  const markStyle = useTokenView((state) => state.markStyle);
  const setMarkStyle = useTokenView((state) => state.setMarkStyle);
  return (
    <Popover.Root>
      <Popover.Trigger
        className="button token-options-button"
        aria-label="Marks"
        title="Marks, overlays, classes and words"
      >
        <SlidersHorizontal size={13} /> <span className="token-options-word">Marks</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="token-options"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label="How tokens are marked"
        >
          <section>
            <h2>Heat</h2>
            <Segmented
              label="Heat as"
              chosen={markStyle}
              onChoose={setMarkStyle}
              choices={[
                { id: 'background', label: 'Background' },
                { id: 'underline', label: 'Underline' },
              ]}
            />
          </section>
          <Overlays heat={heat} />
          {heat?.ends !== undefined && <Classes heat={heat} />}
          {heat?.tail !== undefined && <Vocabulary />}
          <LexiconOptions heat={heat} lexicon={lexicon} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Classes({ heat }: { readonly heat: Heat }) {
  const window = useReflectionWindow();
  const setWindow = useTokenView((state) => state.setWindow);
  const id = useId();
  return (
    <section>
      <h2>Classes of high tokens</h2>
      <p className="token-options-note">
        The paper shows two patterns and defines neither; this is the definition used here. Reflection tokens
        have a double underline.
      </p>
      <dl className="token-classes">
        {classDefinitions(window).map(([name, definition]) => (
          <div key={name}>
            <dt className={name === 'reflection' ? 'is-reflection' : undefined}>
              <span className="token-class-glyph">{CLASS_GLYPHS[name]}</span> {name}
            </dt>
            <dd>
              {definition} <b>{heat.classCounts[name]}</b>
            </dd>
          </div>
        ))}
      </dl>
      <p className="token-options-row">
        <label htmlFor={id}>Window of a reflection, policy tokens (0: the whole segment)</label>
        <input
          id={id}
          type="number"
          className="token-number"
          min={0}
          max={100000}
          value={window}
          onChange={(event) => {
            const typed = Number(event.target.value);
            if (event.target.value !== '' && Number.isInteger(typed) && typed >= 0 && typed <= 100_000)
              setWindow(typed);
          }}
        />
        {window !== DEFAULT_WINDOW && (
          <button type="button" className="text-button" onClick={() => setWindow(undefined)}>
            {DEFAULT_WINDOW}
          </button>
        )}
      </p>
    </section>
  );
}

function Vocabulary() {
  const vocabulary = useTokenView((state) => state.vocabulary);
  const setVocabulary = useTokenView((state) => state.setVocabulary);
  const id = useId();
  return (
    <section>
      <h2>Upper bound of the entropy</h2>
      <p className="token-options-row">
        <label htmlFor={id}>Tokens in the vocabulary (without it only the lower bound is known)</label>
        <input
          id={id}
          type="number"
          className="token-number is-wide"
          min={1}
          max={10_000_000}
          placeholder="unknown"
          value={vocabulary ?? ''}
          onChange={(event) => {
            const typed = Number(event.target.value);
            const isSize = Number.isInteger(typed) && typed >= 1 && typed <= 10_000_000;
            if (event.target.value === '') setVocabulary(undefined);
            else if (isSize) setVocabulary(typed);
          }}
        />
      </p>
    </section>
  );
}

/** Overlays that are independent of heat, each with its own visual cue. */
function Overlays({ heat }: { readonly heat: Heat | undefined }) {
  const isMaskShown = useTokenView((state) => state.isMaskShown);
  const isGapShown = useTokenView((state) => state.isGapShown);
  const flip = useTokenView((state) => state.flip);
  if (heat?.ends === undefined) return null;
  return (
    <section>
      <h2>Overlays</h2>
      <label className="token-check">
        <input
          type="checkbox"
          checked={isMaskShown}
          disabled={heat.mask === undefined}
          onChange={() => flip('isMaskShown')}
        />
        <span>
          loss mask: text of the environment is dimmed
          {heat.mask === undefined && <span className="dim"> (no mask was logged)</span>}
        </span>
      </label>
      <label className="token-check">
        <input
          type="checkbox"
          checked={isGapShown}
          disabled={!heat.hasGap}
          onChange={() => flip('isGapShown')}
        />
        <span>
          log-probability gap: a line above the {GAP_SHARE * 100} % of policy tokens whose trainer and rollout
          log-probabilities differ most
          {!heat.hasGap && <span className="dim"> (only one of the two was logged)</span>}
        </span>
      </label>
    </section>
  );
}
