import type { Page } from 'playwright-core';

/**
 * Goes to a page as a link does. Loading the application for each test would take half of the time, so only tests of
 * loading it do that.
 */
export async function visit(page: Page, url: string): Promise<void> {
  const none = page.getByText('No page at this address');
  const goTo = (url: string) =>
    page.evaluate((url) => {
      history.pushState(null, '', url);
      dispatchEvent(new PopStateEvent('popstate'));
    }, url);
  // The page of no address between two pages tells when the next one is drawn.
  await goTo(new URL('/nowhere', url).href);
  await none.waitFor();
  await goTo(url);
  await none.waitFor({ state: 'detached' });
}
