// Going back to an earlier message: shown first, done, and undone (A10).

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, send, words } from './window';

const messages = (page: Page) => page.getByRole('article');
const notice = (page: Page) => page.getByTestId('rewind-notice');
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Rewind to this message' });

async function look(page: Page, message: number): Promise<void> {
  await messages(page).nth(message).getByRole('button', { name: 'Actions for the message' }).click();
  await page.getByRole('menuitem', { name: 'Rewind to here' }).click();
}

test('A10: what will change is shown first, then conversation and files go back, and an undo brings both again', async ({
  page,
  open,
}) => {
  await open('rewind');
  const message = await messages(page).nth(1).getByTestId('asked').innerText();
  await look(page, 1);
  await expect(dialog(page)).toContainText('2 turns from this message on leave the conversation and stay as a branch.');
  const files = dialog(page).getByTestId('rewound-files').getByRole('listitem');
  await expect(files).toHaveText([/^keep docs\/notes\.md .*no longer holds what was written/, /^restore /]);
  await expect(messages(page)).toHaveCount(3);
  await page.getByTestId('rewind-go').click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(messages(page)).toHaveCount(1);
  await expect(notice(page)).toContainText(
    'You went back to an earlier message. 1 file put back. 1 file kept as it is.',
  );
  await expect(page.getByTestId('composer')).toHaveValue(message);
  await expect(page.getByTestId('composer')).toBeFocused();

  await page.getByTestId('rewind-undo').click();
  await expect(messages(page)).toHaveCount(3);
  await expect(notice(page)).toContainText('The conversation is back. 1 file as before the rewind.');
  await expect(page.getByTestId('composer')).toHaveValue('');
  await expect(page.getByTestId('rewind-undo')).toHaveCount(0);
});

test('the files go back alone, and the line of the write says so', async ({ page, open }) => {
  await open('rewind');
  const write = page.getByTestId('write-box');
  await expect(write.getByRole('button', { name: 'Undo' })).toBeVisible();
  await look(page, 1);
  await dialog(page).getByTestId('rewind-conversation').uncheck();
  await page.getByTestId('rewind-go').click();
  await expect(messages(page)).toHaveCount(3);
  await expect(write).toContainText('undone');
  await page.getByTestId('rewind-undo').click();
  await expect(write.getByRole('button', { name: 'Undo' })).toBeVisible();
});

test('the conversation goes back alone, the next message begins a branch, and the notice goes', async ({
  page,
  open,
}) => {
  await open('rewind', 0.2);
  await look(page, 2);
  await expect(dialog(page)).toContainText('Orion has written no files since then.');
  await expect(dialog(page).getByTestId('rewind-files')).toBeDisabled();
  await page.getByTestId('rewind-go').click();
  await expect(messages(page)).toHaveCount(2);
  await expect(notice(page)).toContainText('You went back to an earlier message.');
  await send(page, 'Something else?');
  await expect(notice(page)).toHaveCount(0);
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('branches')).toHaveText('2 of 2');
  await page.getByRole('button', { name: 'Earlier branch' }).click();
  await expect(messages(page).last()).toContainText('And the flags?');
});

test('nothing happens without a choice, or with Escape', async ({ page, open }) => {
  await open('rewind');
  await look(page, 1);
  await dialog(page).getByTestId('rewind-conversation').uncheck();
  await dialog(page).getByTestId('rewind-files').uncheck();
  await expect(page.getByTestId('rewind-go')).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(notice(page)).toHaveCount(0);
  await expect(messages(page)).toHaveCount(3);
});
