// biome-ignore-all lint/a11y/useKeyWithClickEvents: the list handles the keys and names the row by aria-activedescendant
// biome-ignore-all lint/a11y/useFocusableInteractive: as above
import { memo } from 'react';
import { count, decimal, signed } from '../../../ui/numbers.ts';
import { SourceText } from '../../../ui/SourceText.tsx';
import { classOf, type Heat } from '../text/tokenHeat.ts';
import { CLASS_GLYPHS } from './classLabels.ts';
import { contextOf } from './tokenListModel.ts';

interface TokenListRowProps {
  readonly id: string;
  readonly heat: Heat;
  readonly token: number;
  /** The segment of an id without text. Undefined: unknown. */
  readonly place: string | undefined;
  readonly isCurrent: boolean;
  readonly onGo: (token: number) => void;
}

/** Text before the token is cut, so that the token itself is always visible in the row. */
const BEFORE = 14;
const AFTER = 30;

export const TokenListRow = memo(function TokenListRow({
  id,
  heat,
  token,
  place,
  isCurrent,
  onGo,
}: TokenListRowProps) {
  const { before, text, after } = contextOf(heat, token, AFTER);
  const name = classOf(heat, token);
  const value = heat.values[token];
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      className={isCurrent ? 'token-row is-current' : 'token-row'}
      onClick={() => onGo(token)}
    >
      <p>
        <span className="dim">{count(token)}</span>
        <span className={name === 'reflection' ? 'is-reflection' : undefined}>
          <span className="token-class-glyph">{CLASS_GLYPHS[name]}</span> {name === 'none' ? '' : name}
        </span>
        <span className={`heat-sample is-${heat.levels[token] ?? 0}`}>
          {heat.words.isSigned ? signed(value, 3) : decimal(value, 3)}
        </span>
      </p>
      {heat.ends === undefined ? (
        <p className="token-row-context">
          <b>id {heat.ids?.[token] ?? 'not logged'}</b>{' '}
          <span className="dim">{place === undefined ? 'position unknown' : `somewhere in ${place}`}</span>
        </p>
      ) : (
        <p className="token-row-context">
          <SourceText text={before.slice(-BEFORE)} />
          <b>
            <SourceText text={text} />
          </b>
          <SourceText text={after} />
        </p>
      )}
    </div>
  );
});
