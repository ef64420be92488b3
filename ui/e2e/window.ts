// Opens the window on a scene of the replaying backend. A test fails when the page logged an error or broke its walls.

import { test as base, expect, type Page } from '@playwright/test';

export const test = base.extend<{ open: (scene: string, pace?: number) => Promise<void> }>({
  open: async ({ page }, use) => {
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    await use(async (scene, pace = 1) => {
      await page.goto(`/?replay=${scene}&pace=${pace}`);
      await expect(page.locator('main')).toBeVisible();
    });
    expect(faults).toEqual([]);
  },
});

export { expect };

/** The phase bar's words. */
export const words = (page: Page) => page.getByTestId('phase-bar').getByRole('status');

export async function send(page: Page, text: string): Promise<void> {
  await page.getByTestId('composer').fill(text);
  await page.getByTestId('composer').press('Enter');
}

/** How far the conversation is from its end, in pixels. */
export function fromEnd(page: Page): Promise<number> {
  return page.getByRole('region', { name: 'Conversation' }).evaluate((region) => region.scrollHeight - region.clientHeight - region.scrollTop);
}
