/** A statement too long for a link, kept for this tab: a reload does not take what somebody has written. */
const STORED = 'turnwise.statement';

export function keepDraft(text: string): void {
  try {
    globalThis.sessionStorage?.setItem(STORED, text);
  } catch {
    // Full, or not allowed: then it lives as long as the page.
  }
}

/** @returns undefined where there is none */
export function keptDraft(): string | undefined {
  try {
    return globalThis.sessionStorage?.getItem(STORED) ?? undefined;
  } catch {
    return undefined;
  }
}
