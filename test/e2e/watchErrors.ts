import type { Page } from 'playwright-core';

/** Errors a page reported: exceptions, and what the policy or a missing file made the console say. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}
