// Writes of which a difference of lines shows little or nothing: what is replaced is no text, or nothing is in the file (W6).

import { test } from './kept';
import { expect } from './window';

test('W6: what replaces a file that is no text says so, and shows the new text', async ({ page, open }) => {
  await open('write-binary');
  await expect(page.getByTestId('replaced')).toHaveText(
    'This replaces a binary file of 3.4 KB, which cannot be shown.',
  );
  await expect(page.locator('[data-testid=row][data-kind=added]')).toContainText('FOX');
});

test('W6: a file that would be emptied is not said to stay as it is', async ({ page, open }) => {
  await open('write-emptied');
  await expect(page.getByTestId('replaced')).toBeVisible();
  await expect(page.getByTestId('nothing-shown')).toHaveText('The file would be emptied.');
});

test('W6: an empty file can be made, and the preview says that it is empty', async ({ page, open }) => {
  await open('write-empty');
  await expect(page.getByTestId('nothing-shown')).toHaveText('This makes an empty file.');
  await expect(page.getByTestId('replaced')).toHaveCount(0);
});
