/** The marks of data. Each has a shape as well as a colour. */
import type { Label } from '../../shared/domain/annotate/taxonomy.ts';
import { withGlyphs } from '../../shared/domain/hiddenCharacters.ts';
import './controls.css';

export function KeptMark({ isKept }: { readonly isKept: boolean | undefined }) {
  if (isKept === undefined) return null;
  const label = isKept ? 'kept' : 'discarded';
  return <span className={`mark is-${label}`} role="img" aria-label={label} title={label} />;
}

/** Marks values that differ. @param meaning the values, and where each comes from */
export function UnequalMark({ meaning }: { readonly meaning: string }) {
  return (
    <span role="img" aria-label={meaning} title={meaning}>
      ≠
    </span>
  );
}

export function RightMark({ isCorrect }: { readonly isCorrect: boolean | undefined }) {
  if (isCorrect === undefined) return null;
  return (
    <span
      className={isCorrect ? 'is-right' : 'is-wrong'}
      role="img"
      aria-label={isCorrect ? 'correct' : 'incorrect'}
    >
      {isCorrect ? '✓' : '✕'}
    </span>
  );
}

/** A label by colour and name, since colour alone is not accessible. */
export function LabelName({ label }: { readonly label: Pick<Label, 'name' | 'colour' | 'description'> }) {
  return (
    <span className="label-name" title={withGlyphs(label.description)}>
      <i className="label-dot" data-colour={label.colour} aria-hidden />
      {withGlyphs(label.name)}
    </span>
  );
}
