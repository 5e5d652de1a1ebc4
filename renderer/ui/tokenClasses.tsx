import { Code, Diamond, RotateCcw, Split } from 'lucide-react';
import type { Agreement } from '../../shared/domain/lexicon.ts';
import type { TokenClass } from '../../shared/domain/reflection.ts';
import { count, decimal } from './numbers.ts';

/** Icons rather than characters, since not every font has such symbols. */
const ICONS = { forking: Split, reflection: RotateCcw, code: Code, answer: Diamond } as const;

/** A shape for each class of high tokens, since colour alone is not a sufficient cue. */
export function ClassIcon({ name }: { readonly name: Exclude<TokenClass, 'none'> }) {
  const Sign = ICONS[name];
  return <Sign className="class-icon" size={13} strokeWidth={1.9} aria-hidden="true" />;
}

export function agreementLabels(agreement: Agreement): readonly string[] {
  const { both, lexiconOnly, highOnly, neither, phi } = agreement;
  return [
    `${count(both)} tokens are in a listed word and high`,
    `${count(lexiconOnly)} in a listed word, not high`,
    `${count(highOnly)} high, in no listed word`,
    `${count(neither)} neither`,
    phi === undefined
      ? 'no correlation: one of the two never varies'
      : `correlation ${decimal(phi, 2)} (φ, −1 … 1; 0: unrelated)`,
  ];
}
