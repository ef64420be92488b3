// Tests that share a page: one of each worker goes from test to test, since a new one would compile the window's script again for each of them. For
// tests that leave nothing behind but what is cleared here: none with a clock, scripts of its own, permissions, or listeners.

import type { Page } from '@playwright/test';
import { test as base } from './window';

export const test = base.extend<object, { kept: Page }>({
  kept: [
    async ({ browser }, use, { project }) => {
      const context = await browser.newContext({ baseURL: project.use.baseURL! });
      await use(await context.newPage());
      await context.close();
    },
    { scope: 'worker' },
  ],
  page: async ({ kept, viewport, colorScheme, contextOptions }, use) => {
    await kept.setViewportSize(viewport!);
    await kept.emulateMedia({ colorScheme: colorScheme ?? null, reducedMotion: contextOptions.reducedMotion ?? null });
    await use(kept);
    // Nothing of this test is left for the next one.
    await kept.mouse.move(0, 0);
    await kept.evaluate(async () => {
      // A window that goes keeps what was being written.
      window.dispatchEvent(new PageTransitionEvent('pagehide'));
      await new Promise((resolve) => setTimeout(resolve));
      [localStorage, sessionStorage].forEach((storage) => storage.clear());
    });
    await kept.goto('about:blank');
  },
});
