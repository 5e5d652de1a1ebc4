/** Preferences with their defaults, which belong to the domain and not to the store. */
import { DEFAULT_LEXICON } from '../../../../shared/domain/lexicon.ts';
import { DEFAULT_WINDOW } from '../../../../shared/domain/reflection.ts';
import { useTokenView } from '../../../state/tokenView.ts';

export function useReflectionWindow(): number {
  return useTokenView((state) => state.window) ?? DEFAULT_WINDOW;
}

export function useWords(): readonly string[] {
  return useTokenView((state) => state.words) ?? DEFAULT_LEXICON;
}
