// Going back in a conversation without losing what was said (T9).

import type { Page } from '@playwright/test';
import { test } from './kept';
import { ask, expect, words } from './window';

const messages = (page: Page) => page.getByRole('article');
const branches = (page: Page) => page.getByTestId('branches');

async function choose(page: Page, message: string, action: string): Promise<void> {
  await messages(page).filter({ hasText: message }).getByRole('button', { name: 'Actions for the message' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('T9: a message that is edited and sent again is a branch, and the earlier one stays reachable', async ({
  page,
  open,
}) => {
  await open('no-session', 0.2);
  for (const text of ['First?', 'Second?', 'Third?']) {
    await ask(page, text);
  }
  await expect(branches(page)).toHaveCount(0);
  await choose(page, 'Second?', 'Edit and resend');
  const field = page.getByTestId('message-edit');
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('Second?');
  await field.fill('Another?');
  await field.press('Enter');
  await expect(messages(page)).toHaveCount(2);
  await expect(messages(page).last()).toContainText('Another?');
  await expect(words(page)).toHaveText('Answered');
  await expect(branches(page)).toHaveText('2 of 2');

  await page.getByRole('button', { name: 'Earlier branch' }).click();
  await expect(messages(page)).toHaveCount(3);
  await expect(branches(page)).toHaveText('1 of 2');
  await expect(messages(page).last()).toContainText('Third?');
  await expect(page.getByRole('button', { name: 'Earlier branch' })).toBeDisabled();
  await page.getByRole('button', { name: 'Later branch' }).click();
  await expect(messages(page)).toHaveCount(2);
  await expect(messages(page).last()).toContainText('Another?');
  // The next message follows what is shown.
  await ask(page, 'And then?');
  await expect(messages(page)).toHaveCount(3);
});

test('an answer is regenerated in its place', async ({ page, open }) => {
  await open('finished', 0.2);
  await choose(page, 'How does', 'Regenerate the answer');
  await expect(branches(page)).toHaveText('2 of 2');
  await expect(words(page)).toHaveText('Answered');
  await expect(messages(page)).toHaveCount(1);
});

test('a failed turn that is tried again gives way to the new one, and is the branch before it', async ({
  page,
  open,
}) => {
  await open('error', 0.2);
  await expect(page.getByTestId('error-card')).toBeVisible();
  await page.getByTestId('error-card').getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByTestId('error-card')).toHaveCount(0);
  await expect(messages(page)).toHaveCount(1);
  await expect(words(page)).toHaveText('Answered');
  await page.getByRole('button', { name: 'Earlier branch' }).click();
  await expect(page.getByTestId('error-card')).toBeVisible();
  await expect(branches(page)).toHaveText('1 of 2');
});

test('the edit of a message is left with Escape, and nothing has happened', async ({ page, open }) => {
  await open('finished');
  await choose(page, 'How does', 'Edit and resend');
  await page.getByTestId('message-edit').fill('Something else');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('message-edit')).toHaveCount(0);
  await expect(messages(page)).toContainText('How does the config loader work?');
  await expect(branches(page)).toHaveCount(0);
});
