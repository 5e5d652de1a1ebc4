import { useSyncExternalStore } from 'react';

type ThemeChoice = 'system' | 'light' | 'dark';

const DARK = '(prefers-color-scheme: dark)';

export function resolvedTheme(choice: ThemeChoice, prefersDark: boolean): 'light' | 'dark' {
  if (choice !== 'system') return choice;
  return prefersDark ? 'dark' : 'light';
}

/** Keeps `data-theme` of the document in step with the choice and with the system, for the life of the page. */
export function followTheme(choice: () => ThemeChoice, onChoice: (listener: () => void) => void): void {
  const media = window.matchMedia(DARK);
  const apply = () => {
    document.documentElement.dataset.theme = resolvedTheme(choice(), media.matches);
  };
  apply();
  onChoice(apply);
  media.addEventListener('change', apply);
}

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** The theme in force, for what cannot read CSS custom properties by itself: canvas and Monaco. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme === 'dark');
}
