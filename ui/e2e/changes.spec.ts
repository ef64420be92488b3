// Every file that was written, in one view: its difference, and its undo.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect } from './window';

test.use({ panel: true });

const files = (page: Page) => page.getByTestId('changed-file');

test('W7: all changes of a session are listed with their differences, and undone file by file or all', async ({
  page,
  open,
}) => {
  await open('changes');
  await page.getByRole('tab', { name: 'Changes' }).click();
  await expect(files(page)).toHaveCount(2);
  const [first, second] = [files(page).first(), files(page).last()];
  await expect(first).toContainText('docs/');
  await expect(first).toContainText('new');
  await expect(page.getByTestId('changed-rows').locator("[data-kind='added']").first()).toBeVisible();
  await second.getByRole('button').first().click();
  await expect(page.getByTestId('changed-rows').locator("[data-kind='removed']").first()).toBeVisible();
  // Of the last turn that wrote, one of them.
  await page.getByRole('button', { name: 'Last turn' }).click();
  await expect(files(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Session', exact: true }).click();
  await expect(files(page)).toHaveCount(2);

  await second.getByRole('button', { name: /^Undo / }).click();
  await expect(files(page)).toHaveCount(1);
  await expect(page.getByTestId('write-box').first()).toContainText('undone');
  await page.getByTestId('undo-all').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo all' }).click();
  await expect(files(page)).toHaveCount(0);
  await expect(page.getByTestId('changes')).toContainText(
    'No file was written or changed by a command in this session, or everything was undone.',
  );
});
