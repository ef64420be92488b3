// The text of a write changed by hand before it is approved (W6, A3), and where it stays meanwhile.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, touch, words } from './window';

const pane = (page: Page) => page.getByTestId('diff-pane');
const box = (page: Page) => page.getByTestId('write-box');

// High enough for a whole difference: the band below the conversation takes a part of the window.
test.use({ viewport: { width: 1280, height: 1200 } });

test('A3: what is edited is a new proposal, asked about anew', async ({ page, open }) => {
  await open('write-ready', 0.2);
  await page.getByRole('button', { name: 'Reject change 1' }).click();
  await page.getByTestId('edit').click();
  await expect(pane(page)).toContainText('The file that would be written, without the change you rejected.');
  await expect(page.getByTestId('use-text')).toBeDisabled();
  const text = await page.getByTestId('editor').inputValue();
  // Of the first change nothing is in it, of the others all.
  expect([text.includes('use crate::config::Config;'), text.includes('self.hunger > self.patience')]).toEqual([
    false,
    true,
  ]);
  await page.getByTestId('editor').fill(text.replace('"Reynard"', '"Renard"'));
  await page.getByTestId('use-text').click();
  await expect(page.getByTestId('editor')).toHaveCount(0);
  await expect(page.getByTestId('rows')).toContainText('"Renard"');
  await expect(page.getByTestId('where')).toHaveText('Change 1 of 2');
  await expect(page.getByTestId('write-approve')).toHaveText('Approve');
  await page.getByTestId('write-approve').click();
  await expect(box(page)).toContainText('with your changes');
});

test('an edit that was begun is not lost to a key', async ({ page, open }) => {
  await open('write-ready');
  await page.getByTestId('edit').click();
  await expect(page.getByTestId('editor')).toBeFocused();
  await page.keyboard.type('Mine. ');
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByTestId('editor')).toHaveValue(/^Mine\. /);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Drop them' }).click();
  await expect(page.getByTestId('editor')).toHaveCount(0);
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await expect(pane(page)).toBeFocused();
});

test('what was typed in the editor is there again, wherever the person went meanwhile', async ({ page, open }) => {
  await open('write-ready');
  await page.getByTestId('edit').click();
  await expect(page.getByTestId('editor')).toBeFocused();
  await page.keyboard.type('Mine. ');
  const kept = () => expect(page.getByTestId('editor')).toHaveValue(/^Mine\. /);
  await page.getByTestId('wide').click();
  await kept();
  await page.getByTestId('wide').click();
  await kept();
  await page.getByTestId('close-diff').click();
  await expect(page.getByTestId('editor')).toHaveCount(0);
  // Whoever has begun to change it approves nothing that they do not see.
  await expect(page.getByTestId('write-approve')).toHaveCount(0);
  await page.getByTestId('write-review').click();
  await kept();
  await page.keyboard.press('Control+j');
  await page.keyboard.press('Control+j');
  await kept();
  await page.setViewportSize({ width: 800, height: 600 });
  await kept();
  await page.setViewportSize({ width: 1280, height: 800 });
  await kept();
  await page.keyboard.press('Control+n');
  await expect(page.getByTestId('editor')).toHaveCount(0);
  await page.getByTestId('session-item').first().click();
  await kept();
});

test('what was typed in the editor outlives a preview that could not be had', async ({ page, open }) => {
  await open('write-flaky');
  await page.getByTestId('edit').click();
  await expect(page.getByTestId('editor')).toBeFocused();
  await page.keyboard.type('Mine. ');
  await touch(page);
  await expect(pane(page).getByTestId('error-card')).toBeVisible();
  await expect(page.getByTestId('editor')).toHaveValue(/^Mine\. /);
});

test('a write that ends under the editor leaves the text to be copied, and nothing to press that cannot act', async ({
  page,
  open,
}) => {
  await open('write-ready');
  await page.getByTestId('edit').click();
  await expect(page.getByTestId('editor')).toBeFocused();
  await page.keyboard.type('Mine. ');
  await page.getByTestId('stop').click();
  await expect(words(page)).toHaveText('Stopped');
  await expect(page.getByTestId('edit-over')).toBeVisible();
  await expect(page.getByTestId('use-text')).toHaveCount(0);
  await expect(page.getByTestId('editor')).toHaveValue(/^Mine\. /);
  await expect(page.getByTestId('editor')).not.toBeEditable();
  await pane(page).getByRole('button', { name: 'Close' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Drop them' }).click();
  await expect(page.getByTestId('editor')).toHaveCount(0);
});
