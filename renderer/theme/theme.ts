import { useSyncExternalStore } from 'react';

type ThemeChoice = 'system' | 'light' | 'dark';

const DARK = '(prefers-color-scheme: dark)';

export function resolvedTheme(choice: ThemeChoice, prefersDark: boolean): 'light' | 'dark' {
  if (choice !== 'system') return choice;
  return prefersDark ? 'dark' : 'light';
}

/** Keeps the document's `data-theme` in sync with the user's choice and the system's theme. */
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

/** Whether the current theme is dark, for canvas and Monaco, which cannot use CSS custom properties. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme === 'dark');
}
