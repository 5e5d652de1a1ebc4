/** How the words of the lexicon agree with what is high, in words. */
import type { Agreement } from '../../shared/domain/lexicon.ts';
import { count, decimal } from './numbers.ts';

export function agreementWords(agreement: Agreement): readonly string[] {
  const { both, lexiconOnly, highOnly, neither, phi } = agreement;
  return [
    `${count(both)} tokens are in a listed word and high`,
    `${count(lexiconOnly)} in a listed word, not high`,
    `${count(highOnly)} high, in no listed word`,
    `${count(neither)} neither`,
    phi === undefined
      ? 'φ is undefined: one of the two never varies'
      : `φ = ${decimal(phi, 2)} (−1 … 1; 0: unrelated)`,
  ];
}
