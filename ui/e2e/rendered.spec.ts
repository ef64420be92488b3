// A Markdown file that is written, as it reads: beside its difference, and never in the place of looking at that.

import { inaccessible } from './accessible';
import { test } from './kept';
import { expect } from './window';

test('Markdown is shown as it reads, and its changes are decided where they are shown', async ({ page, open }) => {
  await open('write-create', 0.2);
  const pane = page.getByTestId('diff-pane');
  const button = pane.getByRole('button', { name: 'Rendered' });
  // The difference comes first: what is approved was seen (A3).
  await expect(button).toHaveAttribute('aria-pressed', 'false');
  await button.click();
  const page_ = pane.getByTestId('rendered');
  await expect(page_.getByRole('heading').first()).toBeVisible();
  await expect(pane.locator('[data-row]')).toHaveCount(0);
  expect(await inaccessible(page, '[data-testid=diff-pane]')).toEqual([]);
  await button.click();
  await expect(page_).toHaveCount(0);
});

test('what reads as it is written has no such button', async ({ page, open }) => {
  await open('write-ready', 0.2);
  await expect(page.getByTestId('diff-pane').getByTestId('wide')).toBeVisible();
  await expect(page.getByTestId('show-rendered')).toHaveCount(0);
});
