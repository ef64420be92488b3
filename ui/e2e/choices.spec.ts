// How the next turn runs: mode, route, model and pauses belong to the session in which they were chosen.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, send } from './window';

const differs = (page: Page) => page.getByTestId('differs');

async function plan(page: Page): Promise<void> {
  await page.getByLabel('Mode: Act').click();
  await page.getByRole('option', { name: /^Plan/ }).click();
  await expect(page.getByLabel('Mode: Plan')).toBeVisible();
}

test('a mode that was chosen in one session is there after a look at another, and nowhere else', async ({
  page,
  open,
}) => {
  await open('finished');
  const items = page.getByTestId('session-item');
  await plan(page);
  await expect(differs(page)).toHaveText('Plan');
  await items.nth(1).click();
  await expect(page.getByLabel('Mode: Act')).toBeVisible();
  await expect(differs(page)).toHaveCount(0);
  await page.keyboard.press('Control+n');
  await expect(page.getByLabel('Mode: Act')).toBeVisible();
  await items.first().click();
  await expect(page.getByLabel('Mode: Plan')).toBeVisible();
  await differs(page).click();
  await expect(page.getByLabel('Mode: Act')).toBeVisible();
});

test('X7: the route of one session does not raise the bound of another', async ({ page, open }) => {
  await open('finished');
  const bound = page.getByTestId('bound');
  await expect(bound).toContainText('at most 21 model calls');
  await page.getByRole('button', { name: 'Limits: 8 steps' }).click();
  await page.getByRole('radio', { name: /^Unified/ }).click();
  await page.getByTestId('next-pauses').check();
  await page.keyboard.press('Escape');
  await expect(bound).toContainText('at most 25 model calls');
  await expect(differs(page)).toHaveText('Unified · pauses');
  await page.getByTestId('session-item').nth(1).click();
  await expect(bound).toContainText('at most 21 model calls');
  await expect(differs(page)).toHaveCount(0);
});

test('what is chosen before the first message goes with it, and the next chat begins with the settings', async ({
  page,
  open,
}) => {
  await open('no-session', 0.2);
  await plan(page);
  await send(page, 'How does the config loader work?');
  await expect(page.getByTestId('session-item')).toHaveCount(1);
  await expect(page.getByLabel('Mode: Plan')).toBeVisible();
  await page.keyboard.press('Control+n');
  await expect(page.getByLabel('Mode: Act')).toBeVisible();
});
