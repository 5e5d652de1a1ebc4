import type { Page } from 'playwright-core';

/** Presses the keys of a sequence such as `g p` without waiting between them, because the page does not wait long. */
export async function pressSequence(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}
